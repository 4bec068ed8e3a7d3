import { Cache } from "./cache.js";
import {
  OPERATIONS, allowedCells, attentionWeights, feedForward, mergeHeads, mixValues,
  passThrough, rmsNorm, rotaryAngles, rotate, softmax, splitHeads,
} from "./decoder-operations.js";
import { add, mapValues, matmul, reshape, takeRows, transpose } from "./tensors.js";

/**
 * The decoder of model/tiny_llama.py in the page: the same structure, names and order
 * of steps, in float64.  tests/model/test_javascript_model.py holds the two together.
 *
 * Axes: B batch items, T query positions of this call, S key positions, D hidden_size,
 * V vocab_size.
 *
 * Four tensors more are told to the tap than Python's, for figures that show every
 * step: q_flat, k_flat and v_flat, before the heads are split, and silu, of the gate.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {import("./decoder-operations.js").Operations} Operations
 * @typedef {import("./decoder-operations.js").Tap} Tap
 *
 * @typedef {object} Config  the sizes, under the names of Hugging Face's config.json
 * @property {number} hidden_size
 * @property {number} intermediate_size
 * @property {number} num_hidden_layers
 * @property {number} num_attention_heads
 * @property {number} num_key_value_heads
 * @property {number} head_dim
 * @property {number} vocab_size
 * @property {number} rope_theta
 * @property {number} rms_norm_eps
 * @property {boolean} tie_word_embeddings
 *
 * @typedef {object} Call  what the layers of one call share
 * @property {Tensor} cos  [T, dh/2]
 * @property {Tensor} sin
 * @property {Uint8Array} allowed  [T * S], 1 where the query may look
 * @property {Cache} cache
 * @property {Tap} keep
 */

/** The kinds of tensors that Python does not record. */
export const DERIVED = ["q_flat", "k_flat", "v_flat", "silu"];

const PER_LAYER = "attn_norm wq wk wv wo mlp_norm w_gate w_up w_down".split(" ");

/** A decoder with given weights, matrices [in, out]. */
export class TinyLlama {
  /**
   * @param {Config} config
   * @param {Record<string, Tensor>} weights  under the names of tiny_llama.py
   * @param {Operations} [operations]
   */
  constructor(config, weights, operations = OPERATIONS) {
    this.config = config;
    this.weights = weights;
    this.operations = operations;
  }

  /**
   * Return the logits: row t scores the candidates for position t + 1.  Throws
   * RangeError for ids outside the vocabulary and for a full cache.
   * @param {number[][]} tokenIds  [B, T], following the tokens of the cache
   * @param {Cache} [cache]  gets filled; without one the tokens are a whole sequence
   * @param {Tap} [tap]
   * @returns {Tensor}  [B, T, V]
   */
  call(tokenIds, cache = new Cache(this, tokenIds.length, tokenIds[0].length),
    tap = passThrough) {
    this.refuseOutside(tokenIds);
    const { replaced } = this.operations;
    /** @type {Tap} */
    const keep = (name, value) => tap(name, replaced(name, value));
    const call = { cache, keep, ...this.angles(tokenIds, cache) };
    const [batch, length] = [tokenIds.length, tokenIds[0].length];
    const rows = takeRows(this.weights.embedding, tokenIds.flat());
    let hidden = keep("embedding", reshape(rows, [batch, length, -1]));
    for (let layer = 0; layer < this.config.num_hidden_layers; layer++) {
      hidden = this.decoderLayer(layer, hidden, call);
    }
    cache.length += length;
    const normed = keep("final_norm",
      rmsNorm(hidden, this.weights.final_norm, this.config.rms_norm_eps));
    return keep("logits", matmul(normed, this.head()));
  }

  /** @param {number[][]} tokenIds */
  refuseOutside(tokenIds) {
    const { vocab_size } = this.config;
    const outside = tokenIds.flat().find((token) =>
      !Number.isInteger(token) || token < 0 || token >= vocab_size);
    if (outside === undefined) return;
    throw new RangeError(`token ${outside} is outside 0..${vocab_size - 1}`);
  }

  /**
   * Return the turns of RoPE and what the mask allows, for the next positions.
   * @param {number[][]} tokenIds
   * @param {Cache} cache
   */
  angles(tokenIds, cache) {
    const { head_dim, rope_theta } = this.config;
    const { frequency, sees } = this.operations;
    const { queryPositions, keyPositions } =
      cache.positions(tokenIds.length, tokenIds[0].length);
    const angles = rotaryAngles(queryPositions, head_dim, rope_theta, frequency);
    return {
      cos: mapValues(angles, Math.cos), sin: mapValues(angles, Math.sin),
      allowed: allowedCells(queryPositions, keyPositions, sees),
    };
  }

  /** Return the output matrix, [D, V]. */
  head() {
    const { embedding, lm_head } = this.weights;
    return this.config.tie_word_embeddings ? transpose(embedding) : lm_head;
  }

  /**
   * Return hidden with the layer's two updates added.
   * @param {number} layer
   * @param {Tensor} hidden  [B, T, D]
   * @param {Call} call
   * @returns {Tensor}
   */
  decoderLayer(layer, hidden, call) {
    const { rms_norm_eps: eps } = this.config;
    const weights = Object.fromEntries(PER_LAYER.map((name) =>
      [name, this.weights[`layers.${layer}.${name}`]]));
    /** @type {Tap} */
    const keep = (name, value) => call.keep(`layers.${layer}.${name}`, value);
    const normed = keep("attn_norm", rmsNorm(hidden, weights.attn_norm, eps));
    const heads = this.attention(layer, normed, weights, { ...call, keep });
    const merged = keep("merged", mergeHeads(heads));
    const update = keep("attn_out", matmul(merged, weights.wo));
    const middle = keep("resid_mid", add(hidden, update));
    const again = keep("mlp_norm", rmsNorm(middle, weights.mlp_norm, eps));
    return keep("resid_out", add(middle, feedForward(again, weights, keep)));
  }

  /**
   * Return what each head reads, [B, Hq, T, dh].
   * @param {number} layer
   * @param {Tensor} normed  [B, T, D]
   * @param {Record<string, Tensor>} weights  of the layer
   * @param {Call} call
   */
  attention(layer, normed, weights, { cos, sin, allowed, cache, keep }) {
    const { scale, pairs } = this.operations;
    const headDim = this.config.head_dim;
    const turned = pairs(headDim);
    const flat = ["q", "k", "v"].map((name) =>
      keep(`${name}_flat`, matmul(normed, weights[`w${name}`])));
    const [q, k, v] = ["q", "k", "v"].map((name, i) =>
      keep(name, splitHeads(flat[i], headDim)));
    const queries = keep("q_rotated", rotate(q, cos, sin, turned));
    const keys = keep("k_rotated", rotate(k, cos, sin, turned));
    const all = cache.store(layer, keys, v);
    const shares = attentionWeights(queries, all.k, allowed, { scale, tap: keep });
    return mixValues(shares, all.v, keep);
  }
}

/**
 * Return the next token's probabilities: softmax of the last position's logits.
 * @param {Tensor} logits  [B, T, V]
 * @returns {Tensor}       [B, V]
 */
export function nextTokenProbs(logits) {
  const [batch, length, vocabulary] = logits.shape;
  const last = Array.from({ length: batch }, (_, item) => (item + 1) * length - 1);
  const rows = reshape(logits, [batch * length, vocabulary]);
  return softmax(takeRows(rows, last));
}

/**
 * Return every tensor of one call by name, in order of making.
 * @param {TinyLlama} model
 * @param {number[][]} tokenIds
 * @param {Cache} [cache]
 */
export function recordTensors(model, tokenIds, cache) {
  /** @type {Record<string, Tensor>} */
  const made = {};
  const logits = model.call(tokenIds, cache, (name, value) => made[name] = value);
  const probs = nextTokenProbs(logits);
  made.next_token_probs = model.operations.replaced("next_token_probs", probs);
  return made;
}
