import { blockOf, zeros } from "./tensors.js";

/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Keys and values of the positions so far, in arrays that are made once. */
export class Cache {
  /**
   * @param {import("./tiny-llama.js").TinyLlama} model
   * @param {number} batch
   * @param {number} capacity  positions
   * @param {number} [firstPosition]
   */
  constructor(model, batch, capacity, firstPosition = 0) {
    const { num_hidden_layers, num_key_value_heads, head_dim } = model.config;
    const shape = [batch, num_key_value_heads, capacity, head_dim];
    const layers = Array.from({ length: num_hidden_layers });
    this.keys = layers.map(() => zeros(shape));
    this.values = layers.map(() => zeros(shape));
    this.batch = batch;
    this.capacity = capacity;
    this.length = 0;
    this.firstPosition = firstPosition;
  }

  /**
   * Return the next position ids, and all keys'.  Throws RangeError if full.
   * @param {number} batch
   * @param {number} count
   */
  positions(batch, count) {
    const end = this.length + count;
    if (batch !== this.batch || end > this.capacity) {
      throw new RangeError(`${batch} x ${count} tokens after ${this.length} do not ` +
        `fit a cache for ${this.batch} x ${this.capacity}`);
    }
    const keys = Array.from({ length: end }, (_, i) => this.firstPosition + i);
    return { queryPositions: keys.slice(this.length), keyPositions: keys };
  }

  /**
   * Store a layer's new keys and values, [B, Hkv, T, dh]; return all of them,
   * [B, Hkv, S, dh].
   * @param {number} layer
   * @param {Tensor} k
   * @param {Tensor} v
   */
  store(layer, k, v) {
    return {
      k: this.append(this.keys[layer], k), v: this.append(this.values[layer], v),
    };
  }

  /**
   * @param {Tensor} kept
   * @param {Tensor} added
   */
  append(kept, added) {
    const [batch, heads, count, headDim] = added.shape;
    const end = this.length + count;
    const all = zeros([batch, heads, end, headDim]);
    for (let n = 0; n < batch * heads; n++) {
      blockOf(kept, n).set(blockOf(added, n), this.length * headDim);
      blockOf(all, n).set(blockOf(kept, n).subarray(0, end * headDim));
    }
    return all;
  }
}
