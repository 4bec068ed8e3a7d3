import { callOf, sizesIn, takesUnknown } from "../lib/chunks.js";
import { comingFragment, parseFragment, prefixed, rememberInAddress } from
  "../lib/fragment.js";
import { Generation } from "../lib/generation.js";
import { visible } from "../lib/labels.js";
import { headMatrix } from "../lib/matrix.js";
import { ModelFigure } from "../lib/model-figure.js";
import { announce, fillParts, showWhen } from "../lib/page-parts.js";
import { currentRun, loadModel } from "../lib/runs.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { Borders } from "./cache-stepper/borders.js";
import { addressOf, showState, stateIn } from "./cache-stepper/controls.js";
import { drawTimeline, drawWeights } from "./cache-stepper/tables.js";
import { costsOf, rowsOf, writeSentence } from "./cache-stepper/words.js";

/**
 * The cache stepper: the reader cuts a sequence into calls; the page's model runs them
 * over one cache, and shows what each reads, writes and never reads again.
 *
 * Attributes: data-trace; data-sizes, data-prompt (of the recorded calls); data-call,
 * data-layer, data-head (what is shown first); data-counted (three lists that the build
 * counted: multiply-adds, those without a cache, bytes); data-item-bytes; data-masked
 * (the word for a forbidden cell); data-address.
 *
 * @typedef {import("../lib/generation.js").Call} Call
 *
 * @typedef {object} State
 * @property {number[]} sizes  of the calls
 * @property {number} call     the shown one's number, from zero
 * @property {number} layer
 * @property {number} head
 */

export class CacheStepper extends ModelFigure {
  constructor() {
    super();
    /** @type {State} */
    this.state = { sizes: [], call: 0, layer: 0, head: 0 };
    /** @type {State} as the page came */
    this.usual = this.state;
    /** @type {string[]} */
    this.labels = [];
  }

  async start() {
    const { agrees } = await loadModel(this.traceId);
    showWhen(this, { disagrees: !agrees });
    this.toggleAttribute("data-still", !agrees); // no place for what does nothing
    if (!agrees) return;
    this.readPage();
    this.listen();
    this.readAddress();
    this.draw();
    this.compareCounts();
    this.toggleAttribute("data-ready", true);
  }

  /** Take over what the page came with. */
  readPage() {
    const { sizes, call, layer, head } = this.dataset;
    this.run = currentRun(this.traceId);
    const { labels, model, tokens } = this.run;
    this.labels = labels.map(visible);
    this.generation = new Generation(model, tokens);
    this.usual = {
      sizes: sizesIn(sizes, tokens.length) ?? [tokens.length], call: Number(call),
      layer: Number(layer), head: Number(head),
    };
    this.state = this.usual;
    const row = /** @type {HTMLTableRowElement} */ (this.querySelector(".ends"));
    this.borders = new Borders(row, (cut, at) => this.cut(cut, at - 1));
  }

  listen() {
    this.addEventListener("change", (event) => this.onControl(event));
    this.addEventListener("click", (event) => this.onClick(event));
    this.stopHearing = hearSelections(this.traceId, this, ({ layer, head }) => {
      if (this.change({ layer, head })) this.draw();
    });
    addEventListener("hashchange", () => this.readAddress() && this.draw());
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const number = Number(control.value);
    if (control.dataset.control === "call") this.choose({ call: number });
    if (control.closest(".pick-layer")) this.choose({ layer: number });
    if (control.closest(".pick-head")) this.choose({ head: number });
    if (!control.closest(".pick-cut")) return;
    const sizes = sizesIn(control.value, this.labels.length);
    if (sizes) this.cut(sizes, this.lastShown());
  }

  /** @param {Event} event */
  onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const move = /** @type {HTMLElement | null} */ (target.closest("[data-move]"));
    const row = /** @type {HTMLTableRowElement | null} */ (
      target.closest(".timeline tbody tr"));
    if (move) this.choose({ call: this.state.call + Number(move.dataset.move) });
    if (row) this.choose({ call: row.sectionRowIndex });
  }

  /** Return the last position that the shown call takes. */
  lastShown() {
    const { sizes, call } = this.state;
    return sizes.slice(0, call + 1).reduce((sum, size) => sum + size, -1);
  }

  /**
   * Cut the sequence anew, and show the call that takes a position.
   * @param {number[]} sizes
   * @param {number} position
   */
  cut(sizes, position) {
    this.choose({ sizes, call: callOf(sizes, position) });
  }

  /**
   * Change the state as the reader wishes; tell the other figures and the address.
   * @param {Partial<State>} change
   */
  choose(change) {
    const { layer, head } = this.state;
    if (!this.change(change)) return;
    this.draw();
    announce(this.querySelector(".announcement"), this.querySelector(".sentence"));
    const chosen = { layer: this.state.layer, head: this.state.head };
    if (chosen.layer !== layer || chosen.head !== head) {
      tellSelection({ trace: this.traceId, ...chosen, origin: this });
    }
    rememberInAddress(prefixed(
      this.dataset.address || "", addressOf(this.state, this.usual)));
  }

  /**
   * Change the state; what the run has no room for stays as it was.
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  change(change) {
    const said = Object.entries(change).filter(([, value]) => value !== undefined);
    const wanted = { ...this.state, ...Object.fromEntries(said) };
    const differs = JSON.stringify(wanted) !== JSON.stringify(this.state);
    if (!differs || !this.holds(wanted)) return false;
    this.state = wanted;
    return true;
  }

  /** @param {State} state */
  holds({ sizes, call, layer, head }) {
    const weights = this.run?.tensors[`layers.${layer}.weights`];
    return weights !== undefined && head < weights.shape[1]
      && call >= 0 && call < sizes.length;
  }

  /** Return whether the address says another state; each part counts alone. */
  readAddress() {
    const { sizes, call, layer, head } = stateIn(parseFragment(comingFragment()),
      this.dataset.address || "", this.labels.length);
    return [{ sizes, call }, { layer }, { head }]
      .map((change) => this.change(change)).some(Boolean);
  }

  draw() {
    const { run, generation, state: { sizes, call: n, layer, head } } = this;
    if (!run || !generation) return;
    const calls = generation.calls(sizes);
    const costs = calls.map((call) => this.costsOf(call));
    const rows = rowsOf(calls, costs, run.vocabulary.map(visible));
    drawTimeline(this.table(".timeline"), rows, n);
    this.borders?.draw(sizes);
    showState(this, this.state);
    const whole = generation.whole(rows[n].end);
    for (const [name, tensors] of Object.entries({ cached: calls[n].tensors, whole })) {
      const matrix = headMatrix(tensors[`layers.${layer}.weights`], head);
      const { labels, dataset: { masked = "" } } = this;
      drawWeights(this.table(`[data-panel="${name}"] table`),
        { matrix, stored: calls[n].stored, labels, masked });
    }
    writeSentence(/** @type {HTMLElement} */ (this.querySelector(".shown-call")), {
      call: calls[n], costs: costs[n], parts: { ...rows[n].parts, calls: calls.length },
      difference: generation.differenceOf(calls[n]),
      isUnknown: takesUnknown(calls[n], Number(this.dataset.prompt)),
    });
  }

  /** @param {{stored: number, fresh: number}} call */
  costsOf(call) {
    const config = /** @type {import("../lib/tiny-llama.js").Config} */ (
      this.run?.model.config);
    return costsOf(config, call, Number(this.dataset.itemBytes));
  }

  /** Say so where the build counted otherwise for the recorded calls. */
  compareCounts() {
    const counted = JSON.parse(this.dataset.counted ?? "[]");
    const calls = this.generation?.calls(this.usual.sizes) ?? [];
    const costs = calls.map((call) => this.costsOf(call));
    const found = ["adds", "full", "bytes"].map((name) =>
      costs.map((cost) => cost[/** @type {"adds"} */ (name)]));
    fillParts(this, { counted: String(counted), found: String(found) });
    showWhen(this, { miscounted: String(counted) !== String(found) });
  }

  /** @param {string} selector */
  table(selector) {
    return /** @type {HTMLTableElement} */ (this.querySelector(selector));
  }
}

if (!customElements.get("cache-stepper")) {
  customElements.define("cache-stepper", CacheStepper);
}
