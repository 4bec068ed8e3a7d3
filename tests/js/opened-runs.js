/**
 * Runs of small models with drawn weights, for the tests of opened numbers.
 */

import { OPERATIONS } from "../../static/js/lib/decoder-operations.js";
import { TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";

export const ARTICLE = {
  hidden_size: 32, intermediate_size: 96, num_hidden_layers: 2,
  num_attention_heads: 4, num_key_value_heads: 2, head_dim: 8, vocab_size: 32,
  rope_theta: 10000, rms_norm_eps: 1e-6, tie_word_embeddings: true,
};

/** ALL_DIFFERENT of tiny_llama.py: no two sizes coincide. */
export const ALL_DIFFERENT = {
  hidden_size: 28, intermediate_size: 44, num_hidden_layers: 4,
  num_attention_heads: 6, num_key_value_heads: 2, head_dim: 10, vocab_size: 37,
  rope_theta: 500, rms_norm_eps: 1e-3, tie_word_embeddings: false,
};

/**
 * Return numbers between -1 and 1, always the same for a seed: Park and Miller 1988.
 * @param {number} seed
 */
export function numbersFrom(seed) {
  let state = seed;
  return () => {
    state = state * 48271 % 2147483647;
    return state / 2147483647 * 2 - 1;
  };
}

/** @param {typeof ARTICLE} config */
function shapesOf(config) {
  const { hidden_size: D, intermediate_size: F, vocab_size: V, head_dim } = config;
  const queries = config.num_attention_heads * head_dim;
  const keys = config.num_key_value_heads * head_dim;
  const layer = {
    attn_norm: [D], wq: [D, queries], wk: [D, keys], wv: [D, keys], wo: [queries, D],
    mlp_norm: [D], w_gate: [D, F], w_up: [D, F], w_down: [F, D],
  };
  const shapes = { embedding: [V, D], final_norm: [D], lm_head: [D, V] };
  for (let i = 0; i < config.num_hidden_layers; i++) {
    for (const [name, shape] of Object.entries(layer)) {
      shapes[`layers.${i}.${name}`] = shape;
    }
  }
  return shapes;
}

/** @param {typeof ARTICLE} config */
export function drawWeights(config, seed = 1) {
  const next = numbersFrom(seed);
  return Object.fromEntries(Object.entries(shapesOf(config)).map(([name, shape]) => {
    const size = shape.reduce((product, length) => product * length, 1);
    const isGain = shape.length === 1;
    const values = Float64Array.from({ length: size }, () =>
      isGain ? 1 + next() / 10 : next() * Math.sqrt(3 / shape[0]));
    return [name, { shape, values }];
  }));
}

/**
 * Return a run, as far as opened numbers read it.
 * @param {number[]} tokens
 * @param {{config?: typeof ARTICLE, seed?: number, operations?: object}} [options]
 */
export function runOf(tokens, { config = ARTICLE, seed = 1, operations = {} } = {}) {
  const model = new TinyLlama(
    config, drawWeights(config, seed), { ...OPERATIONS, ...operations });
  return {
    model, tensors: recordTensors(model, [tokens]),
    choice: { tokens, change: Object.keys(operations).join() },
    trace: { input: { position_ids: [tokens.map((_, position) => position)] } },
    labels: tokens.map((token) => `token ${token}`),
    vocabulary: Array.from({ length: config.vocab_size }, (_, token) =>
      `token ${token}`),
  };
}

/**
 * Return a sample of a tensor's cells: the first, the last and some between.
 * @param {string} name
 * @param {{shape: number[]}} tensor
 * @param {() => number} next
 */
export function sampleOf(name, { shape }, next) {
  const last = shape.map((length) => length - 1);
  const picked = Array.from({ length: 6 }, () => shape.map((length) =>
    Math.floor((next() + 1) / 2 * length)));
  return [shape.map(() => 0), last, ...picked].map((index) => ({ name, index }));
}
