import { Cache } from "./cache.js";
import { largestDifference, largestSize } from "./differences.js";
import { rowAxisOf } from "./tensor-axes.js";
import { sizeOf } from "./tensors.js";
import { recordTensors } from "./tiny-llama.js";

/**
 * A sequence in calls that share a cache, and what one call over all tokens so far
 * would have made in place of each.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {import("./tiny-llama.js").TinyLlama} TinyLlama
 *
 * @typedef {object} Call
 * @property {number} stored  positions of earlier calls
 * @property {number} fresh   new positions
 * @property {Record<string, Tensor>} tensors  of the new positions, in order of making
 * @property {{token: number, probability: number}} next  the likeliest after them
 */

const KEPT_CUTS = 32; // a border that is dragged to and fro meets the same cuts again

/**
 * Return the calls of a sequence.  Throws RangeError where the sizes are more than the
 * cache takes.
 * @param {TinyLlama} model
 * @param {number[]} tokens
 * @param {number[]} sizes  of the calls, together as many as there are tokens
 * @param {Cache} [cache]   empty
 * @returns {Call[]}
 */
export function stepThrough(model, tokens, sizes,
  cache = new Cache(model, 1, tokens.length)) {
  let stored = 0;
  return sizes.map((fresh) => {
    const chunk = tokens.slice(stored, stored + fresh);
    const tensors = recordTensors(model, [chunk], cache);
    const call = { stored, fresh, tensors, next: likeliest(tensors.next_token_probs) };
    stored += fresh;
    return call;
  });
}

/** @param {Tensor} probabilities  [1, V] */
function likeliest({ values }) {
  const probability = Math.max(...values);
  return { token: values.indexOf(probability), probability };
}

/**
 * Return how far a call's tensors are from those that one call over all tokens so far
 * makes of the same positions: the largest difference, over the largest size of those
 * rows.  Scores and weights have the same keys in both.
 * @param {Call} call
 * @param {Record<string, Tensor>} whole  of that one call
 */
export function differenceOfCall({ fresh, tensors }, whole) {
  return Math.max(...Object.entries(tensors).map(([name, { values }]) => {
    const rows = lastRows(whole[name], rowAxisOf(name), fresh);
    return largestDifference(values, rows) / (largestSize(rows) || 1);
  }));
}

/**
 * Return a tensor's numbers of the last positions.
 * @param {Tensor} tensor
 * @param {number} axis   of the positions; -1: none, the tensor is of the last one
 * @param {number} count
 */
export function lastRows({ shape, values }, axis, count) {
  if (axis < 0) return values;
  const width = sizeOf(shape.slice(axis + 1));
  const block = shape[axis] * width;
  const kept = count * width;
  const rows = new Float64Array(values.length / block * kept);
  for (let n = 0; n * block < values.length; n++) {
    rows.set(values.subarray((n + 1) * block - kept, (n + 1) * block), n * kept);
  }
  return rows;
}

/** The calls of one sequence, for every way to cut it; each is computed once. */
export class Generation {
  /**
   * @param {TinyLlama} model
   * @param {number[]} tokens
   */
  constructor(model, tokens) {
    this.model = model;
    this.tokens = tokens;
    /** @type {Map<string, Call[]>} */
    this.cuts = new Map();
    /** @type {Map<number, Record<string, Tensor>>} */
    this.wholes = new Map();
  }

  /**
   * @param {number[]} sizes
   * @returns {Call[]}
   */
  calls(sizes) {
    const key = sizes.join("-");
    const calls = this.cuts.get(key) ?? stepThrough(this.model, this.tokens, sizes);
    this.cuts.delete(key); // the one used last stands last
    this.cuts.set(key, calls);
    if (this.cuts.size > KEPT_CUTS) this.cuts.delete([...this.cuts.keys()][0]);
    return calls;
  }

  /**
   * Return every tensor of one call over the first tokens.
   * @param {number} end  how many
   */
  whole(end) {
    const made = this.wholes.get(end)
      ?? recordTensors(this.model, [this.tokens.slice(0, end)]);
    this.wholes.set(end, made);
    return made;
  }

  /** @param {Call} call */
  differenceOf(call) {
    return differenceOfCall(call, this.whole(call.stored + call.fresh));
  }
}
