import { formatCell, placeOf } from "../../lib/cells.js";
import { largestTerms } from "../../lib/terms.js";
import { brief, full } from "./opened-words.js";

/**
 * The terms of an opened number as a table; each number that has a cell is a button.
 *
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("../../lib/terms-place.js").Factor} Factor
 * @typedef {import("../../lib/terms-place.js").Term} Term
 * @typedef {import("./opened-words.js").Words} Words
 */

/** @type {Record<string, string>} what a term is of its factors, else their product */
const MADE = { norm: "square", softmax: "exponential" };

/**
 * @param {HTMLTableElement} table
 * @param {Opened} opened
 * @param {Words} words
 * @param {boolean} sorted  the largest term first
 */
export function drawTerms(table, opened, words, sorted) {
  const factorsOf = (/** @type {Term} */ { factors }) =>
    opened.kind === "norm" ? factors.slice(0, 1) : factors;
  const made = madeOf(opened);
  const terms = sorted ? largestTerms(opened.terms) : opened.terms;
  const first = opened.terms[0] ? factorsOf(opened.terms[0]) : [];
  setCaption(table, words.say("terms", { title: words.place(opened.cell) }));
  const heads = first.map(({ cell }) => cell ? placeOf(cell.name).short : "");
  const columns = ["", ...heads, ...made.map((name) => words.say(`column-${name}`))];
  table.tHead?.rows[0].replaceChildren(...columns.map((name) =>
    textCell(name ? "th" : "td", name, "col")));
  table.tBodies[0].replaceChildren(...terms.map((term) => row(
    words.term(opened, term),
    [...factorsOf(term).map((factor) => factorCell(factor, words)),
      ...made.map(() => numberCell(term.value))])));
}

/**
 * What a number has beside its terms: what each head adds, what the stream adds up to,
 * what a norm takes.
 * @param {HTMLTableElement} table
 * @param {Opened} opened
 * @param {Words} words
 */
export function drawGroups(table, { kind, groups, applied }, words) {
  const name = { "heads-sum": "heads", sum: "stream" }[/** @type {"sum"} */ (kind)];
  setCaption(table, words.say(`groups-${name ?? "applied"}`));
  const parts = groups.map(({ subtotal, head = 0, from = 0, to = 0, cell }) => cell
    ? row(words.tensor(cell), [factorCell({ value: subtotal, cell }, words)])
    : row(words.say("head-part", { head, from, to: to - 1 }), [numberCell(subtotal)]));
  const beside = applied.map((factor) => row(
    factor.cell ? words.tensor(factor.cell) : "", [factorCell(factor, words)]));
  table.tBodies[0].replaceChildren(...parts, ...beside);
}

/**
 * Return the head of the last column, where a term is more than its one factor.
 * @param {Opened} opened
 */
function madeOf({ kind, terms }) {
  if (kind in MADE) return [MADE[kind]];
  return terms[0]?.factors.length > 1 ? ["product"] : [];
}

/**
 * @param {HTMLTableElement} table
 * @param {string} text
 */
function setCaption(table, text) {
  const { caption } = table;
  if (caption) caption.textContent = text;
}

/**
 * @param {string} name
 * @param {HTMLTableCellElement[]} cells
 */
function row(name, cells) {
  const line = document.createElement("tr");
  line.append(textCell("th", name, "row"), ...cells);
  return line;
}

/**
 * @param {"th" | "td"} tag
 * @param {string} text
 * @param {string} scope
 */
function textCell(tag, text, scope) {
  const cell = document.createElement(tag);
  if (tag === "th") cell.scope = scope;
  cell.textContent = text;
  return cell;
}

/** @param {number} value */
function numberCell(value) {
  const cell = textCell("td", brief(value), "");
  cell.title = full(value);
  return cell;
}

/**
 * @param {Factor} factor
 * @param {Words} words
 */
function factorCell({ value, cell }, words) {
  if (!cell) return numberCell(value);
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.cell = formatCell(cell);
  button.textContent = brief(value);
  button.title = full(value);
  button.setAttribute("aria-label", `${brief(value)}, ${words.place(cell)}`);
  const holder = document.createElement("td");
  holder.append(button);
  return holder;
}
