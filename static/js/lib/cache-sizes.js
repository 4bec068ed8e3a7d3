import { cacheBytes } from "./costs.js";

/**
 * What the KV cache of a configuration takes; sitegen/configurations.py has the same.
 *
 * @typedef {object} Config  config.json's names; what the weights need may be absent
 * @property {number} num_hidden_layers
 * @property {number} num_attention_heads
 * @property {number} num_key_value_heads
 * @property {number} head_dim
 * @property {number} [hidden_size]
 * @property {number} [intermediate_size]
 * @property {number} [vocab_size]
 * @property {string} [model_type]
 * @property {boolean} [tie_word_embeddings]
 * @property {number} [max_position_embeddings]
 * @property {number} [sliding_window]  tokens that a layer looks back over
 * @property {number} [sliding_layers]  layers with a window; all where it is absent
 * @property {number} [parameters]      numbers that the weights are, each counted once
 *
 * @typedef {{context: number, batch: number, bytes: number}} Choice
 *   tokens of a sequence, sequences, bytes of a number
 */

const USUAL_KV_HEADS = 8; // of models with grouped heads
// Of architectures whose weights are counted by their shapes: biases of the projections
// to q, k and v, and norms of head_dim in a layer.
const SHAPES = {
  llama: { bias: 0, headNorms: 0 }, mistral: { bias: 0, headNorms: 0 },
  gemma: { bias: 0, headNorms: 0 }, qwen2: { bias: 1, headNorms: 0 },
  qwen3: { bias: 0, headNorms: 2 },
};

/**
 * Return the layers that keep as many tokens of a context as each other, and how many:
 * a layer with a window keeps no more than that.
 * @param {Config} config
 * @param {number} context
 */
export function keptTokens(config, context) {
  const { num_hidden_layers: all, sliding_window: window } = config;
  if (!window || context <= window) return [{ layers: all, tokens: context }];
  const sliding = config.sliding_layers ?? all;
  return [{ layers: all - sliding, tokens: context },
    { layers: sliding, tokens: window }].filter(({ layers }) => layers > 0);
}

/**
 * Return the bytes of a cache.
 * @param {Config} config
 * @param {Choice} choice
 */
export function bytesOf(config, { context, batch, bytes }) {
  return keptTokens(config, context).reduce((sum, { layers, tokens }) => sum
    + cacheBytes({ ...config, num_hidden_layers: layers }, tokens, bytes, batch), 0);
}

/**
 * Return the smallest context whose cache takes more than the weights, at one size of
 * a number for both; null where windows keep it smaller for good.
 * @param {Config} config  with parameters
 * @param {number} batch
 */
export function outweighsFrom(config, batch) {
  const { parameters = 0, sliding_window: window = Infinity } = config;
  const beyond = (/** @type {number} */ kept, /** @type {number} */ each) =>
    Math.floor((parameters - kept) / each) + 1;
  const first = beyond(0, cacheBytes(config, 1, 1, batch));
  if (first <= window) return first;
  const endless = config.num_hidden_layers
    - (config.sliding_layers ?? config.num_hidden_layers);
  if (!endless) return null;
  const each = cacheBytes({ ...config, num_hidden_layers: endless }, 1, 1, batch);
  const kept = bytesOf(config, { context: window, batch, bytes: 1 }) - each * window;
  return beyond(kept, each);
}

/**
 * Return MHA, MQA or GQA, by how many heads share a KV head.
 * @param {Config} config
 * @returns {"MHA" | "GQA" | "MQA"}
 */
export function attentionKind(config) {
  const { num_attention_heads: heads, num_key_value_heads: kvHeads } = config;
  if (kvHeads === heads) return "MHA";
  return kvHeads === 1 ? "MQA" : "GQA";
}

/**
 * Return the KV heads that a model has, or would have, with grouped heads: the divisor
 * of its heads nearest to the usual number; null where there is none.
 * @param {Config} config
 */
export function groupedHeads(config) {
  if (attentionKind(config) === "GQA") return config.num_key_value_heads;
  const heads = config.num_attention_heads;
  const far = (/** @type {number} */ count) => Math.abs(count - USUAL_KV_HEADS);
  let nearest = null;
  for (let count = 2; count < heads; count += 1) {
    if (heads % count === 0 && (nearest === null || far(count) < far(nearest))) {
      nearest = count;
    }
  }
  return nearest;
}

/**
 * Return how many numbers a model's weights are, by its shapes; undefined where the
 * configuration lacks a size, or is of an architecture that is not known here.
 * @param {Config} config
 */
export function countParameters(config) {
  const {
    hidden_size: hidden, intermediate_size: inner, vocab_size: vocabulary,
    head_dim: headDim, num_attention_heads: heads, num_key_value_heads: kvHeads,
    model_type: type = "",
  } = config;
  if (!hidden || !inner || !vocabulary) return undefined;
  if (!Object.hasOwn(SHAPES, type)) return undefined;
  const { bias, headNorms } = SHAPES[/** @type {keyof typeof SHAPES} */ (type)];
  const layer = (heads + 2 * kvHeads) * headDim * (hidden + bias)
    + heads * headDim * hidden + 3 * hidden * inner + headNorms * headDim + 2 * hidden;
  const tables = config.tie_word_embeddings ? 1 : 2;
  return config.num_hidden_layers * layer + hidden + tables * vocabulary * hidden;
}
