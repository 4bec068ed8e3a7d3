import { axesOf, placeOf } from "../../lib/cells.js";
import { visible } from "../../lib/labels.js";
import { fixed } from "../../lib/numbers.js";
import { fill } from "../../lib/sentences.js";
import { placeText } from "../../lib/terms-numpy.js";
import { largestTerms } from "../../lib/terms.js";

/**
 * An opened number in words.  The sentences stand in the page's template.
 *
 * @typedef {import("../../lib/cells.js").Cell} Cell
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("../../lib/terms-place.js").Term} Term
 *
 * @typedef {object} Labels
 * @property {string[]} labels      of the run's tokens
 * @property {string[]} vocabulary  of all tokens
 */

const LARGEST = 3;
const LABELLED = ["position", "query", "key"];
const ISOLATED = ["\u2068", "\u2069"]; // a label's direction stays within it

export class Words {
  /**
   * @param {HTMLElement} source  has the sentences, as data- attributes
   * @param {Labels} run
   */
  constructor(source, run) {
    this.source = source;
    this.run = run;
  }

  /**
   * @param {string} name
   * @param {Record<string, string | number>} [values]
   */
  say(name, values = {}) {
    return fill(this.source.getAttribute(`data-${name}`) ?? "", values);
  }

  /**
   * Return one number of an index in words: "query 2 (river)".
   * @param {string} axis
   * @param {number} n
   */
  axis(axis, n) {
    const label = LABELLED.includes(axis) ? this.run.labels[n] : this.token(n);
    return this.say(axis.replace("_", "-"), { n, label: isolated(label) });
  }

  /** @param {number} token */
  token(token) {
    return this.run.vocabulary[token] ?? "";
  }

  /**
   * Return a tensor's name in words: "scores of layer 0", "parameter wq of layer 0".
   * @param {Cell} cell
   */
  tensor({ name, parameter }) {
    const { layer, short } = placeOf(name);
    const own = layer === null ? short : this.say("layer", { name: short, layer });
    return parameter ? this.say("parameter", { name: own }) : own;
  }

  /**
   * Return where a cell is: "scores of layer 0, head 1, query 2 (river), key 0 (the)".
   * @param {Cell} cell
   */
  place(cell) {
    const axes = axesOf(cell).map((axis, i) => ({ axis, n: cell.index[i] }));
    const said = axes.filter(({ axis }) => axis !== "batch")
      .map(({ axis, n }) => this.axis(axis, n));
    return [this.tensor(cell), ...said].join(", ");
  }

  /**
   * Return what a term stands for: a place on an axis, or the tensors that it is of.
   * @param {Opened} opened
   * @param {Term} term
   */
  term({ parts }, { key, factors }) {
    if (key !== undefined && parts.axis) return this.axis(String(parts.axis), key);
    return factors.map(({ cell }) => cell ? this.tensor(cell) : "").join(" × ");
  }

  /**
   * Return the sentence of how a number was made.
   * @param {Opened} opened
   */
  kind(opened) {
    const { kind, parts, terms, groups } = opened;
    return this.say(`kind-${kind}${maskCase(opened)}`, {
      ...this.numbers(opened), count: terms.length, updates: groups.length - 1,
      left_place: columnPlace(terms, 0), right_place: columnPlace(terms, 1),
      label: isolated(this.token(Number(parts.token))),
    });
  }

  /**
   * Return what the sentences may have of an opened number's parts.
   * @param {Opened} opened
   */
  numbers({ parts }) {
    const degrees = brief(Number(parts.angle) * 180 / Math.PI);
    return { degrees, ...Object.fromEntries(Object.entries(parts).map(([name, part]) =>
      [name, typeof part === "number" ? brief(part) : part])) };
  }

  /**
   * Return the sentence that names the largest terms.
   * @param {Opened} opened
   */
  largest(opened) {
    const terms = largestTerms(opened.terms).slice(0, LARGEST).map((term) =>
      this.say("largest-term",
        { name: this.term(opened, term), value: brief(term.value) }));
    return this.say("largest", { terms: terms.join(", ") });
  }
}

/** @param {Opened} opened */
function maskCase({ kind, parts }) {
  if (kind !== "mask" || !parts.later) return "";
  return parts.sees ? "-off" : "-later";
}

/**
 * Return where the terms' first or second factors stand: "final_norm[0,5,:]".
 * @param {Term[]} terms
 * @param {number} at
 */
function columnPlace(terms, at) {
  return placeText(terms.flatMap(({ factors }) => factors.slice(at, at + 1)));
}

/** @param {string} label */
function isolated(label) {
  return ISOLATED.join(visible(label ?? ""));
}

/**
 * Return a number with every digit: read back, it is the same number.
 * @param {number} number
 */
export function full(number) {
  return Number.isFinite(number)
    ? String(number).replaceAll("-", "\u2212") : fixed(number, 0);
}

/**
 * Return a number with six decimals, or, where it is small, as many digits; a number
 * that has fewer is written as it is.
 * @param {number} number
 */
export function brief(number) {
  const digits = Math.abs(number) < 1e-4
    ? full(Number(number.toPrecision(6))) : fixed(number, 6);
  const whole = full(number);
  return whole.length < digits.length ? whole : digits;
}
