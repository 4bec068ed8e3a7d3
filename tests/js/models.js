import { zeros } from "../../static/js/lib/tensors.js";

/** Two models with random weights, for tests: the article's sizes, and sizes that all
    differ (what coincides can be exchanged unseen). */

const PER_LAYER = ["attn_norm", "wq", "wk", "wv", "wo",
  "mlp_norm", "w_gate", "w_up", "w_down"];

const DEMO = {
  hidden_size: 32, intermediate_size: 96, num_hidden_layers: 2, head_dim: 8,
  num_attention_heads: 4, num_key_value_heads: 2, vocab_size: 32,
  rope_theta: 10000, rms_norm_eps: 1e-6, tie_word_embeddings: true,
};
const OTHER = {
  hidden_size: 28, intermediate_size: 44, num_hidden_layers: 4, head_dim: 10,
  num_attention_heads: 6, num_key_value_heads: 2, vocab_size: 37,
  rope_theta: 500, rms_norm_eps: 1e-3, tie_word_embeddings: false,
};

/** Return a function whose results look random and are the same for a seed. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 2 * state / 2 ** 32 - 1;
  };
}

function shapesOf(config) {
  const { hidden_size: D, intermediate_size: F, vocab_size: V, head_dim: dh } = config;
  const queries = config.num_attention_heads * dh;
  const keys = config.num_key_value_heads * dh;
  const ofLayer = [[D], [D, queries], [D, keys], [D, keys], [queries, D],
    [D], [D, F], [D, F], [F, D]];
  const layers = Array.from({ length: config.num_hidden_layers }, (_, layer) =>
    PER_LAYER.map((name, i) => [`layers.${layer}.${name}`, ofLayer[i]])).flat();
  const own = config.tie_word_embeddings ? [] : [["lm_head", [D, V]]];
  return [["embedding", [V, D]], ["final_norm", [D]], ...own, ...layers];
}

/** Return random weights: gains around one, matrices as large as their input asks. */
export function randomWeights(config, seed) {
  const next = randomNumbers(seed);
  return Object.fromEntries(shapesOf(config).map(([name, shape]) => {
    const weight = zeros(shape);
    const fanIn = name === "embedding" ? config.hidden_size : shape[0];
    const draw = shape.length === 1
      ? () => 1 + 0.2 * next() : () => next() * Math.sqrt(3 / fanIn);
    return [name, { shape, values: weight.values.map(() => Math.fround(draw())) }];
  }));
}

function sourceOf(config, tokens, seed) {
  const vocabulary = Array.from({ length: config.vocab_size }, (_, id) => `word${id}`);
  const trace = {
    id: "demo", format: "attention-trace", format_major: 1, vocabulary,
    model: { ...config, rope_pairing: "half-split", trained: false },
    input: {
      token_ids: [tokens], token_labels: [tokens.map((token) => vocabulary[token])],
      position_ids: [tokens.map((_, position) => position)],
    },
    tensors: {},
  };
  return { trace, parameters: randomWeights(config, seed) };
}

/** Return {trace, parameters} of the article's sizes. */
export function demoSource() {
  return sourceOf(DEMO, [1, 2, 3, 1, 4, 5], 7);
}

/** Return {trace, parameters} of sizes that all differ. */
export function otherSource() {
  return sourceOf(OTHER, [0, 6, 14, 24, 36, 13, 29], 11);
}
