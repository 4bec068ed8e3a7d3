import { largestDifference } from "../lib/differences.js";
import { comingFragment, parseFragment, prefixed, rememberInAddress } from
  "../lib/fragment.js";
import { visible } from "../lib/labels.js";
import {
  chunkRows, findingsOf, movedBorder, possibleChunk,
} from "../lib/mask-alignment.js";
import { headMatrix, rowOf } from "../lib/matrix.js";
import { ModelFigure } from "../lib/model-figure.js";
import { announce, fillParts, showWhen } from "../lib/page-parts.js";
import { currentRun, loadModel } from "../lib/runs.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { showState, stateIn } from "./mask-aligner/controls.js";
import { drawTable } from "./mask-aligner/table.js";
import { writePanel } from "./mask-aligner/words.js";

/**
 * The mask aligner: the reader moves a chunk's borders and picks a mask; shown are the
 * weights that this mask gives with the run's scores, and by what one knows it.
 *
 * Attributes: data-trace, data-layer, data-head, data-stored, data-count; data-masked
 * (the word for a forbidden cell); data-address.
 *
 * @typedef {import("../lib/mask-alignment.js").MaskName} MaskName
 *
 * @typedef {object} State
 * @property {number} layer
 * @property {number} head
 * @property {number} stored  positions of earlier calls
 * @property {number} count   new positions
 * @property {MaskName} mask
 */

export class MaskAligner extends ModelFigure {
  constructor() {
    super();
    /** @type {State} */
    this.state = { layer: 0, head: 0, stored: 0, count: 1, mask: "right" };
    /** @type {State} as the page came */
    this.usual = this.state;
  }

  async start() {
    const { agrees } = await loadModel(this.traceId);
    showWhen(this, { disagrees: !agrees, rounding: !agrees });
    this.run = currentRun(this.traceId); // as recorded, where it does not agree
    const [layer, head, stored, count] = ["layer", "head", "stored", "count"].map(
      (name) => Number(this.dataset[name]));
    this.usual = { layer, head, stored, count, mask: "right" };
    this.state = this.usual;
    this.listen();
    this.readAddress();
    this.draw();
    this.toggleAttribute("data-ready", true);
  }

  listen() {
    this.addEventListener("input", (event) => this.onBorder(event));
    this.addEventListener("change", (event) => this.onControl(event));
    this.stopHearing = hearSelections(this.traceId, this, ({ layer, head }) => {
      if (this.change({ layer, head })) this.draw();
    });
    addEventListener("hashchange", () => this.readAddress() && this.draw());
  }

  /**
   * While a border is dragged it moves along.
   * @param {Event} event
   */
  onBorder(event) {
    const { dataset: { control }, value } = /** @type {HTMLInputElement} */ (
      event.target);
    if (control !== "begin" && control !== "end") return;
    const chunk = movedBorder(this.state, control, Number(value), this.positions);
    if (!this.choose(chunk)) showState(this, this.state); // it stops at the other one
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const { value, dataset: { control: name } } = control;
    if (name === "stored" || name === "count") {
      const wanted = { ...this.state, [name]: Number(value) };
      this.choose(possibleChunk(wanted, this.positions));
      showState(this, this.state);
    } else if (control.closest(".pick-mask")) {
      this.choose({ mask: /** @type {MaskName} */ (value) });
    } else if (control.type === "radio") {
      const picked = control.closest(".pick-layer") ? "layer" : "head";
      this.choose({ [picked]: Number(value) });
    }
  }

  get positions() {
    return this.run?.tokens.length ?? 0;
  }

  /**
   * Change the state as the reader wishes; tell the other figures and the address.
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  choose(change) {
    const { layer, head } = this.state;
    if (!this.change(change)) return false;
    this.draw();
    const panel = this.querySelector(`[data-mask="${this.state.mask}"]`);
    announce(this.querySelector(".announcement"),
      panel?.querySelector(".sentence") ?? null);
    const chosen = { layer: this.state.layer, head: this.state.head };
    if (chosen.layer !== layer || chosen.head !== head) {
      tellSelection({ trace: this.traceId, ...chosen, origin: this });
    }
    this.remember();
    return true;
  }

  /** Write into the address what is not as the page came. */
  remember() {
    const { state, usual } = this;
    /** @param {keyof State} name */
    const said = (name) => state[name] === usual[name] ? null : state[name];
    rememberInAddress(prefixed(this.dataset.address || "", {
      layer: said("layer"), head: said("head"), stored: said("stored"),
      new: said("count"), mask: said("mask"),
    }));
  }

  /**
   * Change the state; what the run has no room for stays as it was.
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  change(change) {
    const said = Object.entries(change).filter(([, value]) => value !== undefined);
    const wanted = { ...this.state, ...Object.fromEntries(said) };
    const differs = said.some(([name, value]) =>
      this.state[/** @type {keyof State} */ (name)] !== value);
    if (!differs || !this.holds(wanted)) return false;
    this.state = wanted;
    return true;
  }

  /** @param {State} state */
  holds({ layer, head, stored, count }) {
    const scores = this.run?.tensors[`layers.${layer}.scores`];
    return scores !== undefined && head < scores.shape[1] && count > 0
      && stored + count <= this.positions;
  }

  /** Return whether the address says another state. */
  readAddress() {
    return this.change(stateIn(parseFragment(comingFragment()),
      this.dataset.address || ""));
  }

  draw() {
    const { run, state } = this;
    if (!run) return;
    const { layer, head, mask } = state;
    const [scores, weights] = ["scores", "weights"].map((kind) =>
      headMatrix(run.tensors[`layers.${layer}.${kind}`], head));
    const rows = chunkRows(scores, state, mask);
    showState(this, state);
    showWhen(this, { above: layer > 0 });
    const panel = this.showPanel(mask);
    const difference = Math.max(...chunkRows(scores, state, "right").map((row) =>
      largestDifference(rowOf(weights, row.position), row.weights)));
    drawTable(/** @type {HTMLTableElement} */ (panel.querySelector("table")), {
      rows, stored: state.stored, masked: this.dataset.masked ?? "",
      labels: run.labels.map(visible),
    });
    writePanel(panel, { rows, findings: findingsOf(rows), difference });
    fillParts(this, { layer, count: state.count });
  }

  /**
   * Show one mask's panel and return it.
   * @param {MaskName} mask
   */
  showPanel(mask) {
    const panels = /** @type {HTMLElement[]} */ ([...this.querySelectorAll(".panel")]);
    for (const panel of panels) panel.hidden = panel.dataset.mask !== mask;
    return /** @type {HTMLElement} */ (panels.find(({ hidden }) => !hidden));
  }
}

if (!customElements.get("mask-aligner")) {
  customElements.define("mask-aligner", MaskAligner);
}
