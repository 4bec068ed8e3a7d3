import { dimsOf } from "./tensor-axes.js";
import { valueAt } from "./tensors.js";

/**
 * Cells: one number of a model's tensors or parameters, its place, and its text.
 *
 * @typedef {object} Cell
 * @property {string} name  as in "layers.0.scores"; a parameter has tiny_llama.py's
 * @property {number[]} index  a number for each axis, the batch's included
 * @property {true} [parameter]
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 */

const TEXT = /^([a-z_][\w.]*)(\*?)\[(\d{1,6}(?:,\d{1,6})*)\]$/;

/** @type {Record<string, string[]>} */
const PARAMETER_AXES = {
  embedding: ["vocab", "channel"], lm_head: ["channel", "vocab"],
};

/**
 * Return a cell's text: `layers.0.scores[0,1,2,0]`, a parameter's with a star,
 * `layers.0.wq*[3,8]`.
 * @param {Cell} cell
 */
export function formatCell({ name, index, parameter }) {
  return `${name}${parameter ? "*" : ""}[${index.join(",")}]`;
}

/**
 * Return the cell that a text names, or null.  Whether a run has it, valueOf says.
 * @param {string} text
 * @returns {Cell | null}
 */
export function parseCell(text) {
  const found = TEXT.exec(text);
  if (!found) return null;
  const [, name, star, numbers] = found;
  const index = numbers.split(",").map(Number);
  return star ? { name, index, parameter: true } : { name, index };
}

/**
 * @param {Cell} one
 * @param {Cell} other
 */
export function sameCell(one, other) {
  return formatCell(one) === formatCell(other);
}

/**
 * Return a name's layer, null outside of the layers, and its last part.
 * @param {string} name  "layers.0.scores" is layer 0's "scores"
 * @returns {{layer: number | null, short: string}}
 */
export function placeOf(name) {
  const [, layer, short] = /^layers\.(\d+)\.(\w+)$/.exec(name) || [];
  return short ? { layer: Number(layer), short } : { layer: null, short: name };
}

/**
 * Return what each number of a cell's index counts.
 * @param {Cell} cell
 * @returns {string[]}
 */
export function axesOf({ name, index, parameter }) {
  if (!parameter) return dimsOf(name);
  return PARAMETER_AXES[name] ?? (index.length === 1 ? ["channel"] : ["in", "out"]);
}

/**
 * Return the tensor or the parameter that a cell is of.  Throws RangeError.
 * @param {{tensors: Record<string, Tensor>,
 *   model: {weights: Record<string, Tensor>}}} run
 * @param {Cell} cell
 * @returns {Tensor}
 */
export function tensorOf(run, { name, parameter }) {
  const among = parameter ? run.model.weights : run.tensors;
  if (!Object.hasOwn(among, name)) {
    throw new RangeError(`no ${parameter ? "parameter" : "tensor"} ${name}`);
  }
  return among[name];
}

/**
 * Return the number in a cell.  Throws RangeError where the run has no such cell.
 * @param {Parameters<typeof tensorOf>[0]} run
 * @param {Cell} cell
 */
export function valueOf(run, cell) {
  return valueAt(tensorOf(run, cell), cell.index);
}
