import { visible } from "../../lib/labels.js";
import {
  differenceOf, firstItem, forbiddenCells, headMatrix, partnerOf,
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
  /** @param {import("../../lib/trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.layers = 0;
    while (`layers.${this.layers}.weights` in trace.tensors) this.layers++;
    if (!this.layers) throw new TraceError("unreadable", "the trace has no weights");
    const [, heads, queries, keys] = trace.tensors["layers.0.weights"].shape;
    this.heads = heads;
    this.size = { queries, keys };
    this.groupSize = heads / (trace.model.num_key_value_heads || heads);
    this.forbidden = forbiddenCells(firstItem(trace.input.position_ids), queries, keys);
    this.keyLabels = labelsOf(trace, keys);
    this.queryLabels = this.keyLabels.slice(keys - queries);
    this.layer = -1;
    /** @type {Tensor | null} */
    this.weights = null;
    /** @type {Tensor | null} before the mask, where they were recorded */
    this.scores = null;
    /** @type {Map<string, import("../../lib/matrix.js").Matrix>} of the loaded layer */
    this.matrices = new Map();
  }

  /**
   * Return whether the trace has room for a value of the state.
   * @param {string} name
   * @param {number | boolean} value
   */
  holds(name, value) {
    const limits = { layer: this.layers, head: this.heads,
      query: this.size.queries, key: this.size.keys };
    if (name === "compare") return this.groupSize > 1;
    if (!(name in limits)) return true;
    const limit = limits[/** @type {keyof typeof limits} */ (name)];
    return Number.isInteger(value) && Number(value) >= 0 && Number(value) < limit;
  }

  /** @param {number} layer */
  has(layer) {
    return layer === this.layer;
  }

  /** @param {number} layer */
  async load(layer) {
    const scores = `layers.${layer}.scores`;
    const tensors = await Promise.all([
      readTensor(this.trace, `layers.${layer}.weights`),
      scores in this.trace.tensors ? readTensor(this.trace, scores) : null,
    ]);
    [this.weights, this.scores] = tensors;
    this.layer = layer;
    this.matrices.clear();
  }

  /**
   * Return the three pictures of a state; null for what it does not show.
   * @param {State} state
   */
  of(state) {
    const partnerHead = partnerOf(state.head, this.groupSize) ?? state.head;
    const both = state.compare;
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
      matrix: this.matrix(head),
      scores: this.scores && headMatrix(this.scores, head),
      forbidden: this.forbidden, query: state.query, key: state.key, root: state.root,
      queryLabels: this.queryLabels, keyLabels: this.keyLabels,
    };
  }

  /**
   * @param {State} state
   * @param {number} other
   * @returns {HeadPicture}
   */
  difference(state, other) {
    const matrix = this.kept(`${state.head} − ${other}`, () =>
      differenceOf(this.matrix(state.head), this.matrix(other)));
    return { ...this.picture(state, state.head, other), kind: "difference", matrix };
  }

  /** @param {number} head */
  matrix(head) {
    return this.kept(String(head), () => {
      if (!this.weights) throw new TraceError("unreadable", "no layer is loaded");
      return headMatrix(this.weights, head);
    });
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
