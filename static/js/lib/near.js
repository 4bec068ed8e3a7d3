import { parseFragment } from "./fragment.js";

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

/**
 * Wait until an element is near, or the address asks for a run that only the page's
 * model can compute, of which all figures have to know.
 * @param {Element} element
 * @returns {Promise<void>}
 */
export function whenNearOrRun(element) {
  const asked = new Promise((resolve) => {
    const look = () => asksForRun(location.hash) && resolve(undefined);
    addEventListener("hashchange", look);
    look();
  });
  return Promise.race([whenNear(element), asked]);
}

/** A link to a place of the text. */
export const POINTED = 'article a[href^="#"]:not([href^="#~"])';

/**
 * Return the link to a place of the text that an event happened on.
 * @param {Event} event
 */
export function pointedLink({ target }) {
  return target instanceof Element ? target.closest(POINTED) : null;
}

/**
 * Wait until the pointer or the keyboard comes to a link to a place of the text.
 * @returns {Promise<void>}
 */
export function whenPointed() {
  return new Promise((resolve) => {
    for (const name of ["pointerover", "focusin"]) {
      document.addEventListener(name, (event) => pointedLink(event) && resolve());
    }
  });
}

/** @param {string} fragment */
function asksForRun(fragment) {
  return [...parseFragment(fragment).keys()].some((key) =>
    /^(.*\.)?(tokens|weights|change)$/.test(key));
}
