import { OPERATIONS } from "./decoder-operations.js";
import { kindOf } from "./tensor-axes.js";
import { mapValues, takeColumns } from "./tensors.js";

/**
 * The named changes of content/changes.json, one function each.  A change gets a
 * described model and returns another; tests/model/python_changes.py has their twins.
 * Those of a matrix or a token's vector are about layer 0, the others about all layers.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 *
 * @typedef {object} Described  what a run is made of
 * @property {import("./tiny-llama.js").Config & Record<string, any>} config
 * @property {Record<string, Tensor>} weights
 * @property {import("./decoder-operations.js").Operations} operations
 * @property {number[]} tokens
 *
 * @typedef {{at: number, to: number}} Place  a position; a token that is put there
 * @typedef {(described: Described, place: Place) => Described} Change
 */

const OTHER_BASE = 100;

/**
 * Return the change that gives layer 0 another layer's matrix.
 * @param {string} name
 * @returns {Change}
 */
function another(name) {
  return (described) => ({
    ...described,
    weights: {
      ...described.weights, [`layers.0.${name}`]: described.weights[`layers.1.${name}`],
    },
  });
}

/**
 * Return the change that turns one token's vector around, in all heads of layer 0.
 * @param {"q" | "k" | "v"} name
 * @returns {Change}
 */
function negated(name) {
  return (described, { at }) => withOperations(described, {
    replaced: (made, tensor) =>
      made === `layers.0.${name}` ? negatedAt(tensor, at) : tensor,
  });
}

/**
 * @param {Tensor} tensor  [B, H, T, dh]
 * @param {number} at
 */
function negatedAt(tensor, at) {
  const [, , length, headDim] = tensor.shape;
  return mapValues(tensor, (value, i) =>
    Math.floor(i / headDim) % length === at ? -value : value);
}

/**
 * @param {Described} described
 * @param {Partial<import("./decoder-operations.js").Operations>} operations
 * @returns {Described}
 */
function withOperations(described, operations) {
  return { ...described, operations: { ...described.operations, ...operations } };
}

/**
 * @param {Described} described
 * @param {Record<string, any>} config
 * @returns {Described}
 */
function withConfig(described, config) {
  return { ...described, config: { ...described.config, ...config } };
}

/**
 * Return a described model with other columns in some of each layer's matrices.
 * @param {Described} described
 * @param {string[]} names  of matrices whose columns are heads of channels
 * @param {(heads: number) => number[]} columnsOf
 * @returns {Described}
 */
function withColumns(described, names, columnsOf) {
  const { head_dim } = described.config;
  const taken = Object.entries(described.weights).map(([name, matrix]) => {
    if (!names.includes(kindOf(name))) return [name, matrix];
    return [name, takeColumns(matrix, columnsOf(matrix.shape[1] / head_dim))];
  });
  return { ...described, weights: Object.fromEntries(taken) };
}

/**
 * Return the columns of some heads, one after another.
 * @param {number[]} heads
 * @param {number[]} channels  of each head, in the order wanted
 */
function columnsOfHeads(heads, channels) {
  return heads.flatMap((head) =>
    channels.map((channel) => head * channels.length + channel));
}

/** @param {number} count */
const upTo = (count) => Array.from({ length: count }, (_, i) => i);

/** @type {Change} */
function adjacentPairs(described) {
  return withConfig(withOperations(described, {
    pairs: (headDim) => upTo(headDim / 2).map((i) => [2 * i, 2 * i + 1]),
  }), { rope_pairing: "adjacent" });
}

/** @type {Change} */
function adjacentPairsAndWeights(described) {
  const { head_dim } = described.config;
  const channels = OPERATIONS.pairs(head_dim).flat();
  return withColumns(adjacentPairs(described, { at: 0, to: 0 }), ["wq", "wk"],
    (heads) => columnsOfHeads(upTo(heads), channels));
}

/**
 * Return the change that reads keys and values from chosen KV heads.
 * @param {(config: import("./tiny-llama.js").Config) => number[]} choose
 * @returns {Change}
 */
function keyHeads(choose) {
  return (described) => {
    const heads = choose(described.config);
    const columns = columnsOfHeads(heads, upTo(described.config.head_dim));
    return withConfig(withColumns(described, ["wk", "wv"], () => columns),
      { num_key_value_heads: heads.length });
  };
}

/** @type {Record<string, Change>} */
export const CHANGES = {
  "another-wq": another("wq"),
  "another-wk": another("wk"),
  "another-wv": another("wv"),
  "token-q": negated("q"),
  "token-k": negated("k"),
  "token-v": negated("v"),
  "token": (described, { at, to }) =>
    ({ ...described, tokens: described.tokens.with(at, to) }),
  "rope-off": (described) => withOperations(described, { frequency: () => 0 }),
  "rope-base": (described) => withConfig(described, { rope_theta: OTHER_BASE }),
  "pairs-matching": adjacentPairsAndWeights,
  "pairs-unmatched": adjacentPairs,
  "mha": keyHeads(({ num_attention_heads, num_key_value_heads }) =>
    upTo(num_attention_heads).map((head) =>
      Math.floor(head * num_key_value_heads / num_attention_heads))),
  "mqa": keyHeads(() => [0]),
  "scale-one": (described) => withOperations(described, { scale: () => 1 }),
  "mask-off": (described) => withOperations(described, { sees: () => true }),
};
