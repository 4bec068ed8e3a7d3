import { firstItem } from "./matrix.js";
import { product, products, sumOfTerms } from "./terms-place.js";

/**
 * Numbers that are a function of others: norm, rotation, mask, softmax, SiLU.
 *
 * @typedef {import("./terms-place.js").Place} Place
 * @typedef {import("./terms-place.js").Factor} Factor
 * @typedef {import("./terms-place.js").Expression} Expression
 */

/** @type {Record<string, (place: Place) => string>} what each norm reads */
const NORMED = {
  attn_norm: (place) => place.stateBefore,
  mlp_norm: (place) => place.beside("resid_mid"),
  final_norm: (place) => place.stateBefore,
};

/**
 * RMSNorm: the terms are squares; their mean's root divides the channel's own state.
 * @param {Place} place
 * @returns {Expression}
 */
export function norm(place) {
  const [batch, position, channel] = place.index;
  const channels = place.shape[2];
  const state = NORMED[place.short](place);
  const terms = products(channels, (other) => {
    const factor = place.tensor(state, [batch, position, other]);
    return [factor, factor];
  });
  const own = terms[channel].factors[0];
  const gain = place.weight(place.beside(place.short), [channel]);
  const eps = place.run.model.config.rms_norm_eps;
  const mean = sumOfTerms(terms) / channels;
  const rms = Math.sqrt(mean + eps);
  return {
    kind: "norm", terms, total: own.value / rms * gain.value, applied: [own, gain],
    parts: {
      axis: "channel", channel, state: own.value, gain: gain.value,
      mean_square: mean, eps, rms,
    },
  };
}

/**
 * RoPE: the terms are the pair's two channels, times the cosine and ± the sine.
 * @param {Place} place
 * @returns {Expression}
 */
export function rotation(place) {
  const [batch, head, row, channel] = place.index;
  const { config, operations } = place.run.model;
  const headDim = place.shape[3];
  const pairs = operations.pairs(headDim);
  const pair = pairs.findIndex((channels) => channels.includes(channel));
  const [left, right] = pairs[pair].map((at) =>
    place.tensor(place.beside(place.short[0]), [batch, head, row, at]));
  const position = positionOf(place, row);
  const frequency = operations.frequency(pair, headDim, config.rope_theta);
  const angle = position * frequency;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const isLeft = channel === pairs[pair][0];
  const terms = isLeft
    ? [product([left, { value: cos }], pairs[pair][0]),
      product([right, { value: -sin }], pairs[pair][1])]
    : [product([right, { value: cos }], pairs[pair][1]),
      product([left, { value: sin }], pairs[pair][0])];
  return {
    kind: "rotation", terms, total: terms[0].value + terms[1].value,
    parts: {
      axis: "channel", side: isLeft ? "left" : "right",
      pair, position, frequency, angle,
      left_channel: pairs[pair][0], right_channel: pairs[pair][1],
      left: left.value, right: right.value,
      turned_left: left.value * cos - right.value * sin,
      turned_right: right.value * cos + left.value * sin,
    },
  };
}

/**
 * The mask: the score stays where the query sees the key, else −∞.
 * @param {Place} place
 * @returns {Expression}
 */
export function mask(place) {
  const [, , query, key] = place.index;
  const from = place.tensor(place.beside("scores"), place.index);
  const queryPosition = positionOf(place, query);
  const keyPosition = positionOf(place, key);
  const sees = place.run.model.operations.sees(queryPosition, keyPosition);
  return {
    kind: "mask", terms: [product([from])], total: sees ? from.value : -Infinity,
    parts: {
      sees: Number(sees), later: Number(keyPosition > queryPosition),
      query_position: queryPosition, key_position: keyPosition,
    },
  };
}

/**
 * A weight: its exponential's share of the row's.
 * @param {Place} place
 * @returns {Expression}
 */
export function weight(place) {
  const row = place.index.slice(0, -1);
  const masked = place.beside("masked_scores");
  const count = place.shape[3];
  const scores = Array.from({ length: count }, (_, key) =>
    place.tensor(masked, [...row, key]));
  return share(scores, place.index[3], "key");
}

/**
 * A next token's probability: its logit's exponential, as a share, last position.
 * @param {Place} place
 * @returns {Expression}
 */
export function nextTokenProbability(place) {
  const [batch, token] = place.index;
  const [, positions, count] = place.shapeOf("logits");
  const logits = Array.from({ length: count }, (_, other) =>
    place.tensor("logits", [batch, positions - 1, other]));
  return share(logits, token, "vocab");
}

/**
 * Softmax: the terms are the exponentials, without the largest score.
 * @param {Factor[]} scores
 * @param {number} chosen
 * @param {string} axis
 * @returns {Expression}
 */
function share(scores, chosen, axis) {
  const maximum = Math.max(...scores.map(({ value }) => value));
  const terms = scores.map((score, key) =>
    ({ value: Math.exp(score.value - maximum), factors: [score], key }));
  const denominator = sumOfTerms(terms);
  const { value: power, factors: [{ value: score }] } = terms[chosen];
  return {
    kind: "softmax", terms, total: power / denominator,
    parts: { axis, chosen, score, maximum, less: score - maximum, power, denominator },
  };
}

/**
 * SiLU of one branch.
 * @param {Place} place
 * @returns {Expression}
 */
export function silu(place) {
  const gate = place.tensor(place.beside("gate"), place.index);
  const denominator = 1 + Math.exp(-gate.value);
  return {
    kind: "silu", terms: [product([gate])], total: gate.value / denominator,
    parts: { gate: gate.value, denominator, share: 1 / denominator },
  };
}

/**
 * One branch's SiLU times the other branch.
 * @param {Place} place
 * @returns {Expression}
 */
export function gated(place) {
  const factors = ["silu", "up"].map((name) =>
    place.tensor(place.beside(name), place.index));
  const term = product(factors);
  const parts = { silu: factors[0].value, up: factors[1].value };
  return { kind: "gated", terms: [term], total: term.value, parts };
}

/**
 * @param {Place} place
 * @param {number} row
 * @returns {number}
 */
function positionOf(place, row) {
  return firstItem(place.run.trace.input.position_ids)[row];
}
