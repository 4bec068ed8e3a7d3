/**
 * What a link within the text leads to, shown beside it while the pointer or the
 * keyboard is there: a reference, a note, a formula, a figure.
 *
 * It can be pointed at itself, goes with Escape, and stays as long as the reader does
 * (WCAG 1.4.13).  Touch opens none, and what is on the screen already needs none.  Who
 * listens hears the words as the link's description; not a formula, which says nothing
 * as a row of letters.
 */

import { POINTED, pointedLink } from "../lib/near.js";
import { copyOf } from "./hover-preview/copy.js";

const SHOWN = ".references > li, .footnote li, .equation, figure";
const BEFORE_OPENING = 150; // milliseconds: the pointer may only pass
const BEFORE_CLOSING = 250; // and has a way to go, from the link into the preview
const GAP = 8; // pixels

class HoverPreview extends HTMLElement {
  constructor() {
    super();
    /** @type {Element | null} the link that it belongs to, while it is open */
    this.link = null;
    /** @type {Element | null} where the pointer is: a link, or this preview */
    this.pointed = null;
    this.timer = 0;
  }

  connectedCallback() {
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      const inside = this.contains(/** @type {Node} */ (event.target));
      this.pointAt(inside ? this : pointedLink(event));
    });
    document.addEventListener("focusin", () => this.followFocus());
    document.addEventListener("focusout", () => this.closeSoon());
    document.addEventListener("click", (event) => pointedLink(event) && this.close());
    document.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.close();
    });
    this.followFocus();
    // The pointer came to a link before this script did.
    this.pointAt(document.querySelector(`${POINTED}:hover`));
  }

  /** @param {Element | null} place */
  pointAt(place) {
    if (place === this.pointed) return;
    this.pointed = place;
    const isOther = place && place !== this && place !== this.link;
    if (isOther) this.soon(() => this.open(place), BEFORE_OPENING);
    else this.closeSoon();
  }

  followFocus() {
    const link = document.activeElement;
    if (link?.matches(`${POINTED}:focus-visible`)) this.open(link);
  }

  /** Close, unless the reader is still, or again, at the link or the preview. */
  closeSoon() {
    this.soon(() => {
      const wanted = this.matches(":hover") ||
        this.link?.matches(":hover, :focus-visible");
      if (!wanted) this.close();
    }, BEFORE_CLOSING);
  }

  /**
   * @param {() => void} act
   * @param {number} milliseconds
   */
  soon(act, milliseconds) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(act, milliseconds);
  }

  close() {
    clearTimeout(this.timer);
    this.hidden = true;
    this.link?.removeAttribute("aria-describedby");
    this.link = null;
  }

  /** @param {Element} link */
  open(link) {
    this.close();
    const id = link.getAttribute("href")?.slice(1) ?? "";
    const target = document.getElementById(id);
    if (!target?.matches(SHOWN) || isOnScreen(target)) return;
    this.replaceChildren(...copyOf(target));
    if (!this.textContent?.trim()) return;
    this.link = link;
    this.describe(target);
    this.hidden = false;
    this.place(link.getClientRects()[0]);
  }

  /**
   * Let the link be described by the preview; by the caption alone where it has one.
   * @param {Element} target
   */
  describe(target) {
    if (target.matches(".equation")) return;
    const words = this.querySelector("figcaption") ?? this;
    words.id ||= `${this.id}-words`;
    this.link?.setAttribute("aria-describedby", words.id);
  }

  /**
   * Stand below a link, or above where there is more room, within the window.
   * @param {DOMRect} link
   */
  place({ left, right, top, bottom }) {
    const { width, height } = this.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { direction } = getComputedStyle(this);
    const start = direction === "rtl" ? right - width : left;
    const edge = parseFloat(getComputedStyle(this).paddingInlineStart);
    const x = Math.max(edge, Math.min(start, clientWidth - width - edge));
    const fits = bottom + GAP + height <= clientHeight;
    const y = fits ? bottom + GAP : top - GAP - height;
    this.style.left = `${x}px`;
    this.style.top = `${y + scrollY}px`;
  }
}

/**
 * Return whether an element is in the window, or the window within the element.
 * @param {Element} element
 */
function isOnScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  const middle = innerHeight / 2;
  return (top >= 0 && bottom <= innerHeight) || (top < middle && bottom > middle);
}

customElements.define("hover-preview", HoverPreview);
