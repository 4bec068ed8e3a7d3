import { placeOf } from "../../lib/cells.js";
import { nextCell } from "../../lib/grid-keys.js";
import { sumOfTerms } from "../../lib/terms-place.js";
import { largestTerms } from "../../lib/terms.js";
import { factorCell, numberCell, row, setCaption, textCell } from "./opened-cells.js";
import { full } from "./opened-words.js";

/**
 * The terms of an opened number as a table; each number that has a cell is a button.
 * One button is reached by Tab, the others by arrows: ARIA's grid pattern.
 *
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("../../lib/terms-place.js").Term} Term
 * @typedef {import("./opened-words.js").Words} Words
 */

const ROWS_A_FRAME = 24; // more than the table's box shows

/** @type {Record<string, string>} what a term is of its factors, else their product */
const MADE = { norm: "square", softmax: "exponential" };

export class TermsTable {
  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.table = table;
    this.body = table.tBodies[0];
    this.frame = 0;
    table.addEventListener("keydown", (event) => this.onKey(event));
  }

  /**
   * @param {Opened} opened
   * @param {Words} words
   * @param {boolean} sorted  the largest term first
   */
  draw(opened, words, sorted) {
    const terms = sorted ? largestTerms(opened.terms) : opened.terms;
    const own = Number(opened.parts.chosen ?? opened.parts.channel);
    const columns = columnsOf(opened, words);
    setCaption(this.table, words.say("terms", { title: words.place(opened.cell) }));
    this.table.tHead?.rows[0].replaceChildren(...["", ...columns].map((name) =>
      textCell(name ? "th" : "td", name, "col")));
    drawSum(this.table, opened, words, columns.length);
    const rows = this.table.querySelectorAll("thead tr, tfoot tr").length;
    this.table.setAttribute("aria-rowcount", String(terms.length + rows));
    this.body.replaceChildren();
    this.append(terms, (term) => {
      const line = row(words.term(opened, term), numbersOf(opened, term, words));
      line.classList.toggle("own", term.key === own);
      return line;
    });
    this.reach(this.body.querySelector("button"));
  }

  /**
   * Append the rows of terms, so many in a frame that none is late.
   * @param {Term[]} terms
   * @param {(term: Term) => HTMLTableRowElement} rowOf
   */
  append(terms, rowOf) {
    cancelAnimationFrame(this.frame);
    const lines = terms.slice(0, ROWS_A_FRAME).map(rowOf);
    for (const line of lines) {
      for (const button of line.querySelectorAll("button")) button.tabIndex = -1;
    }
    this.body.append(...lines);
    const left = terms.slice(ROWS_A_FRAME);
    if (!left.length) return;
    this.frame = requestAnimationFrame(() => this.append(left, rowOf));
  }

  /**
   * Move the focus with the arrows; other keys are left alone.
   * @param {KeyboardEvent} event
   */
  onKey(event) {
    const rows = [...this.body.rows].map((line) =>
      [...line.querySelectorAll("button")]);
    const button = /** @type {HTMLButtonElement} */ (event.target);
    const query = rows.findIndex((buttons) => buttons.includes(button));
    if (query < 0) return;
    const mirrored = getComputedStyle(this.table).direction === "rtl";
    const next = nextCell(event, { query, key: rows[query].indexOf(button) },
      { queries: rows.length, keys: rows[query].length }, mirrored);
    if (!next) return;
    event.preventDefault();
    const wanted = rows[next.query][next.key];
    this.reach(wanted);
    wanted.focus();
  }

  /**
   * Let Tab reach one button, and no other.
   * @param {HTMLButtonElement | null} button
   */
  reach(button) {
    const reached = this.body.querySelector('button[tabindex="0"]');
    reached?.setAttribute("tabindex", "-1");
    button?.setAttribute("tabindex", "0");
  }
}

/**
 * Write what the terms add up to below them.
 * @param {HTMLTableElement} table
 * @param {Opened} opened
 * @param {Words} words
 * @param {number} columns  of numbers
 */
function drawSum(table, { terms }, words, columns) {
  const sum = textCell("td", full(sumOfTerms(terms)), "");
  sum.colSpan = columns; // every digit has room on a narrow screen
  const lines = terms.length > 1 ? [row(words.say("sum"), [sum])] : [];
  table.tFoot?.replaceChildren(...lines);
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
 * Return what a term is, where it is more than its one factor; else "".
 * @param {Opened} opened
 */
function madeOf({ kind, terms }) {
  return MADE[kind] ?? (terms[0]?.factors.length > 1 ? "product" : "");
}
