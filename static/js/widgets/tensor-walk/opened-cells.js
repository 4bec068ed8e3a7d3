import { formatCell } from "../../lib/cells.js";
import { brief, full } from "./opened-words.js";

/**
 * Rows and cells of the tables of an opened number.
 *
 * @typedef {import("../../lib/terms-place.js").Factor} Factor
 * @typedef {import("./opened-words.js").Words} Words
 */

/**
 * @param {HTMLTableElement} table
 * @param {string} text
 */
export function setCaption(table, text) {
  const { caption } = table;
  if (caption) caption.textContent = text;
}

/**
 * @param {string} name
 * @param {HTMLTableCellElement[]} cells
 */
export function row(name, cells) {
  const line = document.createElement("tr");
  line.append(textCell("th", name, "row"), ...cells);
  return line;
}

/**
 * @param {"th" | "td"} tag
 * @param {string} text
 * @param {string} scope
 */
export function textCell(tag, text, scope) {
  const cell = document.createElement(tag);
  if (tag === "th") cell.scope = scope;
  cell.textContent = text;
  return cell;
}

/** @param {number} value */
export function numberCell(value) {
  const cell = textCell("td", brief(value), "");
  cell.title = full(value);
  return cell;
}

/**
 * Return a cell with a number, which is a button where it can be opened in turn.
 * @param {Factor} factor
 * @param {Words} words
 */
export function factorCell({ value, cell }, words) {
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
