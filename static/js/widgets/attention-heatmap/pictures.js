import { visible } from "../../lib/labels.js";
import {
  differenceOf, firstItem, forbiddenCells, headMatrix, partnerOf, rowOf,
  withoutFirstKey,
} from "../../lib/matrix.js";
import { TraceError, readTensor } from "../../lib/trace.js";

/**
 * What a figure can show of its trace: a head, the head beside it, their difference.
 *
 * @typedef {import("./controls.js").State} State
 * @typedef {import("../../lib/trace.js").Tensor} Tensor
 * @typedef {import("./table.js").Picture} Picture
 * @typedef {Picture & {layer: number, head: number, other: number}} HeadPicture
 */
export class HeadPictures {
  /** @param {import("../../lib/computed-run.js").RunTrace} trace */
  constructor(trace) {
    this.trace = trace;
    this.layers = 0;
    while (`layers.${this.layers}.weights` in trace.tensors) this.layers++;
    if (!this.layers) throw new TraceError("unreadable", "the trace has no weights");
    const [, heads, queries, keys] = trace.tensors["layers.0.weights"].shape;
    this.heads = heads;
    this.size = { queries, keys };
    this.groupSize = heads / (trace.model.num_key_value_heads || heads);
    this.forbidden = trace.forbidden
      ?? forbiddenCells(firstItem(trace.input.position_ids), queries, keys);
    this.forbiddenAndFirst = this.forbidden.map((masked, i) => i % keys ? masked : 1);
    this.keyLabels = labelsOf(trace, keys);
    this.queryLabels = this.keyLabels.slice(keys - queries);
    this.layer = -1;
    this.measure = "";
    /** @type {Tensor | null} the weights, or the contributions */
    this.weights = null;
    /** @type {Tensor | null} before the mask, where they were recorded */
    this.scores = null;
    /** @type {Map<string, import("../../lib/matrix.js").Matrix>} of the loaded layer */
    this.matrices = new Map();
  }

  /**
   * Return the state that comes nearest to one among those the trace has room for.
   * @param {State} state
   * @returns {State}
   */
  nearest(state) {
    return {
      ...state,
      query: Math.min(state.query, this.size.queries - 1),
      key: Math.min(state.key, this.size.keys - 1),
      measure: this.holds("measure", state.measure) ? state.measure : "weights",
    };
  }

  /**
   * Return whether the trace has room for a value of the state.
   * @param {string} name
   * @param {number | string | boolean} value
   */
  holds(name, value) {
    const limits = { layer: this.layers, head: this.heads,
      query: this.size.queries, key: this.size.keys };
    if (name === "compare") return this.groupSize > 1;
    if (name === "measure") return `layers.0.${value}` in this.trace.tensors;
    if (!(name in limits)) return true;
    const limit = limits[/** @type {keyof typeof limits} */ (name)];
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit;
  }

  /** @param {State} state */
  has({ layer, measure }) {
    return layer === this.layer && measure === this.measure;
  }

  /** @param {State} state */
  async load({ layer, measure }) {
    const scores = `layers.${layer}.scores`;
    const tensors = await Promise.all([
      readTensor(this.trace, `layers.${layer}.${measure}`),
      scores in this.trace.tensors ? readTensor(this.trace, scores) : null,
    ]);
    [this.weights, this.scores] = tensors;
    this.layer = layer;
    this.measure = measure;
    this.matrices.clear();
  }

  /**
   * Return the three pictures of a state; null for what it does not show.
   * @param {State} state
   */
  of(state) {
    const partnerHead = partnerOf(state.head, this.groupSize) ?? state.head;
    const both = state.compare && this.groupSize > 1;
    return {
      partnerHead,
      head: this.picture(state, state.head, partnerHead),
      partner: both ? this.picture(state, partnerHead, state.head) : null,
      difference: both ? this.difference(state, partnerHead) : null,
    };
  }

  /**
   * @param {State} state
   * @param {number} head
   * @param {number} other
   * @returns {HeadPicture}
   */
  picture(state, head, other) {
    return {
      kind: "head", layer: this.layer, head, other,
      matrix: this.matrix(head, state.hide),
      scores: this.scores && headMatrix(this.scores, head),
      forbidden: state.hide ? this.forbiddenAndFirst : this.forbidden,
      query: state.query, key: state.key, root: state.root,
      digits: this.weights?.parts ? 3 : 6,
      queryLabels: this.queryLabels, keyLabels: this.keyLabels,
    };
  }

  /**
   * @param {State} state
   * @param {number} other
   * @returns {HeadPicture}
   */
  difference(state, other) {
    const { head, hide } = state;
    const matrix = this.kept(`${head} − ${other} ${hide}`, () =>
      differenceOf(this.matrix(head, hide), this.matrix(other, hide)));
    return { ...this.picture(state, state.head, other), kind: "difference", matrix };
  }

  /**
   * @param {number} head
   * @param {boolean} [hide]  without key 0
   */
  matrix(head, hide = false) {
    return this.kept(`${head} ${hide}`, () => {
      if (!this.weights) throw new TraceError("unreadable", "no layer is loaded");
      const matrix = headMatrix(this.weights, head);
      return hide ? withoutFirstKey(matrix) : matrix;
    });
  }

  /**
   * Return how far a number of the followed row may be from what was recorded, key 0
   * left out: by less than two of the whole parts that are left.  Rounded up.
   * @param {HeadPicture} picture
   */
  errorOf({ head, query }) {
    const parts = this.weights?.parts;
    if (!parts) return "0";
    const left = parts * (1 - rowOf(this.matrix(head), query)[0]);
    if (left < 2) return "1";
    const digit = 10 ** Math.floor(Math.log10(2 / left));
    return (Math.ceil(2 / left / digit) * digit).toPrecision(1);
  }

  /**
   * Return the same matrix for the same name, so that none is repainted unchanged.
   * @param {string} name
   * @param {() => import("../../lib/matrix.js").Matrix} make
   */
  kept(name, make) {
    const matrix = this.matrices.get(name) || make();
    this.matrices.set(name, matrix);
    return matrix;
  }

  /**
   * @param {string} trace  its id
   * @param {State} state
   * @returns {import("../../lib/copy-formats.js").CopySource}
   */
  copySource(trace, { head, query, key }) {
    return {
      trace, tensor: `layers.${this.layer}.weights`, head, query, key,
      matrix: this.matrix(head),
      queryLabels: this.queryLabels, keyLabels: this.keyLabels,
    };
  }
}

/**
 * @param {import("../../lib/trace.js").Trace} trace
 * @param {number} count
 */
function labelsOf(trace, count) {
  const labels = firstItem(trace.input.token_labels);
  return Array.from({ length: count }, (_, i) => visible(String(labels[i] ?? "")));
}
