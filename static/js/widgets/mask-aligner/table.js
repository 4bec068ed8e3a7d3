import { maskedMark } from "../../lib/masked.js";
import { fixed } from "../../lib/numbers.js";
import { weightClass } from "../../lib/ramp.js";

/**
 * The table of a chunk's weights, as templates/widgets/mask-aligner.html draws it.
 *
 * @typedef {import("../../lib/mask-alignment.js").Row} Row
 *
 * @typedef {object} Picture
 * @property {Row[]} rows
 * @property {number} stored
 * @property {string} masked    what a screen reader says of a forbidden cell
 * @property {string[]} labels  of all positions
 */

const DIGITS = 2;
const SUMS = 3; // columns behind the keys: sum, leak, hidden

/**
 * @param {HTMLTableElement} table
 * @param {Picture} picture
 */
export function drawTable(table, picture) {
  const { rows, stored, labels } = picture;
  const keys = rows[0].allowed.length;
  const [groups, columns] = /** @type {HTMLTableSectionElement} */ (table.tHead).rows;
  const [ofStored, ofNew] = [...groups.cells].slice(1, 3);
  ofStored.hidden = stored === 0;
  ofStored.colSpan = Math.max(stored, 1);
  ofNew.colSpan = keys - stored;
  const [cols] = table.getElementsByTagName("colgroup");
  const [name, sums] = [cols.firstElementChild, cols.lastElementChild];
  const each = labels.slice(0, keys).map(() => document.createElement("col"));
  cols.replaceChildren(.../** @type {Element[]} */ ([name, ...each, sums]));
  columns.replaceChildren(...labels.slice(0, keys).map((label, key) =>
    heading(key, label, "col")));
  table.tBodies[0].replaceChildren(...rows.map((row) => tableRow(row, picture)));
  const [total] = /** @type {HTMLTableSectionElement} */ (table.tFoot).rows;
  total.cells[1].colSpan = keys + SUMS - 2;
}

/**
 * @param {Row} row
 * @param {Picture} picture
 */
function tableRow(row, picture) {
  const made = document.createElement("tr");
  const { position } = row;
  made.append(
    heading(position, picture.labels[position], "row"),
    ...[...row.weights.keys()].map((key) => weightCell(row, key, picture.masked)),
    ...[row.sum, row.leak, row.hidden].map(sumCell));
  return made;
}

/**
 * @param {number} position
 * @param {string} label
 * @param {"row" | "col"} scope
 */
function heading(position, label, scope) {
  const made = document.createElement("th");
  const number = document.createElement("i");
  const name = document.createElement("bdi");
  made.scope = scope;
  number.textContent = String(position);
  name.textContent = label;
  made.append(number, " ", name);
  return made;
}

/**
 * Return a key's cell; framed where the right mask would have it otherwise.
 * @param {Row} row
 * @param {number} key
 * @param {string} masked
 */
function weightCell({ position, allowed, weights }, key, masked) {
  const made = document.createElement("td");
  const seen = allowed[key] === 1;
  made.className = seen ? weightClass(weights[key]) : "masked";
  made.classList.toggle("wrong", seen !== (key <= position));
  made.append(seen ? fixed(weights[key], DIGITS) : maskedMark(masked));
  return made;
}

/** @param {number} sum */
function sumCell(sum) {
  const made = document.createElement("td");
  made.className = "sum";
  made.textContent = fixed(sum, DIGITS);
  return made;
}
