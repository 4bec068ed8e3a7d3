import { maskedMark } from "../../lib/masked.js";
import { fixed } from "../../lib/numbers.js";
import { fillParts } from "../../lib/page-parts.js";
import { weightClass } from "../../lib/ramp.js";

/**
 * The stepper's tables, as templates/widgets/cache-stepper.html draws them.
 *
 * @typedef {object} CallRow
 * @property {number} stored
 * @property {number} end
 * @property {Record<string, string | number>} parts  the row's texts
 *
 * @typedef {object} Weights
 * @property {import("../../lib/matrix.js").Matrix} matrix  [T, S]
 * @property {number} stored    positions of earlier calls
 * @property {string[]} labels
 * @property {string} masked    what a screen reader says of a forbidden cell
 */

const DIGITS = 2;

/**
 * Draw a row for each call, copies of the first.
 * @param {HTMLTableElement} table
 * @param {CallRow[]} calls
 * @param {number} shown
 */
export function drawTimeline(table, calls, shown) {
  const [body] = table.tBodies;
  const { r = "", w = "" } = table.dataset;
  while (body.rows.length > calls.length) body.deleteRow(-1);
  while (body.rows.length < calls.length) body.append(body.rows[0].cloneNode(true));
  calls.forEach(({ stored, end, parts }, number) => {
    const row = body.rows[number];
    fillParts(row, parts);
    row.classList.toggle("followed", number === shown);
    const radio = /** @type {HTMLInputElement} */ (row.querySelector("input"));
    radio.value = String(number);
    radio.checked = number === shown;
    const queries = [...row.querySelectorAll(".asked i")];
    queries.forEach((query, position) => {
      const [state, mark] = position < stored ? ["read", r]
        : position < end ? ["written", w] : ["later", ""];
      const cell = row.cells[position + 1];
      cell.className = state;
      cell.textContent = mark;
      query.className =
        { read: "gone", written: "made", later: "later" }[state] ?? "";
    });
  });
}

/**
 * @param {HTMLTableElement} table
 * @param {Weights} weights
 */
export function drawWeights(table, { matrix, stored, labels, masked }) {
  const { queries, keys, values } = matrix;
  const first = keys - queries;
  const [heads] = /** @type {HTMLTableSectionElement} */ (table.tHead).rows;
  const rows = Array.from({ length: queries }, (_, t) => {
    const row = document.createElement("tr");
    const position = first + t;
    const cells = Array.from({ length: keys }, (_cell, key) =>
      weightCell(key <= position ? values[t * keys + key] : null, masked));
    row.append(heading(position, labels[position], "row"), ...cells);
    return row;
  });
  const columns = labels.slice(0, keys).map((label, key) => heading(key, label, "col"));
  heads.replaceChildren(heads.cells[0], ...columns);
  const [earlier, own] = table.tBodies;
  earlier.replaceChildren(...rows.slice(0, stored - first));
  own.replaceChildren(...rows.slice(stored - first));
}

/**
 * @param {number | null} weight  null where the mask forbids
 * @param {string} masked
 */
function weightCell(weight, masked) {
  const cell = document.createElement("td");
  cell.className = weight === null ? "masked" : weightClass(weight);
  cell.append(weight === null ? maskedMark(masked) : fixed(weight, DIGITS));
  return cell;
}

/**
 * @param {number} position
 * @param {string} label
 * @param {"row" | "col"} scope
 */
function heading(position, label, scope) {
  const made = document.createElement("th");
  const [number, name] = ["i", "bdi"].map((tag) => document.createElement(tag));
  made.scope = scope;
  made.title = label;
  number.textContent = String(position);
  name.textContent = label;
  made.append(number, " ", name);
  return made;
}
