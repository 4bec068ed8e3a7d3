import { fixed } from "../../lib/numbers.js";
import { fillParts } from "../../lib/page-parts.js";
import { ValueMap } from "./canvas.js";
import { ValueTable } from "./grid.js";
import { nameIn } from "./steps.js";
import { viewOf } from "./views.js";

/**
 * A tensor's place in a step: its name, axes and scale in words, and its values as a
 * table or a canvas.
 *
 * @typedef {import("./views.js").View} View
 * @typedef {import("./address.js").State} State
 * @typedef {import("../../lib/computed-run.js").Run} Run
 */

const TABLE_LIMIT = 32;
const WIDTH = { input: 390, parameter: 390, output: 780 }; // pixels
const DIGITS = 2;

export class TensorBox {
  /**
   * @param {HTMLElement} element
   * @param {import("./words.js").Sentences} sentences
   * @param {import("./canvas.js").Palettes} palettes
   */
  constructor(element, sentences, palettes) {
    this.element = element;
    this.sentences = sentences;
    this.palettes = palettes;
    this.role = /** @type {keyof typeof WIDTH} */ (element.dataset.role);
    this.pattern = element.dataset.tensor || "";
    /** @type {ValueTable | ValueMap | undefined} */
    this.panel = undefined;
    /** @type {View | undefined} */
    this.view = undefined;
  }

  /** Whether its values are seen: a weight's are once the reader wants them. */
  get open() {
    return this.element.matches(":not(details), [open]");
  }

  /**
   * @param {Run} run
   * @param {State} state
   * @param {number} layer
   */
  draw(run, state, layer) {
    const name = nameIn(this.pattern, layer);
    const view = viewOf(run, { name, parameter: this.role === "parameter" }, state);
    this.view = view;
    const end = view.scale === null ? "" : fixed(view.scale, DIGITS);
    const lengths = view.axes.map((axis, i) => `${axis} ${view.shape[i]}`);
    const heading = this.element.firstElementChild;
    if (heading) fillParts(heading, { name, shape: `[${lengths.join(", ")}]`, end });
    if (this.open) this.panelFor(view).draw(view);
  }

  /** @param {View} view */
  panelFor({ rows, columns }) {
    const fits = this.role === "output" && Math.max(rows, columns) <= TABLE_LIMIT;
    const Kind = fits ? ValueTable : ValueMap;
    if (this.panel instanceof Kind) return this.panel;
    const box = /** @type {HTMLElement} */ (this.element.querySelector(".values"));
    this.panel = fits ? new ValueTable(box, this.sentences)
      : new ValueMap(box, this.sentences, this.palettes, WIDTH[this.role]);
    return this.panel;
  }
}
