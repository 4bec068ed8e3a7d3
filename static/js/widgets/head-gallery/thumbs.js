import {
  firstItem, forbiddenCells, headMatrix, withoutFirstKey,
} from "../../lib/matrix.js";
import { shrink } from "../../lib/sheet.js";
import { readTensor } from "../../lib/trace.js";

/**
 * The heads' small pictures: made of what has been loaded, as far as a frame allows.
 *
 * @typedef {object} ThumbWish
 * @property {"weights" | "contributions"} measure
 * @property {boolean} hide  position 0 is left out, the rest scaled up
 * @property {number} side   in pixels
 */
export class Thumbs {
  /** @param {import("../../lib/trace.js").Trace} trace */
  constructor(trace) {
    this.trace = trace;
    this.layers = 0;
    while (`layers.${this.layers}.weights` in trace.tensors) this.layers++;
    const [, heads, queries, keys] = trace.tensors["layers.0.weights"].shape;
    this.heads = heads;
    this.masked = forbiddenCells(firstItem(trace.input.position_ids), queries, keys);
    this.maskedAndFirst = this.masked.map((masked, i) =>
      i % keys === 0 ? 1 : masked);
    /** @type {Map<string, import("../../lib/trace.js").Tensor>} */
    this.tensors = new Map();
    /** @type {Map<number, Float32Array>} of the wish */
    this.made = new Map();
    this.wish = "";
  }

  get count() {
    return this.layers * this.heads;
  }

  /**
   * Load every layer; `arrived` is called after each.
   * @param {"weights" | "contributions"} measure
   * @param {() => void} arrived
   */
  async load(measure, arrived) {
    await Promise.all(Array.from({ length: this.layers }, async (_, layer) => {
      const name = `layers.${layer}.${measure}`;
      if (this.tensors.has(name)) return;
      this.tensors.set(name, await readTensor(this.trace, name));
      arrived();
    }));
  }

  /**
   * Make pictures until the time is up, and return those that there are.
   * @param {ThumbWish} wish
   * @param {number} until  as performance.now() tells the time
   * @returns {{made: Map<number, Float32Array>, waiting: boolean}}
   */
  make(wish, until) {
    const key = JSON.stringify(wish);
    if (key !== this.wish) this.made.clear();
    this.wish = key;
    for (let index = 0; index < this.count; index++) {
      if (this.made.has(index)) continue;
      const tensor = this.tensors.get(
        `layers.${Math.floor(index / this.heads)}.${wish.measure}`);
      if (!tensor) continue;
      if (performance.now() > until) return { made: this.made, waiting: true };
      this.made.set(index, this.small(headMatrix(tensor, index % this.heads), wish));
    }
    return { made: this.made, waiting: false };
  }

  /**
   * @param {import("../../lib/matrix.js").Matrix} matrix
   * @param {ThumbWish} wish
   */
  small(matrix, { hide, side }) {
    return hide
      ? shrink(withoutFirstKey(matrix), this.maskedAndFirst, side)
      : shrink(matrix, this.masked, side);
  }
}
