const BEFORE = "600px"; // about a screen: the figure is drawn before the reader arrives

/**
 * Wait until an element is on the screen, or nearly.
 * @param {Element} element
 * @returns {Promise<void>}
 */
export function whenNear(element) {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      resolve();
    }, { rootMargin: BEFORE });
    observer.observe(element);
  });
}
