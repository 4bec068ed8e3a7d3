import { fixed, signed } from "../../lib/numbers.js";
import { signedClass, weightClass } from "../../lib/ramp.js";
import { rowOf, sumOf } from "../../lib/matrix.js";

/**
 * A matrix up to 32 × 32: the table that the page came with, made a grid and changed.
 *
 * @typedef {object} Picture  what a panel shows
 * @property {"head" | "difference"} kind
 * @property {import("../../lib/matrix.js").Matrix} matrix
 * @property {Uint8Array} forbidden  [queries * keys]
 * @property {number} query  the followed row
 * @property {number} key    the chosen cell in it
 * @property {boolean} root  colours on the square-root scale
 * @property {number} digits  that the page has of a weight
 * @property {string[]} queryLabels
 * @property {string[]} keyLabels
 * @property {import("../../lib/matrix.js").Matrix | null} scores  before the mask
 *
 * @typedef {{query?: number, key?: number}} Place  a cell, or a whole row or column
 */
export class TablePanel {
  /** @param {HTMLElement} panel */
  constructor(panel) {
    const table = /** @type {HTMLTableElement} */ (panel.querySelector(".attention"));
    this.table = table;
    this.rows = [...table.tBodies[0].rows];
    this.cells = this.rows.map((row) => [...row.cells].slice(1, -1));
    this.sums = this.rows.map((row) => row.cells[row.cells.length - 1]);
    /** @type {string[]} what each cell shows */
    this.shown = this.cells.flat().map(() => "");
    this.chosen = this.cells[0][0];
    table.setAttribute("role", "grid");
    for (const cell of this.cells.flat()) cell.tabIndex = -1;
  }

  /** @param {Picture} picture */
  draw(picture) {
    this.rows.forEach((row, query) => {
      row.classList.toggle("followed", query === picture.query);
      this.drawRow(picture, query);
    });
    this.choose(this.cells[picture.query][picture.key]);
  }

  /**
   * @param {Picture} picture
   * @param {number} query
   */
  drawRow({ kind, matrix, forbidden, root }, query) {
    const row = rowOf(matrix, query);
    const first = query * matrix.keys;
    row.forEach((number, key) => {
      if (forbidden[first + key]) return; // forbidden by position: as the page has it
      const [colour, text] = kind === "difference"
        ? [signedClass(number), signed(number, 2)]
        : [weightClass(number, root), fixed(number, 2)];
      this.drawCell(first + key, this.cells[query][key], colour, text);
    });
    const sum = fixed(sumOf(row), 2);
    if (this.sums[query].textContent !== sum) this.sums[query].textContent = sum;
  }

  /**
   * @param {number} index
   * @param {HTMLTableCellElement} cell
   * @param {string} colour
   * @param {string} text
   */
  drawCell(index, cell, colour, text) {
    const shown = `${colour} ${text}`;
    if (this.shown[index] === shown) return;
    this.shown[index] = shown;
    cell.className = colour;
    /** @type {Text} */ (cell.firstChild).data = text;
  }

  /** @param {HTMLTableCellElement} cell */
  choose(cell) {
    this.chosen.classList.remove("chosen");
    this.chosen.removeAttribute("aria-selected");
    this.chosen.tabIndex = -1;
    cell.classList.add("chosen");
    cell.setAttribute("aria-selected", "true");
    cell.tabIndex = 0;
    this.chosen = cell;
  }

  /**
   * Return the place that an event is about, or null where it is about none.
   * @param {Event} event
   * @returns {Place | null}
   */
  placeOf(event) {
    const target = /** @type {Element} */ (event.target);
    const cell = /** @type {HTMLTableCellElement | null} */ (target.closest("th, td"));
    if (!cell || !this.table.contains(cell)) return null;
    if (cell.matches(".corner, thead .sum")) return null;
    const key = cell.cellIndex - 1;
    if (cell.closest("thead")) return { key };
    const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
    const query = this.rows.indexOf(row);
    return cell.matches("th, .sum") ? { query } : { query, key };
  }

  /**
   * @param {number} query
   * @param {number} key
   */
  focusCell(query, key) {
    this.cells[query][key].focus();
  }
}
