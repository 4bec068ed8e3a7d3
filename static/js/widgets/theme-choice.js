/**
 * Light, dark, or as the system says, kept between visits.
 *
 * The style sheet reads the radio buttons by itself (:has), so that the choice works
 * without this script; theme.js applies the kept one before the first paint.
 */

const KEY = "reading-theme";

/** @param {string} theme  auto, light or dark */
function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that refuses storage forgets the choice with the page.
  }
}

export class ThemeChoice extends HTMLElement {
  connectedCallback() {
    const root = document.documentElement;
    for (const radio of this.querySelectorAll("input")) {
      radio.checked = radio.value === root.dataset.theme;
    }
    this.addEventListener("change", (event) => {
      const radio = /** @type {HTMLInputElement} */ (event.target);
      root.dataset.theme = radio.value;
      keep(radio.value);
    });
  }
}

customElements.define("theme-choice", ThemeChoice);
