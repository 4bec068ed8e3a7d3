/**
 * The source reader: operations, their lines, and the lines' operations.
 *
 * Without this script the list of operations is links that lead to their lines, marked
 * by :target.  With it the page stays where it is while the reader chooses, the choice
 * is told to the other figures, and lines can be chosen and copied.
 */

import { copyText } from "../lib/clipboard.js";
import { parseFragment, rememberInAddress, rememberPlace } from "../lib/fragment.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { fill } from "../lib/sentences.js";

const LINES_ABOVE = 4; // of what comes before a chosen place, left in view

/** @param {Element} line */
function numberOf(line) {
  return Number(line.id.slice(1));
}

class SourceReader extends HTMLElement {
  constructor() {
    super();
    this.step = "";
    /** @type {() => void} */
    this.stopHearing = () => {};
  }

  connectedCallback() {
    this.dataset.live = "";
    this.find(".controls").hidden = false;
    this.listen();
    // The browser scrolls to the address when the page is loaded; come after it.
    if (this.followAddress()) addEventListener("load", this, { once: true });
  }

  disconnectedCallback() {
    this.stopHearing();
    removeEventListener("hashchange", this);
  }

  /**
   * @param {string} selector
   * @returns {HTMLElement}
   */
  find(selector) {
    return /** @type {HTMLElement} */ (this.querySelector(selector));
  }

  get listing() {
    return this.find(".listing");
  }

  get operations() {
    return this.find(".operations");
  }

  get lineField() {
    return /** @type {HTMLInputElement} */ (this.find("[data-control=line]"));
  }

  get stepButton() {
    return /** @type {HTMLButtonElement} */ (this.find("[data-copy=step]"));
  }

  get trace() {
    return this.dataset.trace || "";
  }

  listen() {
    const { listing, operations, stepButton } = this;
    operations.addEventListener("click", (event) => this.clickList(event));
    listing.addEventListener("click", (event) => this.clickLine(event));
    this.lineField.addEventListener("input", () => this.enterLine());
    stepButton.addEventListener("click", () => this.copy(this.stepLines(this.step)));
    this.find("[data-copy=file]").addEventListener("click", () => this.copy(listing));
    addEventListener("hashchange", this);
    this.stopHearing = hearSelections(this.trace, this, ({ step }) => {
      if (step !== undefined && step !== this.step) this.showStep(step);
    });
  }

  /** The address names something, now or since the page was loaded: show it whole. */
  handleEvent() {
    if (this.followAddress()) this.find(".reader").scrollIntoView();
  }

  /** Show what the address names; return whether it is a place in this file. */
  followAddress() {
    const step = parseFragment(location.hash).get("step");
    if (step) this.showStep(step);
    const target = document.getElementById(location.hash.slice(1));
    if (!target || !this.listing.contains(target)) return false;
    if (target.classList.contains("line")) this.showLine(target);
    else this.showStep(target.id.replace("step-", ""));
    return true;
  }

  /** @param {MouseEvent} event */
  clickList(event) {
    const link = /** @type {Element} */ (event.target).closest(".name");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.chooseStep(link.closest("li")?.dataset.step || "");
  }

  /** @param {MouseEvent} event */
  clickLine(event) {
    const line = /** @type {Element} */ (event.target).closest(".line");
    const selecting = !document.getSelection()?.isCollapsed;
    if (line && !selecting) this.chooseLine(line);
  }

  enterLine() {
    const line = document.getElementById(`L${this.lineField.value}`);
    if (line) this.chooseLine(line);
  }

  /** @param {string} step */
  chooseStep(step) {
    this.showStep(step);
    rememberInAddress({ step });
    this.tell();
  }

  /** @param {Element} line */
  chooseLine(line) {
    this.showLine(line);
    rememberPlace(line.id);
    this.tell();
  }

  tell() {
    if (this.step) tellSelection({ trace: this.trace, step: this.step, origin: this });
  }

  /** @param {string} step  one that the file does not mark changes nothing */
  showStep(step) {
    const lines = this.stepLines(step);
    if (!lines) return;
    this.mark(step, null);
    this.reveal(lines);
    this.say(this.dataset.chosen, this.about(step, lines));
  }

  /** @param {Element} line */
  showLine(line) {
    const lines = line.closest(".step");
    const step = lines ? lines.id.replace("step-", "") : "";
    const number = numberOf(line);
    this.mark(step, line);
    this.reveal(line);
    if (this.lineField.value !== String(number)) this.lineField.value = String(number);
    const about = lines ? this.about(step, lines) : {};
    const sentence = lines ? this.dataset.belongs : this.dataset.outside;
    this.say(sentence, { line: number, ...about });
  }

  /** @param {string} step */
  stepLines(step) {
    const lines = document.getElementById(`step-${step}`);
    return lines && this.listing.contains(lines) ? lines : null;
  }

  /**
   * @param {string} step
   * @param {Element} lines
   */
  about(step, lines) {
    const numbers = [...lines.children].map(numberOf);
    const role = this.entry(step)?.querySelector(".role")?.textContent || "";
    return { step, role, first: numbers[0], last: numbers[numbers.length - 1] };
  }

  /** @param {string} step */
  entry(step) {
    return this.querySelector(`.operations li[data-step="${CSS.escape(step)}"]`);
  }

  /**
   * Mark a step, none where it is "", and a line of it.
   * @param {string} step
   * @param {Element | null} line
   */
  mark(step, line) {
    this.step = step;
    for (const old of this.listing.querySelectorAll(".chosen")) {
      old.classList.remove("chosen");
    }
    for (const old of this.querySelectorAll("[aria-current]")) {
      old.removeAttribute("aria-current");
    }
    this.stepLines(step)?.classList.add("chosen");
    line?.classList.add("chosen");
    const entry = this.entry(step);
    entry?.querySelector(".name")?.setAttribute("aria-current", "true");
    if (entry) this.scrollWithin(this.operations, entry, 0);
    this.stepButton.disabled = !step;
  }

  /**
   * Scroll the listing, and nothing else, to a place.
   * @param {Element} place
   */
  reveal(place) {
    const above = LINES_ABOVE * parseFloat(getComputedStyle(this.listing).lineHeight);
    this.scrollWithin(this.listing, place, above);
  }

  /**
   * Scroll a box so that a place begins in the part of it that is in the window.
   * @param {Element} box
   * @param {Element} place
   * @param {number} above  pixels of the box to leave in view before the place
   */
  scrollWithin(box, place, above) {
    const frame = box.getBoundingClientRect();
    const { top, bottom } = place.getBoundingClientRect();
    const upper = Math.max(frame.top, 0);
    const lower = Math.min(frame.bottom, innerHeight);
    if (top < upper || bottom > lower) box.scrollTop += top - upper - above;
  }

  /** @param {Element | null} lines */
  async copy(lines) {
    if (!lines) return;
    const text = lines.textContent || "";
    const copied = await copyText(text);
    const count = lines.querySelectorAll(".line").length;
    this.say(copied ? this.dataset.copied : this.dataset.refused, { count });
  }

  /**
   * @param {string | undefined} sentence
   * @param {Record<string, string | number>} values
   */
  say(sentence, values) {
    this.find(".status").textContent = fill(sentence || "", values);
  }
}

customElements.define("source-reader", SourceReader);
