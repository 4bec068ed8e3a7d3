import { formatCell, parseCell } from "../../lib/cells.js";
import { copyText } from "../../lib/clipboard.js";
import { fillParts, showWhen } from "../../lib/page-parts.js";
import { numpyOf } from "../../lib/terms-numpy.js";
import { openCell } from "../../lib/terms.js";
import { drawArrow } from "./opened-arrow.js";
import { drawGroups } from "./opened-groups.js";
import { TermsTable } from "./opened-table.js";
import { Words, full } from "./opened-words.js";

/**
 * An opened number: what it is, the terms that made it, and the way to it.
 *
 * templates/widgets/opened-number.html has its parts and its words.
 *
 * @typedef {import("../../lib/cells.js").Cell} Cell
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("../../lib/terms-place.js").Computed} Computed
 * @typedef {Computed & import("./opened-words.js").Labels} Run
 */

const MANY = 4; // terms, from which on their order and the largest are worth words

export class OpenedNumber {
  /**
   * @param {HTMLElement} root  the section `.opened`
   * @param {(trail: Cell[]) => void} choose  told where the reader goes; show follows
   */
  constructor(root, choose) {
    this.root = root;
    this.choose = choose;
    this.template = /** @type {HTMLElement} */ (
      document.querySelector(".opened-template"));
    /** @type {Run | null} */
    this.run = null;
    /** @type {Cell[]} */
    this.trail = [];
    /** @type {Opened | null} */
    this.opened = null;
    this.moving = false;
    root.replaceChildren(...this.template.cloneNode(true).childNodes);
    this.terms = new TermsTable(this.table(".opened-terms"));
    root.addEventListener("click", (event) => this.onClick(event));
    root.addEventListener("change", () => this.drawTerms());
  }

  /**
   * Show the last cell of a trail; without one, or where the run lacks it, nothing.
   * @param {Run} run
   * @param {Cell[]} trail  the cells that led there, and the shown one
   */
  show(run, trail) {
    const unchanged = run === this.run && wayOf(trail) === wayOf(this.trail);
    if (unchanged && this.opened) return; // what has the focus stays
    this.run = run;
    this.opened = openLast(run, trail);
    this.root.hidden = !this.opened;
    if (!this.opened) return;
    this.trail = trail;
    this.words = new Words(this.template, run);
    this.draw(this.opened, this.words);
    if (this.moving) this.part(".opened-title").focus();
    this.moving = false;
  }

  /**
   * @param {Opened} opened
   * @param {Words} words
   */
  draw(opened, words) {
    const { kind, terms, groups, applied, cell, value } = opened;
    const [title, said] = [words.place(cell), words.kind(opened)];
    const many = terms.length >= MANY;
    fillParts(this.root, {
      title, kind: said, value: full(value), total: full(opened.total),
      difference: full(opened.difference), largest: words.largest(opened),
    });
    showWhen(this.root, {
      many, largest: many, calculated: kind !== "parameter", terms: terms.length > 0,
      rotation: kind === "rotation", groups: groups.length + applied.length > 0,
    });
    this.drawTrail(words);
    this.drawTerms();
    drawGroups(this.table(".opened-groups"), opened, words);
    if (kind === "rotation") this.drawRotation(opened, words);
    this.announce(words.say("announcement", { title, value: full(value), kind: said }));
  }

  drawTerms() {
    if (!this.opened || !this.words) return;
    const sort = /** @type {HTMLInputElement} */ (this.part('[data-control="sort"]'));
    this.terms.draw(this.opened, this.words, sort.checked);
  }

  /**
   * @param {Opened} opened
   * @param {Words} words
   */
  drawRotation(opened, words) {
    const svg = /** @type {SVGElement} */ (this.root.querySelector(".opened-arrow"));
    drawArrow(svg, opened, words);
    svg.setAttribute("aria-label", words.say("arrow", words.numbers(opened)));
  }

  /** @param {Words} words */
  drawTrail(words) {
    const last = this.trail.length - 1;
    this.part(".opened-trail ol").replaceChildren(...this.trail.map((cell, i) => {
      const step = document.createElement("li");
      step.append(i < last ? crumb(cell, i, words) : words.tensor(cell));
      if (i === last) step.setAttribute("aria-current", "true");
      return step;
    }));
  }

  /** @param {string} text */
  announce(text) {
    const region = this.part(".opened-announcement");
    if (region.textContent !== text) region.textContent = text;
    this.part(".status").textContent = "";
  }

  /** @param {Event} event */
  onClick(event) {
    const button = /** @type {Element} */ (event.target).closest("button");
    const { cell, crumb: at, action } = button?.dataset ?? {};
    if (cell) this.go([...this.trail, /** @type {Cell} */ (parseCell(cell))]);
    if (at) this.go(this.trail.slice(0, Number(at) + 1));
    if (action === "close") this.choose([]);
    if (action === "numpy") this.copy();
  }

  /**
   * Go where the reader chose; the button is gone then, so the heading takes the focus.
   * @param {Cell[]} trail
   */
  go(trail) {
    this.moving = true;
    this.choose(trail);
  }

  async copy() {
    if (!this.opened) return;
    const status = this.part(".status");
    const done = await copyText(numpyOf(this.opened));
    status.textContent = (done ? status.dataset.copied : status.dataset.refused) ?? "";
  }

  /** @param {string} selector */
  part(selector) {
    return /** @type {HTMLElement} */ (this.root.querySelector(selector));
  }

  /** @param {string} selector */
  table(selector) {
    return /** @type {HTMLTableElement} */ (this.root.querySelector(selector));
  }
}

/** @param {Cell[]} trail */
function wayOf(trail) {
  return trail.map(formatCell).join(" ");
}

/**
 * @param {Run} run
 * @param {Cell[]} trail
 */
function openLast(run, trail) {
  if (!trail.length) return null;
  try {
    return openCell(run, trail[trail.length - 1]);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * @param {Cell} cell
 * @param {number} at  in the trail
 * @param {Words} words
 */
function crumb(cell, at, words) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.crumb = String(at);
  button.textContent = words.tensor(cell);
  button.setAttribute("aria-label", words.place(cell));
  return button;
}
