import { formatCell, placeOf } from "./cells.js";
import { python } from "./copy-formats.js";

/**
 * An opened number as NumPy, with the numbers in it: running it prints the value.
 *
 * @typedef {import("./terms.js").Opened} Opened
 * @typedef {import("./terms-place.js").Factor} Factor
 */

/** @type {Record<string, (opened: Opened) => string[]>} by kind */
const WRITERS = {
  parameter: ({ value }) => [`print(${python(value)})`],
  lookup: same, copy: same,
  dot: summed, mixture: summed, scores: summed, "heads-sum": headsSum,
  norm, rotation, mask, softmax, silu, gated, sum, replaced,
};

/**
 * Return a program of a few lines that calculates an opened number.
 * @param {Opened} opened
 */
export function numpyOf(opened) {
  const head = `# ${formatCell(opened.cell)}: ${python(opened.value)} in the page`;
  const lines = WRITERS[opened.kind](opened);
  return [head, "import numpy as np", "", ...lines, ""].join("\n");
}

/** @param {Opened} opened */
function same({ terms: [{ factors: [from] }] }) {
  return [...scalar(from), `print(${nameOf(from)})`];
}

/** @param {Opened} opened */
function summed({ kind, terms, parts }) {
  const columns = columnsOf(terms);
  const [left, right] = columns.map(([first]) => nameOf(first));
  const scale = kind === "scores" ? [`scale = ${python(Number(parts.scale))}`] : [];
  const scaled = scale.length ? " * scale" : "";
  return [...columns.flatMap(array), ...scale, `print(${left} @ ${right}${scaled})`];
}

/** @param {Opened} opened */
function headsSum({ terms, groups }) {
  const columns = columnsOf(terms);
  const [left, right] = columns.map(([first]) => nameOf(first));
  return [
    ...columns.flatMap(array),
    `heads = (${left} * ${right}).reshape(${groups.length}, -1).sum(axis=1)`,
    "print(heads.sum())",
  ];
}

/** @param {Opened} opened */
function norm({ terms, applied: [, gain], parts }) {
  const [state] = columnsOf(terms);
  const name = nameOf(state[0]);
  return [
    ...array(state),
    `gain = ${python(gain.value)}  # ${placeText([gain])}`,
    `mean_square = np.mean(${name} * ${name})`,
    `rms = np.sqrt(mean_square + ${python(Number(parts.eps))})`,
    `print(${name}[${parts.channel}] / rms * gain)`,
  ];
}

/** @param {Opened} opened */
function rotation({ parts }) {
  const turned = parts.side === "left"
    ? "left * np.cos(angle) - right * np.sin(angle)"
    : "right * np.cos(angle) + left * np.sin(angle)";
  return [
    `left, right = ${python(Number(parts.left))}, ${python(Number(parts.right))}`
      + `  # channels ${parts.left_channel} and ${parts.right_channel}`,
    `angle = ${parts.position} * ${python(Number(parts.frequency))}`
      + "  # position times frequency",
    `print(${turned})`,
  ];
}

/** @param {Opened} opened */
function mask({ terms: [{ factors: [score] }], parts }) {
  return [
    ...scalar(score),
    `allowed = ${parts.sees ? "True" : "False"}`
      + `  # key position ${parts.key_position}, query ${parts.query_position}`,
    `print(${nameOf(score)} if allowed else -np.inf)`,
  ];
}

/** @param {Opened} opened */
function softmax({ terms, parts }) {
  const [scores] = columnsOf(terms);
  const name = nameOf(scores[0]);
  return [
    ...array(scores),
    `powers = np.exp(${name} - ${name}.max())`,
    `print(powers[${parts.chosen}] / powers.sum())`,
  ];
}

/** @param {Opened} opened */
function silu({ terms: [{ factors: [gate] }] }) {
  return [...scalar(gate), "print(gate / (1 + np.exp(-gate)))"];
}

/** @param {Opened} opened */
function gated({ terms: [{ factors }] }) {
  return [...factors.flatMap(scalar), "print(silu * up)"];
}

/** @param {Opened} opened */
function sum({ terms }) {
  const factors = terms.map((term) => term.factors[0]);
  return [...factors.flatMap(scalar), `print(${factors.map(nameOf).join(" + ")})`];
}

/** @param {Opened} opened */
function replaced({ value, parts }) {
  return [
    `made = ${python(Number(parts.made))}  # by the model's own step`,
    `value = ${python(value)}  # put in its place by the change ${parts.change}`,
    "print(value)",
  ];
}

/**
 * Return the first factors of all terms, the second ones, and so on.
 * @param {Opened["terms"]} terms
 */
function columnsOf(terms) {
  return terms[0].factors.map((_, at) => terms.map(({ factors }) => factors[at]));
}

/** @param {Factor[]} factors */
function array(factors) {
  const numbers = factors.map(({ value }) => python(value)).join(", ");
  return [`# ${placeText(factors)}`, `${nameOf(factors[0])} = np.array([${numbers}])`];
}

/** @param {Factor} factor */
function scalar(factor) {
  return [`${nameOf(factor)} = ${python(factor.value)}  # ${placeText([factor])}`];
}

/** @param {Factor} factor */
function nameOf({ cell }) {
  return cell ? placeOf(cell.name).short : "number";
}

/**
 * Return where factors stand, a colon for each axis along which they run.
 * @param {Factor[]} factors
 */
export function placeText(factors) {
  const first = factors[0]?.cell;
  const last = factors[factors.length - 1]?.cell;
  if (!first || !last) return "";
  const index = first.index.map((at, axis) => at === last.index[axis] ? at : ":");
  return `${first.name}${first.parameter ? "*" : ""}[${index.join(",")}]`;
}
