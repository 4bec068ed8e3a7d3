import { formatCell, placeOf } from "../../lib/cells.js";
import { nextCell } from "../../lib/grid-keys.js";
import { sumOfTerms } from "../../lib/terms-place.js";
import { largestTerms } from "../../lib/terms.js";
import { brief, full } from "./opened-words.js";

/**
 * The terms of an opened number as a table; each number that has a cell is a button.
 * One button is reached by Tab, the others by arrows: ARIA's grid pattern.
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
  const { cell, parts } = opened;
  setCaption(table, words.say("terms", { title: words.place(cell) }));
  const columns = columnsOf(opened, words);
  table.tHead?.rows[0].replaceChildren(...["", ...columns].map((name) =>
    textCell(name ? "th" : "td", name, "col")));
  const terms = sorted ? largestTerms(opened.terms) : opened.terms;
  const own = Number(parts.chosen ?? parts.channel);
  table.tBodies[0].replaceChildren(...terms.map((term) => {
    const line = row(words.term(opened, term), numbersOf(opened, term, words));
    line.classList.toggle("own", term.key === own);
    return line;
  }));
  drawSum(table, opened, words, columns.length);
  keepOneInReach(table, table.querySelector("button"));
}

/**
 * Return the heads of the columns of numbers: what the factors are, what the term is.
 * @param {Opened} opened
 * @param {Words} words
 */
function columnsOf(opened, words) {
  const [first] = opened.terms;
  if (!first) return [];
  const alike = first.key !== undefined || opened.terms.length === 1;
  const heads = shownFactors(opened, first).map(({ cell }) =>
    cell ? placeOf(cell.name).short : words.say("column-turn"));
  const made = madeOf(opened);
  return [...heads.map((name) => alike ? name : ""),
    ...made ? [words.say(`column-${made}`)] : []];
}

/**
 * @param {Opened} opened
 * @param {Term} term
 * @param {Words} words
 */
function numbersOf(opened, term, words) {
  const cells = shownFactors(opened, term).map((factor) => factorCell(factor, words));
  return madeOf(opened) ? [...cells, numberCell(term.value)] : cells;
}

/**
 * Return a term's factors; of a square's two, which are the same, one.
 * @param {Opened} opened
 * @param {Term} term
 */
function shownFactors({ kind }, { factors }) {
  return kind === "norm" ? factors.slice(0, 1) : factors;
}

/**
 * Write what the terms add up to below them.
 * @param {HTMLTableElement} table
 * @param {Opened} opened
 * @param {Words} words
 * @param {number} columns  of numbers
 */
function drawSum(table, { terms }, words, columns) {
  const empty = Array.from({ length: columns - 1 }, () => textCell("td", "", ""));
  const sum = textCell("td", full(sumOfTerms(terms)), "");
  const lines = terms.length > 1 ? [row(words.say("sum"), [...empty, sum])] : [];
  table.tFoot?.replaceChildren(...lines);
}

/**
 * Move the focus with the arrows; other keys are left alone.
 * @param {HTMLTableElement} table
 * @param {KeyboardEvent} event
 */
export function moveInTable(table, event) {
  const rows = [...table.tBodies[0].rows].map((line) =>
    [...line.querySelectorAll("button")]);
  const button = /** @type {HTMLButtonElement} */ (event.target);
  const query = rows.findIndex((buttons) => buttons.includes(button));
  if (query < 0) return;
  const mirrored = getComputedStyle(table).direction === "rtl";
  const next = nextCell(event, { query, key: rows[query].indexOf(button) },
    { queries: rows.length, keys: rows[query].length }, mirrored);
  if (!next) return;
  event.preventDefault();
  const wanted = rows[next.query][next.key];
  keepOneInReach(table, wanted);
  wanted.focus();
}

/**
 * @param {HTMLTableElement} table
 * @param {HTMLButtonElement | null} reached
 */
function keepOneInReach(table, reached) {
  for (const button of table.querySelectorAll("button")) {
    button.tabIndex = button === reached ? 0 : -1;
  }
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
 * Return what a term is, where it is more than its one factor; else "".
 * @param {Opened} opened
 */
function madeOf({ kind, terms }) {
  return MADE[kind] ?? (terms[0]?.factors.length > 1 ? "product" : "");
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
