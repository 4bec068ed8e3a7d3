import { Palette } from "../../lib/palette.js";
import { TensorBox } from "./boxes.js";
import { drawNext, drawSoftmax } from "./softmax.js";
import { drawSplit } from "./split.js";
import { rampOf, sentences } from "./words.js";

/**
 * The pictures of a walk's steps: each tensor's box, and what a step shows beside them.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("../../lib/computed-run.js").Run} Run
 */

/** @type {Record<string, typeof drawSplit>} */
const EXTRAS = { softmax: drawSoftmax, split: drawSplit, next: drawNext };

export class Pictures {
  /** @param {() => void} repaint  called when the page's colours change */
  constructor(repaint) {
    this.sentences = sentences();
    const [signed, shares] = /** @type {const} */ (["signed", "shares"]).map((name) =>
      new Palette(rampOf(name), repaint));
    this.palettes = { signed: () => signed.read(), shares: () => shares.read() };
    /** @type {Map<Element, TensorBox>} */
    this.boxes = new Map();
  }

  /**
   * @param {Run} run
   * @param {Step} step
   * @param {State} state
   * @param {number} layer  that the step's names are of
   */
  draw(run, step, state, layer) {
    for (const element of step.element.querySelectorAll(".tensor")) {
      this.boxFor(/** @type {HTMLElement} */ (element)).draw(run, state, layer);
    }
    for (const found of step.element.querySelectorAll("[data-extra]")) {
      const element = /** @type {HTMLElement} */ (found);
      element.hidden = false;
      EXTRAS[element.dataset.extra || ""](element, run, state);
    }
  }

  /**
   * Take the values away that the page came with and that no box has drawn anew: what
   * is not there need not be searched for at each step.
   * @param {HTMLElement[]} elements  of the steps
   */
  clear(elements) {
    const boxes = elements.flatMap((step) => [...step.querySelectorAll(".tensor")]);
    for (const box of boxes) {
      if (!this.boxes.has(box)) box.querySelector(".values")?.replaceChildren();
    }
  }

  /**
   * Put the opened number below what a step makes, near the cells.
   * @param {HTMLElement | undefined} opened
   * @param {Step} step
   */
  place(opened, step) {
    const makes = step.element.querySelector(".walk-makes");
    if (opened && makes?.nextElementSibling !== opened) makes?.after(opened);
  }

  /** @param {HTMLElement} element */
  boxFor(element) {
    const box = this.boxes.get(element)
      ?? new TensorBox(element, this.sentences, this.palettes);
    this.boxes.set(element, box);
    return box;
  }

  /**
   * Return the view and the cell that an event is about, or null.
   * @param {Event} event
   */
  placeOf(event) {
    const target = /** @type {Element} */ (event.target);
    const box = this.boxes.get(/** @type {Element} */ (target.closest(".tensor")));
    const place = box?.panel?.placeOf(event);
    return box?.view && place ? { box, view: box.view, place } : null;
  }

  /**
   * Put the focus on the chosen cell of what a step makes.
   * @param {Step} step
   */
  focus(step) {
    const output = step.element.querySelector('[data-role="output"]');
    this.boxes.get(/** @type {Element} */ (output))?.panel?.focusCell();
  }
}
