import {
  changedPositions, entryChanges, replacementOf, samePrefix,
} from "../lib/dependencies.js";
import { largestDifference } from "../lib/differences.js";
import {
  comingFragment, countIn, parseFragment, prefixed, rememberInAddress,
} from "../lib/fragment.js";
import { visible } from "../lib/labels.js";
import { ModelFigure } from "../lib/model-figure.js";
import { announce, fillParts, showWhen } from "../lib/page-parts.js";
import { powerOfTen } from "../lib/powers.js";
import { rangesOf } from "../lib/ranges.js";
import { currentRun, loadModel } from "../lib/runs.js";
import { fill } from "../lib/sentences.js";
import { ChangeTable } from "./dependency-triangle/change-table.js";

/**
 * The dependency triangle: the reader replaces one token; the page runs the model with
 * each token replaced, and shows which cached entries changed, and how far.
 *
 * Attributes: data-trace; data-at, data-to (the replaced position, the new token);
 * data-changes (what the build computed for that token, [L * T * T]); data-same (the
 * word for a cell that did not change); data-address.
 *
 * @typedef {import("../lib/dependencies.js").LayerChanges} LayerChanges
 * @typedef {{at: number, to: number}} State
 */

const KINDS = /** @type {const} */ (["keys", "values"]);

export class DependencyTriangle extends ModelFigure {
  constructor() {
    super();
    /** @type {State} */
    this.state = { at: 0, to: 0 };
    /** @type {Map<number, LayerChanges[]>} by the new token */
    this.computed = new Map();
    /** @type {ChangeTable[]} by layer */
    this.triangles = [];
    /** @type {ChangeTable | null} */
    this.strip = null;
  }

  async start() {
    const { agrees } = await loadModel(this.traceId);
    showWhen(this, { disagrees: !agrees });
    this.toggleAttribute("data-still", !agrees); // no place for what is not drawn
    if (!agrees) return;
    this.readPage();
    this.listen();
    this.readAddress();
    this.draw();
    this.toggleAttribute("data-ready", true);
  }

  /** Take over what the page came with. */
  readPage() {
    this.run = currentRun(this.traceId);
    const { at, to, changes = "[]", same = "" } = this.dataset;
    /** @type {number[]} */
    this.built = JSON.parse(changes);
    this.usual = { at: Number(at), to: Number(to) };
    this.state = { ...this.usual };
    this.triangles = [...this.querySelectorAll(".triangles table")].map((table) =>
      new ChangeTable(/** @type {HTMLTableElement} */ (table), same));
    const strip = /** @type {HTMLTableElement} */ (this.querySelector(".entries"));
    this.strip = new ChangeTable(strip, same);
    for (const triangle of this.triangles) triangle.makeGrid(this.usual.at);
  }

  listen() {
    this.addEventListener("change", (event) => this.onControl(event));
    this.addEventListener("keydown", (event) => this.onKey(event));
    this.addEventListener("click", (event) => this.onPlace(event));
    addEventListener("hashchange", () => this.readAddress() && this.draw());
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const value = Number(control.value);
    this.choose(control.dataset.control === "to" ? { to: value } : { at: value });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const triangle = this.triangles.find(({ table }) => table.contains(
      /** @type {Node} */ (event.target)));
    const row = triangle?.moveBy(event, getComputedStyle(this).direction === "rtl");
    if (row === undefined) return;
    event.preventDefault();
    this.choose({ at: row });
  }

  /** @param {Event} event */
  onPlace(event) {
    for (const triangle of this.triangles) {
      const row = triangle.rowOf(event);
      if (row !== undefined) this.choose({ at: row });
    }
  }

  /**
   * Change the state as the reader wishes, and the address.
   * @param {Partial<State>} change
   */
  choose(change) {
    if (!this.change(change)) return;
    this.draw();
    announce(this.querySelector(".announcement"), this.querySelector(".sentence"));
    const { state: { at, to }, usual } = this;
    rememberInAddress(prefixed(this.dataset.address || "", {
      replace: at === usual?.at ? null : at, with: to === usual?.to ? null : to,
    }));
  }

  /**
   * Change the state; what the trace has no room for stays as it was.
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  change({ at = this.state.at, to = this.state.to }) {
    const { run, state } = this;
    if (!run || (at === state.at && to === state.to)) return false;
    if (at >= run.tokens.length || to >= run.model.config.vocab_size) return false;
    this.state = { at, to };
    return true;
  }

  /** Return whether the address says another state. */
  readAddress() {
    const said = parseFragment(comingFragment());
    const prefix = this.dataset.address || "";
    const [at, to] = ["replace", "with"].map((name) => countIn(said, prefix + name));
    return [{ at }, { to }].map((change) => this.change(change)).some(Boolean);
  }

  /** Return what the model computes for the chosen token. */
  changes() {
    const { state: { to }, run } = this;
    const known = this.computed.get(to);
    if (known || !run) return known ?? [];
    const changes = entryChanges(run.model, run.tokens, to);
    this.computed.set(to, changes);
    return changes;
  }

  draw() {
    const layers = this.changes();
    const { at } = this.state;
    const length = this.run?.tokens.length ?? 0;
    layers.forEach(({ either }, layer) => {
      this.triangles[layer].draw(rowsIn(either, length), at);
    });
    const chosen = layers.flatMap((layer) =>
      KINDS.map((kind) => rowsIn(layer[kind], length)[at]));
    this.strip?.draw(chosen);
    this.drawControls();
    this.drawWords(layers.map(({ either }) => rowsIn(either, length)[at]));
    this.drawComparison(layers);
  }

  drawControls() {
    for (const radio of this.querySelectorAll(".replaced input")) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === String(this.state.at);
    }
    const list = /** @type {HTMLSelectElement} */ (this.querySelector("select"));
    list.value = String(this.state.to);
  }

  /** @param {Float64Array[]} rows  the chosen one of each layer */
  drawWords(rows) {
    const { run, state: { at, to } } = this;
    if (!run) return;
    const changed = rows.map((row) => changedPositions(row));
    const same = samePrefix(changed, run.tokens.length);
    const token = replacementOf(run.tokens[at], to, run.model.config.vocab_size);
    const line = /** @type {HTMLElement} */ (this.querySelector(".sentence"));
    fillParts(line, {
      at, old: visible(run.labels[at]), new: visible(run.vocabulary[token]),
      layers: inWords(changed, line.dataset),
      same: rangesOf(Array.from({ length: same }, (_, p) => p)),
    });
    showWhen(line, {
      "prefix": same > 0, "no-prefix": same === 0, "next-token": token !== to,
    });
  }

  /** @param {LayerChanges[]} layers */
  drawComparison(layers) {
    const { run, built = [], usual, state: { to } } = this;
    const either = layers.flatMap((layer) => [...layer.either]);
    const length = run?.tokens.length ?? 0;
    fillParts(this, {
      runs: length + 1, entries: layers.length * length,
      token: visible(run?.vocabulary[to] ?? ""),
      difference: powerOfTen(largestDifference(either, built)),
    });
    showWhen(this, { compared: to === usual?.to });
  }
}

/**
 * @param {Float64Array} cells  [T * T]
 * @param {number} length
 */
function rowsIn(cells, length) {
  return Array.from({ length }, (_, row) =>
    cells.subarray(row * length, (row + 1) * length));
}

/**
 * Return where entries change, layer by layer, in words.
 * @param {number[][]} changed  positions, by layer
 * @param {Record<string, string | undefined>} words
 */
function inWords(changed, { layer: some = "", none = "" }) {
  return changed.map((positions, layer) => fill(positions.length ? some : none,
    { layer, positions: rangesOf(positions) })).join(", ");
}

if (!customElements.get("dependency-triangle")) {
  customElements.define("dependency-triangle", DependencyTriangle);
}
