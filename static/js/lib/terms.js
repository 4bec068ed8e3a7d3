import { formatCell, valueOf } from "./cells.js";
import { indexOf } from "./tensors.js";
import {
  gated, mask, nextTokenProbability, norm, rotation, silu, weight,
} from "./terms-functions.js";
import { Place, product } from "./terms-place.js";
import {
  headsSum, logit, lookup, mergedCopy, mixture, projection, residual, score, splitCopy,
} from "./terms-sums.js";

/**
 * Open a number: the expression that made it, term by term, with each number's cell.
 *
 * @typedef {import("./terms-place.js").Cell} Cell
 * @typedef {import("./terms-place.js").Computed} Computed
 * @typedef {import("./terms-place.js").Term} Term
 * @typedef {import("./terms-place.js").Factor} Factor
 * @typedef {import("./terms-place.js").Group} Group
 * @typedef {import("./terms-place.js").Expression} Expression
 *
 * @typedef {object} OwnNumber
 * @property {Cell} cell
 * @property {number} value       what the run's tensor holds
 * @property {number} difference  total - value, as it is; 0 where both are the same
 * @property {Factor[]} applied
 * @property {Group[]} groups
 *
 * @typedef {Expression & OwnNumber} Opened
 */

/** @type {Record<string, (place: Place) => Expression>} by the last part of a name */
const EXPRESSIONS = {
  embedding: lookup,
  attn_norm: norm, mlp_norm: norm, final_norm: norm,
  q_flat: projection, k_flat: projection, v_flat: projection,
  q: splitCopy, k: splitCopy, v: splitCopy,
  q_rotated: rotation, k_rotated: rotation,
  scores: score, masked_scores: mask, weights: weight,
  heads: mixture, merged: mergedCopy, attn_out: headsSum,
  resid_mid: residual, resid_out: residual,
  gate: projection, up: projection, silu, mlp_act: gated, mlp_out: projection,
  logits: logit, next_token_probs: nextTokenProbability,
};

/**
 * Return how a run made the number in a cell.
 *
 * Throws RangeError for a cell that the run does not have.
 * @param {Computed} run
 * @param {Cell} cell
 * @returns {Opened}
 */
export function openCell(run, cell) {
  const value = valueOf(run, cell);
  const made = cell.parameter ? parameter(value) : expressionOf(run, cell);
  const difference = Object.is(made.total, value) ? 0 : made.total - value;
  return { groups: [], applied: [], ...made, cell, value, difference };
}

/**
 * Return an opened number's terms, the largest first; equal ones keep their order.
 * @param {Term[]} terms
 */
export function largestTerms(terms) {
  return [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}

/**
 * @param {number} value
 * @returns {Expression}
 */
function parameter(value) {
  return { kind: "parameter", terms: [], total: value, parts: {} };
}

/**
 * @param {Computed} run
 * @param {Cell} cell
 * @returns {Expression}
 */
function expressionOf(run, cell) {
  const made = madeBy(run, cell);
  const { replaced } = run.model.operations;
  const shown = run.tensors[cell.name];
  if (replaced(cell.name, shown) === shown) return made;
  const total = valueOf({ ...run, tensors: {
    [cell.name]: replaced(cell.name, tensorMade(run, cell.name)),
  } }, cell);
  if (total === made.total) return made;
  const { factors: [from] } = made.terms[0];
  const known = made.terms.length === 1 && from.value === made.total;
  const term = product([known ? from : { value: made.total }]);
  const parts = { made: made.total, change: run.choice.change };
  return { kind: "replaced", terms: [term], total, parts };
}

/**
 * Return what the model's own step made of a cell, before a change replaced it.
 * @param {Computed} run
 * @param {Cell} cell
 */
function madeBy(run, cell) {
  const place = new Place(run, cell);
  const express = EXPRESSIONS[place.short];
  if (!express) throw new RangeError(`no step makes ${formatCell(cell)}`);
  return express(place);
}

/**
 * Return a whole tensor as the model's own step made it, number by number.
 * @param {Computed} run
 * @param {string} name
 */
function tensorMade(run, name) {
  const { shape, values } = run.tensors[name];
  const numbers = Float64Array.from(values, (_, offset) =>
    madeBy(run, { name, index: indexOf(shape, offset) }).total);
  return { shape, values: numbers };
}
