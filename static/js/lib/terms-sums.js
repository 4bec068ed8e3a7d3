import { product, products, sumOfTerms } from "./terms-place.js";

/**
 * Numbers that are sums of products, or another cell's number.
 *
 * @typedef {import("./terms-place.js").Place} Place
 * @typedef {import("./terms-place.js").Term} Term
 * @typedef {import("./terms-place.js").Expression} Expression
 */

/** @type {Record<string, [string, string]>} projections: what is read, with what */
const PROJECTIONS = {
  q_flat: ["attn_norm", "wq"],
  k_flat: ["attn_norm", "wk"],
  v_flat: ["attn_norm", "wv"],
  gate: ["mlp_norm", "w_gate"],
  up: ["mlp_norm", "w_up"],
  mlp_out: ["mlp_act", "w_down"],
};

/**
 * A channel of a projection: the position's channels times a column of the matrix.
 * @param {Place} place
 * @returns {Expression}
 */
export function projection(place) {
  const [input, matrix] = PROJECTIONS[place.short].map((name) => place.beside(name));
  const [batch, position, out] = place.index;
  const [, , channels] = place.shapeOf(input);
  return dot(products(channels, (channel) => [
    place.tensor(input, [batch, position, channel]),
    place.weight(matrix, [channel, out]),
  ]));
}

/**
 * A logit: the last state times a row of the embedding, or a column of lm_head.
 * @param {Place} place
 * @returns {Expression}
 */
export function logit(place) {
  const [batch, position, token] = place.index;
  const [, , channels] = place.shapeOf("final_norm");
  const tied = place.run.model.config.tie_word_embeddings;
  return dot(products(channels, (channel) => [
    place.tensor("final_norm", [batch, position, channel]),
    tied ? place.weight("embedding", [token, channel])
      : place.weight("lm_head", [channel, token]),
  ]));
}

/**
 * A score: the query times the key of its key/value head, then scaled.
 * @param {Place} place
 * @returns {Expression}
 */
export function score(place) {
  const [batch, head, query, key] = place.index;
  const [queries, keys] = [place.beside("q_rotated"), place.beside("k_rotated")];
  const [, heads, , channels] = place.shapeOf(queries);
  const kvHead = keyHeadOf(place, head, heads);
  const terms = products(channels, (channel) => [
    place.tensor(queries, [batch, head, query, channel]),
    place.tensor(keys, [batch, kvHead, key, channel]),
  ]);
  const before = sumOfTerms(terms);
  const scale = place.run.model.operations.scale(channels);
  return {
    kind: "scores", terms, total: before * scale,
    parts: { axis: "channel", before_scale: before, scale, kv_head: kvHead },
  };
}

/**
 * A channel of a head: the values of its key/value head, each times its weight.
 * @param {Place} place
 * @returns {Expression}
 */
export function mixture(place) {
  const [batch, head, query, channel] = place.index;
  const [weights, values] = [place.beside("weights"), place.beside("v")];
  const [, heads, , keys] = place.shapeOf(weights);
  const kvHead = keyHeadOf(place, head, heads);
  const terms = products(keys, (key) => [
    place.tensor(weights, [batch, head, query, key]),
    place.tensor(values, [batch, kvHead, key, channel]),
  ]);
  const parts = { axis: "key", kv_head: kvHead };
  return { kind: "mixture", terms, total: sumOfTerms(terms), parts };
}

/**
 * A channel of W_O's output: all heads' channels at once, which is the sum of what
 * each head's block of rows gives.
 * @param {Place} place
 * @returns {Expression}
 */
export function headsSum(place) {
  const [batch, position, out] = place.index;
  const [merged, matrix] = [place.beside("merged"), place.beside("wo")];
  const [, heads, , headDim] = place.shapeOf(place.beside("heads"));
  const terms = products(heads * headDim, (channel) => [
    place.tensor(merged, [batch, position, channel]),
    place.weight(matrix, [channel, out]),
  ]);
  const groups = Array.from({ length: heads }, (_, head) => {
    const [from, to] = [head * headDim, (head + 1) * headDim];
    return { head, from, to, subtotal: sumOfTerms(terms.slice(from, to)) };
  });
  const parts = { axis: "channel", heads };
  return { kind: "heads-sum", terms, total: sumOfTerms(terms), parts, groups };
}

/**
 * A channel of the residual stream: the state and an update.  Its groups are the
 * embedding and every update so far, which add up to the same.
 * @param {Place} place
 * @returns {Expression}
 */
export function residual(place) {
  const middle = place.short === "resid_mid";
  const state = middle ? place.stateBefore : place.beside("resid_mid");
  const update = place.beside(middle ? "attn_out" : "mlp_out");
  const terms = [state, update].map((name) =>
    product([place.tensor(name, place.index)]));
  const groups = updatesThrough(place.layer ?? 0, middle).map((name) => {
    const { value: subtotal, cell } = place.tensor(name, place.index);
    return { subtotal, cell };
  });
  return { kind: "sum", terms, total: sumOfTerms(terms), parts: {}, groups };
}

/**
 * A channel of the embedding: a number of the token's row in the table.
 * @param {Place} place
 * @returns {Expression}
 */
export function lookup(place) {
  const [, position, channel] = place.index;
  const token = place.run.tokens[position];
  const from = place.weight("embedding", [token, channel]);
  return { kind: "lookup", terms: [product([from])], total: from.value,
    parts: { token, channel } };
}

/**
 * A head's channel: the projection's, which lies at head · dh + channel.
 * @param {Place} place
 * @returns {Expression}
 */
export function splitCopy(place) {
  const [batch, head, position, channel] = place.index;
  const headDim = place.shape[3];
  const flat = place.beside(`${place.short}_flat`);
  return copy(place, flat, [batch, position, head * headDim + channel]);
}

/**
 * A channel of the heads laid side by side: one of head ⌊channel / dh⌋.
 * @param {Place} place
 * @returns {Expression}
 */
export function mergedCopy(place) {
  const [batch, position, channel] = place.index;
  const heads = place.beside("heads");
  const headDim = place.shapeOf(heads)[3];
  const head = Math.floor(channel / headDim);
  return copy(place, heads, [batch, head, position, channel % headDim]);
}

/**
 * @param {Place} place
 * @param {string} name
 * @param {number[]} index
 * @returns {Expression}
 */
function copy(place, name, index) {
  const from = place.tensor(name, index);
  return { kind: "copy", terms: [product([from])], total: from.value, parts: {} };
}

/**
 * @param {Term[]} terms
 * @returns {Expression}
 */
function dot(terms) {
  return { kind: "dot", terms, total: sumOfTerms(terms), parts: { axis: "channel" } };
}

/**
 * Return the key/value head that a query head shares.
 * @param {Place} place
 * @param {number} head
 * @param {number} heads
 */
function keyHeadOf(place, head, heads) {
  const kvHeads = place.shapeOf(place.beside("v"))[1];
  return Math.floor(head / (heads / kvHeads));
}

/**
 * Return the names of what the stream adds up to within a layer.
 * @param {number} layer
 * @param {boolean} middle  before the feed-forward update
 */
function updatesThrough(layer, middle) {
  const names = ["embedding"];
  for (let i = 0; i <= layer; i++) {
    names.push(`layers.${i}.attn_out`);
    if (i < layer || !middle) names.push(`layers.${i}.mlp_out`);
  }
  return names;
}
