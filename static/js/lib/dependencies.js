import { largestSize } from "./differences.js";
import { ROUNDING } from "./effects.js";
import { powerOfTen } from "./powers.js";
import { STOPS } from "./ramp.js";
import { blockOf } from "./tensors.js";
import { recordTensors } from "./tiny-llama.js";

/**
 * Which cached entries depend on which token: both sequences are run, and compared.
 *
 * Axes: L layers, T positions; j is the position whose token is replaced, p that of an
 * entry.  content/articles/kv-cache/experiments_cache.py computes the same.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {import("./tiny-llama.js").TinyLlama} TinyLlama
 *
 * @typedef {object} LayerChanges  sizes of changes, [T * T], row j, column p, over the
 *   largest size of the layer's keys, or of its values, before the change
 * @property {Float64Array} keys
 * @property {Float64Array} values
 * @property {Float64Array} either  the larger of the two
 */

const STOPS_A_DECADE = 2;
const LEAST_FIXED = 0.095; // from here on a decimal is a digit

/**
 * Return the token that is put at a position: the wanted one, and the next one where
 * it stands there already.
 * @param {number} standing
 * @param {number} wanted
 * @param {number} vocabSize
 */
export function replacementOf(standing, wanted, vocabSize) {
  return standing === wanted ? (wanted + 1) % vocabSize : wanted;
}

/**
 * Return, layer by layer, how far each entry changes with each token.
 * @param {TinyLlama} model
 * @param {number[]} tokens  [T]
 * @param {number} wanted    what each of them is replaced by
 * @returns {LayerChanges[]}  [L]
 */
export function entryChanges(model, tokens, wanted) {
  const { vocab_size: vocabSize, num_hidden_layers: layers } = model.config;
  const before = recordTensors(model, [tokens]);
  const after = tokens.map((token, at) => recordTensors(model,
    [tokens.with(at, replacementOf(token, wanted, vocabSize))]));
  return Array.from({ length: layers }, (_, layer) => {
    const [keys, values] = ["k_rotated", "v"].map((kind) => {
      const name = `layers.${layer}.${kind}`;
      return rowsOf(after.map((run) => changesOf(run[name], before[name])));
    });
    return { keys, values, either: keys.map((size, i) => Math.max(size, values[i])) };
  });
}

/** @param {Float64Array[]} rows */
function rowsOf(rows) {
  const all = new Float64Array(rows.length * rows[0].length);
  rows.forEach((row, j) => all.set(row, j * row.length));
  return all;
}

/**
 * Return the largest change at each position, over the largest size before it, [T].
 * @param {Tensor} after   [1, Hkv, T, dh]
 * @param {Tensor} before  of the same shape
 */
function changesOf(after, before) {
  const [, heads, length, width] = before.shape;
  const largest = new Float64Array(length);
  for (let head = 0; head < heads; head++) {
    const [now, was] = [after, before].map((tensor) => blockOf(tensor, head));
    now.forEach((value, i) => {
      const position = Math.floor(i / width);
      largest[position] = Math.max(largest[position], Math.abs(value - was[i]));
    });
  }
  const whole = largestSize(before.values);
  return largest.map((size) => size / whole);
}

/**
 * Return the positions of a row whose entries changed by more than rounding.
 * @param {ArrayLike<number>} row  [T]
 */
export function changedPositions(row) {
  return Array.from(row, (size, p) => size > ROUNDING ? p : -1).filter((p) => p >= 0);
}

/**
 * Return how many entries, from the first on, are the same in every layer: what a cache
 * has for another prompt.
 * @param {number[][]} changed  of each layer, the positions that changed
 * @param {number} length       positions
 */
export function samePrefix(changed, length) {
  return Math.min(length, ...changed.flat());
}

/**
 * Return a change as a cell shows it: one digit, "" where nothing changed.
 * @param {number} size
 */
export function inOneDigit(size) {
  if (size <= ROUNDING) return "";
  return size < LEAST_FIXED ? powerOfTen(size) : size.toFixed(1);
}

/**
 * Return a change's colour: two stops a decade, the last for 1 and more.
 * @param {number} size
 * @returns {string} w1 … w16, or "same"
 */
export function changeClass(size) {
  if (size <= ROUNDING) return "same";
  const stop = STOPS + Math.floor(STOPS_A_DECADE * Math.log10(size) + 0.5);
  return `w${Math.min(Math.max(stop, 1), STOPS)}`;
}
