import { axesOf, placeOf, tensorOf } from "../../lib/cells.js";
import { largestSize } from "../../lib/differences.js";
import { nextCell } from "../../lib/grid-keys.js";
import { visible } from "../../lib/labels.js";
import { unitOf } from "../../lib/tensor-axes.js";

/**
 * One matrix of a tensor, as a walk's state picks it: what a table or a canvas draws.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("../../lib/cells.js").Cell} Cell
 * @typedef {import("../../lib/computed-run.js").Run} Run
 *
 * @typedef {object} View
 * @property {string} name
 * @property {boolean} parameter
 * @property {string[]} axes     of the whole tensor
 * @property {number[]} shape    of the whole tensor
 * @property {number[]} before   the index on all axes but the last two
 * @property {number} rows
 * @property {number} columns
 * @property {string} rowAxis
 * @property {string} columnAxis
 * @property {string[]} rowLabels     "" where a place has only its number
 * @property {string[]} columnLabels
 * @property {Float64Array} values    [rows * columns]
 * @property {Uint8Array | undefined} forbidden  [rows * columns]
 * @property {number | null} scale  the whole tensor's largest, null for probabilities
 * @property {number} row     that is followed
 * @property {number} column  of the chosen cell in it
 */

// Positions that are read: their place is the selection's key.
const READ = new Set(["k_flat", "v_flat", "k", "v", "k_rotated"]);

/** @type {WeakMap<object, number>} */
const scales = new WeakMap();

/**
 * Return the View of a tensor or a weight.  Throws RangeError where the run has none.
 * @param {Run} run
 * @param {{name: string, parameter: boolean}} which
 * @param {State} state
 * @returns {View}
 */
export function viewOf(run, { name, parameter }, state) {
  const cell = cellAt(name, parameter, []);
  const tensor = tensorOf(run, cell);
  const axes = axesOf({ ...cell, index: tensor.shape });
  const single = axes.length === 1; // a gain: one row
  const shape = single ? [1, ...tensor.shape] : tensor.shape;
  const [rowAxis, columnAxis] = single ? ["", axes[0]] : axes.slice(-2);
  const [rows, columns] = shape.slice(-2);
  const before = single ? [] : axes.slice(0, -2).map((axis, i) =>
    leading(axis, tensor.shape[i], run, state));
  const matrix = before.reduce((at, n, i) => at * tensor.shape[i] + n, 0);
  const first = matrix * rows * columns;
  return {
    name, parameter, axes, shape: tensor.shape, before, rows, columns, rowAxis,
    columnAxis,
    rowLabels: labelsOf(run, rowAxis, rows),
    columnLabels: labelsOf(run, columnAxis, columns),
    values: tensor.values.subarray(first, first + rows * columns),
    forbidden: masked(name, parameter) ? run.trace.forbidden : undefined,
    scale: !parameter && unitOf(name) === "probability" ? null : scaleOf(tensor),
    row: placeOn(rowAxis, name, state, rows),
    column: placeOn(columnAxis, name, state, columns),
  };
}

/**
 * Return the place on an axis before the last two: the batch's first item, the head.
 * @param {string} axis
 * @param {number} length
 * @param {Run} run
 * @param {State} state
 */
function leading(axis, length, run, { head }) {
  if (axis === "batch") return 0;
  if (axis === "head") return Math.min(head, length - 1);
  const queryHeads = run.model.config.num_attention_heads;
  return Math.min(Math.floor(head / (queryHeads / length)), length - 1);
}

/**
 * @param {string} name
 * @param {boolean} parameter
 */
function masked(name, parameter) {
  return !parameter && ["masked_scores", "weights"].includes(placeOf(name).short);
}

/** @param {import("../../lib/tensors.js").Tensor} tensor */
function scaleOf(tensor) {
  const scale = scales.get(tensor) ?? largestSize(tensor.values);
  scales.set(tensor, scale);
  return scale;
}

/**
 * @param {Run} run
 * @param {string} axis
 * @param {number} length
 */
function labelsOf(run, axis, length) {
  const words = axis === "vocab" ? run.vocabulary
    : ["position", "query", "key"].includes(axis) ? run.labels : [];
  return Array.from({ length }, (_, i) =>
    words[i] === undefined ? "" : visible(String(words[i])));
}

/**
 * Return which part of the selection an axis follows; "" where none.
 * @param {string} axis
 * @param {string} name
 * @returns {"query" | "key" | ""}
 */
function followed(axis, name) {
  if (axis === "query" || axis === "key") return axis;
  if (axis !== "position") return "";
  return READ.has(placeOf(name).short) ? "key" : "query";
}

/**
 * @param {string} axis
 * @param {string} name
 * @param {State} state
 * @param {number} length
 */
function placeOn(axis, name, state, length) {
  const part = followed(axis, name);
  const place = part ? state[part] : state.places[axis] ?? 0;
  return Math.min(place, length - 1);
}

/**
 * Return what a state becomes when a cell of a view is chosen.
 * @param {View} view
 * @param {State} state
 * @param {{row: number, column: number}} to
 * @returns {Partial<State>}
 */
export function choosing({ name, rowAxis, columnAxis }, state, { row, column }) {
  /** @type {Partial<State>} */
  const change = {};
  const places = { ...state.places };
  for (const [axis, place] of /** @type {const} */ (
    [[rowAxis, row], [columnAxis, column]])) {
    const part = followed(axis, name);
    if (part) change[part] = place;
    else places[axis] = place;
  }
  return { ...change, places };
}

/**
 * Return what a state becomes by a key of a grid, or null where it is none.
 * @param {View} view
 * @param {State} state
 * @param {KeyboardEvent} press
 * @param {{row: number, column: number}} from
 */
export function moved(view, state, press, { row, column }) {
  const next = nextCell(press, { query: row, key: column },
    { queries: view.rows, keys: view.columns });
  return next && choosing(view, state, { row: next.query, column: next.key });
}

/**
 * Return what a state becomes when a trail of cells is opened: the last of them is
 * chosen in the pictures too.
 * @param {Cell[]} trail
 * @param {State} state
 * @param {Run} run
 * @returns {Partial<State>}
 */
export function opening(trail, state, run) {
  if (!trail.length) return { open: trail };
  const cell = trail[trail.length - 1];
  /** @type {Partial<State>} */
  const change = { open: trail, places: { ...state.places } };
  axesOf(cell).forEach((axis, i) => {
    const part = cell.parameter ? "" : followed(axis, cell.name);
    if (part) change[part] = cell.index[i];
    else if (axis === "head") change.head = cell.index[i];
    else if (axis === "kv_head") change.head = headOf(cell, cell.index[i], state, run);
    else if (change.places) change.places[axis] = cell.index[i];
  });
  return change;
}

/**
 * Return a query head that uses a KV head: the one of the state where it does.
 * @param {Cell} cell
 * @param {number} kvHead
 * @param {State} state
 * @param {Run} run
 */
function headOf(cell, kvHead, { head }, run) {
  const size = run.model.config.num_attention_heads / tensorOf(run, cell).shape[1];
  return Math.floor(head / size) === kvHead ? head : kvHead * size;
}

/**
 * @param {string} name
 * @param {boolean} parameter
 * @param {number[]} index
 * @returns {Cell}
 */
function cellAt(name, parameter, index) {
  return parameter ? { name, index, parameter: true } : { name, index };
}

/**
 * Return the chosen cell of a view.
 * @param {View} view
 */
export function chosenCell({ name, parameter, axes, before, row, column }) {
  const index = axes.length === 1 ? [column] : [...before, row, column];
  return cellAt(name, parameter, index);
}

/**
 * Return a view's number, as how much of its scale: −1 to 1, or 0 to 1.
 * @param {View} view
 * @param {number} i  of its values
 */
export function shareAt({ values, scale }, i) {
  return scale === null ? values[i] : values[i] / (scale || 1);
}
