import {
  groupedMatmul, mapValues, matmul, multiply, reshape, swapMiddleAxes, transpose, zeros,
} from "./tensors.js";

/**
 * What a Llama-style decoder does to its tensors: the functions of model/tiny_llama.py.
 *
 * Axes: B batch items, T query positions of this call, S key positions, D hidden_size,
 * Hq and Hkv heads, dh head_dim, F intermediate_size.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {typeof OPERATIONS} Operations
 * @typedef {(name: string, value: Tensor) => Tensor} Tap  told each tensor by name;
 *   what it returns goes on
 */

/** What may be replaced to change the model, and what explains a changed number. */
export const OPERATIONS = {
  /**
   * Return the radians that a pair of channels turns from one position to the next.
   * @param {number} pair
   * @param {number} headDim
   * @param {number} theta
   */
  frequency: (pair, headDim, theta) => theta ** (-2 * pair / headDim),

  /**
   * Return the channels [left, right] of each pair that is turned.
   * @param {number} headDim
   * @returns {[number, number][]}
   */
  pairs: (headDim) =>
    Array.from({ length: headDim / 2 }, (_, i) => [i, i + headDim / 2]),

  /**
   * Return what the products of queries and keys are multiplied by.
   * @param {number} headDim
   */
  scale: (headDim) => headDim ** -0.5,

  /**
   * Return whether a query may look at a key.
   * @param {number} queryPosition
   * @param {number} keyPosition
   */
  sees: (queryPosition, keyPosition) => keyPosition <= queryPosition,

  /**
   * Return the tensor that goes on instead of the one just made, of the same shape.
   * @param {string} _name  as in "layers.0.q"
   * @param {Tensor} tensor
   */
  replaced: (_name, tensor) => tensor,
};

/**
 * Return each position's channels over their root mean square, times gain.
 * @param {Tensor} hidden  [B, T, D]
 * @param {Tensor} gain    [D]
 * @param {number} eps
 * @returns {Tensor}       [B, T, D]
 */
export function rmsNorm(hidden, gain, eps) {
  const width = gain.values.length;
  const normed = zeros(hidden.shape);
  for (let start = 0; start < normed.values.length; start += width) {
    const root = Math.sqrt(
      meanSquare(hidden.values.subarray(start, start + width)) + eps);
    for (let i = 0; i < width; i++) {
      normed.values[start + i] = hidden.values[start + i] / root * gain.values[i];
    }
  }
  return normed;
}

/** @param {Float64Array} channels */
export function meanSquare(channels) {
  let sum = 0;
  for (let i = 0; i < channels.length; i++) sum += channels[i] * channels[i];
  return sum / channels.length;
}

/**
 * Return exp(scores), divided by its sum along the last axis.
 * @param {Tensor} scores
 * @returns {Tensor}
 */
export function softmax(scores) {
  const length = scores.shape[scores.shape.length - 1];
  const shares = zeros(scores.shape);
  for (let start = 0; start < shares.values.length; start += length) {
    const row = scores.values.subarray(start, start + length);
    const maximum = row.reduce((most, score) => Math.max(most, score), -Infinity);
    let sum = 0;
    for (let i = 0; i < length; i++) {
      sum += shares.values[start + i] = Math.exp(row[i] - maximum);
    }
    for (let i = 0; i < length; i++) shares.values[start + i] /= sum;
  }
  return shares;
}

/**
 * Return the angle by which each position turns each pair of channels.
 * @param {number[]} positionIds
 * @param {number} headDim
 * @param {number} theta
 * @param {Operations["frequency"]} [frequency]
 * @returns {Tensor}  [T, dh/2], radians
 */
export function rotaryAngles(positionIds, headDim, theta,
  frequency = OPERATIONS.frequency) {
  const half = headDim / 2;
  return mapValues(zeros([positionIds.length, half]), (_, i) =>
    positionIds[Math.floor(i / half)] * frequency(i % half, headDim, theta));
}

/**
 * Return heads with the channels of each pair turned.
 * @param {Tensor} heads  [B, H, T, dh]
 * @param {Tensor} cos    [T, dh/2]
 * @param {Tensor} sin    [T, dh/2]
 * @param {[number, number][]} pairs  of channels, one for each column of cos
 * @returns {Tensor}      [B, H, T, dh]
 */
export function rotate(heads, cos, sin, pairs) {
  const [, , length, headDim] = heads.shape;
  const turned = zeros(heads.shape);
  for (let start = 0; start < heads.values.length; start += headDim) {
    const angles = (start / headDim % length) * pairs.length;
    pairs.forEach(([left, right], pair) => {
      const [c, s] = [cos.values[angles + pair], sin.values[angles + pair]];
      const [x, y] = [heads.values[start + left], heads.values[start + right]];
      turned.values[start + left] = x * c - y * s;
      turned.values[start + right] = y * c + x * s;
    });
  }
  return turned;
}

/**
 * Return [B, T, H·dh] as [B, H, T, dh].
 * @param {Tensor} flat
 * @param {number} headDim
 */
export function splitHeads(flat, headDim) {
  const [batch, length] = flat.shape;
  return swapMiddleAxes(reshape(flat, [batch, length, -1, headDim]));
}

/**
 * Return [B, H, T, dh] as [B, T, H·dh].
 * @param {Tensor} heads
 */
export function mergeHeads(heads) {
  const [batch, , length] = heads.shape;
  return reshape(swapMiddleAxes(heads), [batch, length, -1]);
}

/**
 * Return which keys each query may look at.
 * @param {number[]} queryPositions  [T]
 * @param {number[]} keyPositions    [S]
 * @param {Operations["sees"]} [sees]
 * @returns {Uint8Array}             [T * S], 1 where it may
 */
export function allowedCells(queryPositions, keyPositions, sees = OPERATIONS.sees) {
  const allowed = new Uint8Array(queryPositions.length * keyPositions.length);
  let cell = 0;
  for (const query of queryPositions) {
    for (const key of keyPositions) allowed[cell++] = Number(sees(query, key));
  }
  return allowed;
}

/** @type {Tap} */
export const passThrough = (_name, value) => value;

/**
 * Return how much each query position takes from each key position.
 * @param {Tensor} q  [B, Hq, T, dh], rotated
 * @param {Tensor} k  [B, Hkv, S, dh], rotated
 * @param {Uint8Array} allowed  [T * S], 1 where the query may look
 * @param {{scale?: Operations["scale"], tap?: Tap}} [options]
 * @returns {Tensor}  [B, Hq, T, S]
 */
export function attentionWeights(q, k, allowed,
  { scale = OPERATIONS.scale, tap = passThrough } = {}) {
  const products = groupedMatmul(q, transpose(k));
  const factor = scale(q.shape[3]);
  const scores = tap("scores", mapValues(products, (product) => product * factor));
  const masked = tap("masked_scores", mapValues(scores, (score, i) =>
    allowed[i % allowed.length] ? score : -Infinity));
  return tap("weights", softmax(masked));
}

/**
 * Return each query's sum of the values, each times its weight.
 * @param {Tensor} weights  [B, Hq, T, S]
 * @param {Tensor} v        [B, Hkv, S, dh]
 * @param {Tap} [tap]
 * @returns {Tensor}        [B, Hq, T, dh]
 */
export function mixValues(weights, v, tap = passThrough) {
  return tap("heads", groupedMatmul(weights, v));
}

/** @param {number} x */
export function silu(x) {
  return x / (1 + Math.exp(-x));
}

/**
 * Return the SwiGLU update: channels are mixed, positions are not.
 * @param {Tensor} normed  [B, T, D]
 * @param {Record<string, Tensor>} weights  w_gate and w_up [D, F], w_down [F, D]
 * @param {Tap} [tap]
 * @returns {Tensor}       [B, T, D]
 */
export function feedForward(normed, weights, tap = passThrough) {
  const gate = tap("gate", matmul(normed, weights.w_gate));
  const up = tap("up", matmul(normed, weights.w_up));
  const curved = tap("silu", mapValues(gate, silu));
  const gated = tap("mlp_act", multiply(curved, up));
  return tap("mlp_out", matmul(gated, weights.w_down));
}
