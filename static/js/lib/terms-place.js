import { placeOf, tensorOf, valueOf } from "./cells.js";

/**
 * An opened cell's surroundings: what its expression reads, each number with its cell.
 *
 * @typedef {import("./cells.js").Cell} Cell
 * @typedef {import("./tensors.js").Tensor} Tensor
 *
 * @typedef {import("./decoder-operations.js").Operations} Operations
 *
 * @typedef {object} Computed  what is read of a run
 * @property {{config: Record<string, any>, weights: Record<string, Tensor>,
 *   operations: Operations}} model
 * @property {Record<string, Tensor>} tensors
 * @property {number[]} tokens  that ran
 * @property {{change: string}} choice
 * @property {{input: {position_ids: any}}} trace
 *
 * @typedef {object} Factor
 * @property {number} value
 * @property {Cell} [cell]  where it stands; a number without one is made on the way
 *
 * @typedef {object} Term
 * @property {number} value
 * @property {Factor[]} factors
 * @property {number} [key]  what it is the term of: `parts.axis` says what that counts
 *
 * @typedef {object} Group  terms that belong together, and what they add up to
 * @property {number} subtotal
 * @property {number} [head]
 * @property {number} [from]  first term
 * @property {number} [to]    one past the last
 * @property {Cell} [cell]    the number that is the subtotal
 *
 * @typedef {"parameter" | "lookup" | "norm" | "dot" | "copy" | "rotation" | "scores"
 *   | "mask" | "softmax" | "mixture" | "heads-sum" | "silu" | "gated" | "sum"
 *   | "replaced"} Kind
 *
 * @typedef {object} Expression  how one number was made
 * @property {Kind} kind
 * @property {Term[]} terms
 * @property {number} total  the terms, combined by the kind's rule
 * @property {Record<string, number | string>} parts  what the kind's words need
 * @property {Factor[]} [applied]  what the rule takes beside the terms
 * @property {Group[]} [groups]
 */

export class Place {
  /**
   * @param {Computed} run
   * @param {Cell} cell
   */
  constructor(run, cell) {
    const { layer, short } = placeOf(cell.name);
    this.run = run;
    this.index = cell.index;
    this.layer = layer;
    this.short = short;
    this.shape = tensorOf(run, cell).shape;
  }

  /** The state that the layer reads. */
  get stateBefore() {
    const { num_hidden_layers: layers } = this.run.model.config;
    const before = (this.layer ?? layers) - 1;
    return before < 0 ? "embedding" : `layers.${before}.resid_out`;
  }

  /**
   * Return the full name of a tensor or a parameter beside this one.
   * @param {string} short
   */
  beside(short) {
    return this.layer === null ? short : `layers.${this.layer}.${short}`;
  }

  /**
   * @param {string} name  full
   * @param {number[]} index
   * @returns {Factor}
   */
  tensor(name, index) {
    const cell = { name, index };
    return { value: valueOf(this.run, cell), cell };
  }

  /**
   * @param {string} name  full
   * @param {number[]} index
   * @returns {Factor}
   */
  weight(name, index) {
    /** @type {Cell} */
    const cell = { name, index, parameter: true };
    return { value: valueOf(this.run, cell), cell };
  }

  /**
   * @param {string} name  of a tensor, full
   * @returns {number[]}
   */
  shapeOf(name) {
    return tensorOf(this.run, { name, index: [] }).shape;
  }
}

/**
 * Return the term of some factors: their product.
 * @param {Factor[]} factors
 * @param {number} [key]
 * @returns {Term}
 */
export function product(factors, key) {
  const value = factors.reduce((made, factor) => made * factor.value, 1);
  return { value, factors, key };
}

/**
 * Return a term for each number below a count.
 * @param {number} count
 * @param {(key: number) => Factor[]} factorsOf
 * @returns {Term[]}
 */
export function products(count, factorsOf) {
  return Array.from({ length: count }, (_, key) => product(factorsOf(key), key));
}

/**
 * Return the sum of terms, in their order.
 * @param {Iterable<Term>} terms
 */
export function sumOfTerms(terms) {
  let sum = 0;
  for (const { value } of terms) sum += value;
  return sum;
}
