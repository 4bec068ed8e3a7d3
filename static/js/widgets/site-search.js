/**
 * The search of the site: the words in the field, the sections that have them.
 *
 * Without this script the page lists all articles and sections.  The library and the
 * index come with the first words.  The address has the words, `#~q=words`, and once a
 * result was opened also which, `&at=3`, so that the reader comes back to it.
 *
 * Attributes: data-library, data-index: the addresses of the two scripts.
 */

import { runScript } from "../lib/classic-script.js";
import { changeAddress, countIn, parseFragment, rememberInAddress } from
  "../lib/fragment.js";
import { fillParts, showWhen } from "../lib/page-parts.js";
import { indexOf, search, sectionsOf } from "../lib/section-search.js";
import { itemOf } from "./site-search/results.js";

/**
 * @typedef {import("../lib/section-search.js").Found} Found
 * @typedef {{index: import("../lib/section-search.js").Index,
 *   sections: import("../lib/section-search.js").Section[]}} Loaded
 */

const AT_ONCE = 50; // results shown, and how many more each time

class SiteSearch extends HTMLElement {
  constructor() {
    super();
    /** @type {Promise<Loaded> | undefined} */
    this.loading = undefined;
    /** @type {Loaded | undefined} */
    this.loaded = undefined;
    /** @type {Found[]} */
    this.found = [];
    this.frame = 0;
  }

  connectedCallback() {
    showWhen(this, { still: false, live: true });
    this.field.addEventListener("input", () => this.ask());
    this.more.addEventListener("click", () => this.showMore());
    this.results.addEventListener("click", (event) => this.leave(event));
    this.addEventListener("keydown", (event) => this.press(event));
    addEventListener("hashchange", () => this.followAddress());
    this.followAddress();
  }

  get field() {
    return /** @type {HTMLInputElement} */ (this.querySelector("input"));
  }

  get more() {
    return /** @type {HTMLElement} */ (this.querySelector("button"));
  }

  get results() {
    return /** @type {HTMLElement} */ (this.querySelector(".results"));
  }

  /** @returns {HTMLElement[]} */
  get links() {
    return [...this.results.querySelectorAll("a")];
  }

  async followAddress() {
    const state = parseFragment(location.hash);
    const at = countIn(state, "at");
    this.field.value = state.get("q") ?? "";
    if (at === undefined) this.field.focus();
    await this.answer();
    if (at === undefined) return;
    while (this.links.length <= at && this.links.length < this.found.length) {
      this.showMore();
    }
    (this.links[at] ?? this.field).focus();
  }

  /** The words changed: answer once in a frame. */
  ask() {
    rememberInAddress({ q: this.field.value || null, at: null });
    this.frame ||= requestAnimationFrame(() => this.answer());
  }

  async answer() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const words = this.field.value;
    if (!words.trim()) return this.show([], "");
    if (!this.loaded) {
      this.say("loading");
      this.loading ??= load(this.dataset);
      try {
        this.loaded = await this.loading;
      } catch {
        return this.show([], "missing");
      }
      if (words !== this.field.value) return undefined; // asked anew meanwhile
    }
    const { found, all } = search(this.loaded.index, words);
    return this.show(found, summaryOf(found.length, all));
  }

  /**
   * @param {Found[]} found
   * @param {string} summary  which sentence says how many; empty where nothing is asked
   */
  show(found, summary) {
    this.found = found;
    this.results.replaceChildren();
    fillParts(this, { count: found.length });
    this.say(summary);
    const nothing = !summary || summary === "missing"; // was looked for
    showWhen(this, { results: found.length > 0, all: nothing });
    this.showMore();
  }

  /** @param {string} summary */
  say(summary) {
    showWhen(this, Object.fromEntries(
      ["loading", "missing", "one", "several", "some", "none"]
        .map((name) => [name, name === summary])));
  }

  showMore() {
    const shown = this.results.childElementCount;
    const next = this.found.slice(shown, shown + AT_ONCE);
    const { sections } = this.loaded ?? { sections: [] };
    this.results.append(...next.map(({ id, terms }) =>
      itemOf(sections[id], new Set(terms))));
    if (shown) this.links[shown]?.focus();
    showWhen(this, { more: this.found.length > shown + next.length });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (this.frame) this.answer(); // a fast reader: what was typed is not yet answered
    const { links, field } = this;
    const place = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    /** @type {Record<string, HTMLElement | undefined>} */
    const targets = {
      ArrowDown: links[place + 1],
      ArrowUp: place > 0 ? links[place - 1] : field,
      Enter: place < 0 && document.activeElement === field ? links[0] : undefined,
      Escape: field,
    };
    const target = targets[event.key];
    const { isComposing, altKey, ctrlKey, metaKey } = event;
    if (!target || isComposing || altKey || ctrlKey || metaKey) return;
    event.preventDefault();
    target.focus();
    if (event.key === "Escape") this.clear();
  }

  clear() {
    this.field.value = "";
    this.ask();
  }

  /**
   * A result is opened: the way back leads to it.
   * @param {Event} event
   */
  leave({ target }) {
    const link = /** @type {Element} */ (target).closest("a");
    if (link) changeAddress({ at: this.links.indexOf(link) });
  }
}

/**
 * Return the name of the sentence that says what was found.
 * @param {number} count
 * @param {boolean} all  whether each result has all words
 */
function summaryOf(count, all) {
  if (!count) return "none";
  if (!all) return "some";
  return count === 1 ? "one" : "several";
}

/**
 * Load the library and the index, and read the sections into it.
 * @param {DOMStringMap} addresses
 * @returns {Promise<Loaded>}
 */
async function load({ library = "", index: written = "" }) {
  /** @type {import("../lib/section-search.js").Article[]} */
  let articles = [];
  const page = /** @type {any} */ (globalThis); // where classic scripts leave things
  page.receiveSearchIndex = (/** @type {typeof articles} */ given) => {
    articles = given;
  };
  await Promise.all([runScript(library), runScript(written)]);
  const sections = sectionsOf(articles);
  return { sections, index: await indexOf(page.MiniSearch, sections) };
}

customElements.define("site-search", SiteSearch);
