import { Cache } from "./cache.js";
import { largestDifference, largestSize } from "./differences.js";
import { kindOf, rowAxisOf } from "./tensor-axes.js";
import { sizeOf } from "./tensors.js";

/**
 * What a change did to a run: which tensors moved, and which properties still hold.
 *
 * @typedef {import("./computed-run.js").Run} Run
 * @typedef {import("./tensors.js").Tensor} Tensor
 *
 * @typedef {object} Moved
 * @property {string} name
 * @property {number} largest   the largest difference; 0 where it did not move
 * @property {number[]} rows    positions whose numbers moved
 * @property {number} of        how many positions it has
 * @property {boolean} reshaped  its shape is another, and nothing was compared
 *
 * @typedef {object} Property
 * @property {"row_sums" | "triangle" | "first_row" | "relative"} id
 * @property {boolean} holds
 * @property {number} measured  how far it is from holding exactly
 */

export const ROUNDING = 1e-12; // of the largest value: below it nothing has moved
const SAME_LOGITS = 1e-11; // of the largest, as --verify of tiny_llama.py allows
const SHIFT = 7; // positions

/**
 * Return how each tensor of a run differs from an earlier one, in order of making.
 * @param {Run} before
 * @param {Run} after
 * @returns {Moved[]}
 */
export function movedTensors(before, after) {
  return Object.entries(after.tensors).map(([name, tensor]) => {
    const axis = rowAxisOf(name);
    const moved = movement(before.tensors[name], tensor, axis);
    // A tensor without positions is about the last one.
    const rows = axis < 0 ? moved.rows.map(() => after.tokens.length - 1) : moved.rows;
    return { name, ...moved, rows };
  });
}

/**
 * @param {Tensor} before
 * @param {Tensor} after
 * @param {number} axis  of the positions; -1: the first, the batch, of one item
 * @returns {Omit<Moved, "name">}
 */
function movement(before, after, axis) {
  const of = after.shape[Math.max(axis, 0)];
  if (String(before.shape) !== String(after.shape)) {
    const rows = Array.from({ length: of }, (_, row) => row);
    return { largest: Infinity, rows, of, reshaped: true };
  }
  const least = ROUNDING * largestSize(before.values);
  const largest = largestDifference(after.values, before.values);
  if (largest <= least) return { largest: 0, rows: [], of, reshaped: false };
  const rows = movedRows(before, after, Math.max(axis, 0), least);
  return { largest, rows, of, reshaped: false };
}

/**
 * @param {Tensor} before
 * @param {Tensor} after
 * @param {number} axis
 * @param {number} least
 */
function movedRows(before, after, axis, least) {
  const width = sizeOf(after.shape.slice(axis + 1));
  /** @type {Set<number>} */
  const rows = new Set();
  after.values.forEach((value, i) => {
    const same = value === before.values[i]; // equal infinities have no difference
    if (same || Math.abs(value - before.values[i]) <= least) return;
    rows.add(Math.floor(i / width) % after.shape[axis]);
  });
  return [...rows].sort((a, b) => a - b);
}

/**
 * Return which properties of causal attention hold in all layers of a run.
 * @param {Run} run
 * @returns {Property[]}
 */
export function properties(run) {
  const weights = Object.entries(run.tensors)
    .filter(([name]) => kindOf(name) === "weights").map(([, tensor]) => tensor);
  /** @param {(tensor: Tensor) => number} measure */
  const worst = (measure) => Math.max(...weights.map(measure));
  return [
    property("row_sums", worst(offRowSums), ROUNDING),
    property("triangle", worst(largestFuture), 0),
    property("first_row", worst(offFirstRow), 0),
    property("relative", offShifted(run), SAME_LOGITS),
  ];
}

/**
 * @param {Property["id"]} id
 * @param {number} measured
 * @param {number} limit
 * @returns {Property}
 */
function property(id, measured, limit) {
  return { id, measured, holds: measured <= limit };
}

/**
 * Return how far a row's sum is from one, at most.
 * @param {Tensor} weights  [B, H, T, S]
 */
function offRowSums({ shape, values }) {
  const keys = shape[3];
  const sums = new Float64Array(values.length / keys);
  values.forEach((weight, i) => { sums[Math.floor(i / keys)] += weight; });
  return largestDifference(sums, new Float64Array(sums.length).fill(1));
}

/**
 * Return the largest weight of a later position.
 * @param {Tensor} weights  [B, H, T, S], the queries being the last positions
 */
function largestFuture({ shape: [, , queries, keys], values }) {
  return largestSize(values.filter((_, i) =>
    i % keys > Math.floor(i / keys) % queries + keys - queries));
}

/**
 * Return how far the first position's row is from 1, 0, 0, …
 * @param {Tensor} weights  [B, H, T, S]
 */
function offFirstRow({ shape: [, , queries, keys], values }) {
  const first = values.filter((_, i) => Math.floor(i / keys) % queries === 0);
  return largestDifference(first, first.map((_, i) => Number(i % keys === 0)));
}

/**
 * Return how far the logits move when all positions do, over the largest logit.
 * @param {Run} run
 */
function offShifted({ model, tokens, tensors }) {
  const cache = new Cache(model, 1, tokens.length, SHIFT);
  const shifted = model.call([tokens], cache).values;
  return largestDifference(shifted, tensors.logits.values)
    / largestSize(tensors.logits.values);
}
