import { sumOf } from "./matrix.js";

/**
 * The mask of a chunk: new queries over all keys so far, of which some were stored by
 * earlier calls.  sitegen/directives/mask_aligner.py computes the same;
 * tests/cases/masks.json holds both to it.
 *
 * Axes: T new queries, S keys, stored and new.  Key s stands at position s, query t at
 * position stored + t.
 *
 * @typedef {"right" | "left" | "late" | "early"} MaskName
 *
 * @typedef {object} Chunk
 * @property {number} stored  positions of earlier calls
 * @property {number} count   of new positions, at least one
 *
 * @typedef {object} Row  one query
 * @property {number} position
 * @property {Uint8Array} allowed    [S], 1 where the mask lets it look
 * @property {Float64Array} weights  [S], NaN throughout where it may look nowhere
 * @property {number} sum            of the weights
 * @property {number} leak           weight on later keys; NaN in an empty row
 * @property {number} hidden         weight that the right mask gives to hidden keys
 * @property {boolean} empty         it may look nowhere
 * @property {number} missed         keys that the right mask allows and this one hides
 *
 * @typedef {object} Findings  of all rows
 * @property {number} leak       sum over the rows that have weights
 * @property {number} hidden     sum
 * @property {number[]} leaking  positions of the rows that take from a later key
 * @property {number[]} blind    positions of the rows that miss their own key
 * @property {number[]} empty    positions of the rows that may look nowhere
 * @property {number} missed     keys that a row misses, at most
 * @property {boolean} same      the mask is the right one, cell by cell
 * @property {boolean} sums      every row's weights sum to one
 */

const SUM_ROUNDING = 1e-12;

/** @type {MaskName[]} */
export const MASK_NAMES = ["right", "left", "late", "early"];

/** Whether a query may look at a key, by their positions.
 * @type {Record<MaskName, (query: number, key: number, stored: number) => boolean>} */
export const MASKS = {
  right: (query, key) => key <= query,
  left: (query, key, stored) => key <= query - stored, // row and column numbers
  late: (query, key) => key <= query + 1,
  early: (query, key) => key < query,
};

/**
 * Return the chunk nearest to a wanted one among those that fit: the number of new
 * positions gives way.
 * @param {Chunk} wanted
 * @param {number} positions  in all
 * @returns {Chunk}
 */
export function possibleChunk({ stored, count }, positions) {
  const begin = Math.min(Math.max(Math.trunc(stored) || 0, 0), positions - 1);
  return {
    stored: begin,
    count: Math.min(Math.max(Math.trunc(count) || 1, 1), positions - begin),
  };
}

/**
 * Return a chunk with one of its borders moved, as far as the other one lets it.
 * @param {Chunk} chunk
 * @param {"begin" | "end"} border
 * @param {number} to         positions before it
 * @param {number} positions  in all
 * @returns {Chunk}
 */
export function movedBorder({ stored, count }, border, to, positions) {
  const end = stored + count;
  if (border === "end") {
    return { stored, count: Math.min(Math.max(to, stored + 1), positions) - stored };
  }
  const begin = Math.min(Math.max(to, 0), end - 1);
  return { stored: begin, count: end - begin };
}

/**
 * Return the rows of a chunk under a mask.
 * @param {import("./matrix.js").Matrix} scores  of a head, before any mask, of all
 *   positions at least up to the chunk's end
 * @param {Chunk} chunk
 * @param {MaskName} mask
 * @returns {Row[]}  [T]
 */
export function chunkRows(scores, { stored, count }, mask) {
  return Array.from({ length: count }, (_, t) => {
    const position = stored + t;
    const from = position * scores.keys;
    const row = scores.values.subarray(from, from + stored + count);
    return maskedRow(row, position, (key) => MASKS[mask](position, key, stored));
  });
}

/**
 * @param {Float64Array | Float32Array} scores  [S]
 * @param {number} position  of the query
 * @param {(key: number) => boolean} sees
 * @returns {Row}
 */
function maskedRow(scores, position, sees) {
  const allowed = Uint8Array.from(scores, (_, key) => Number(sees(key)));
  const right = Uint8Array.from(scores, (_, key) => Number(key <= position));
  const [weights, rightWeights] = [allowed, right].map((keys) =>
    softmaxOver(scores, keys));
  const missing = right.map((seen, key) => Number(seen && !allowed[key]));
  const later = right.map((seen) => 1 - seen);
  return {
    position, allowed, weights,
    sum: sumOf(weights),
    leak: markedSum(weights, later),
    hidden: markedSum(rightWeights, missing),
    empty: !allowed.includes(1),
    missed: sumOf(missing),
  };
}

/**
 * Return the weights of a row: softmax over its allowed keys, 0 elsewhere; NaN where
 * none is allowed.
 * @param {Float64Array | Float32Array} scores  [S]
 * @param {Uint8Array} allowed                  [S]
 */
function softmaxOver(scores, allowed) {
  const masked = Float64Array.from(scores, (score, key) =>
    allowed[key] ? score : -Infinity);
  const maximum = Math.max(...masked);
  const powers = masked.map((score) => Math.exp(score - maximum));
  const sum = sumOf(powers);
  return powers.map((power) => power / sum);
}

/**
 * Return the sum of the numbers that are marked 1; NaN where there is one among them.
 * @param {ArrayLike<number>} numbers
 * @param {ArrayLike<number>} marked  0 or 1
 */
function markedSum(numbers, marked) {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] * marked[i];
  return sum;
}

/**
 * Return what all rows of a chunk show of its mask.
 * @param {Row[]} rows
 * @returns {Findings}
 */
export function findingsOf(rows) {
  /** @param {(row: Row) => boolean} holds */
  const positions = (holds) => rows.filter(holds).map(({ position }) => position);
  const filled = rows.filter(({ empty }) => !empty);
  return {
    leak: sumOf(filled.map(({ leak }) => leak)),
    hidden: sumOf(rows.map(({ hidden }) => hidden)),
    leaking: positions(({ leak }) => leak > 0),
    blind: positions(({ allowed, position }) => !allowed[position]),
    empty: positions(({ empty }) => empty),
    missed: Math.max(...rows.map(({ missed }) => missed)),
    same: rows.every(({ allowed, position }) =>
      allowed.every((seen, key) => seen === Number(key <= position))),
    sums: rows.every(({ sum }) => Math.abs(sum - 1) <= SUM_ROUNDING),
  };
}
