import { changeClass, inOneDigit } from "../../lib/dependencies.js";
import { nextCell } from "../../lib/grid-keys.js";
import { maskedMark } from "../../lib/masked.js";

/**
 * A table of changes that the page came with: a triangle, which is made a grid, or the
 * strip of the chosen row.
 */
export class ChangeTable {
  /**
   * @param {HTMLTableElement} table
   * @param {string} same  what a screen reader says of a cell that did not change
   */
  constructor(table, same) {
    this.table = table;
    this.same = same;
    this.rows = [...table.tBodies[0].rows];
    this.cells = this.rows.map((row) => [...row.cells].slice(1));
    /** The cell that the Tab key leads to. */
    this.place = { query: 0, key: 0 };
  }

  /**
   * Let the arrow keys walk through the cells.
   * @param {number} at  the chosen row
   */
  makeGrid(at) {
    this.table.setAttribute("role", "grid");
    for (const cell of this.cells.flat()) cell.tabIndex = -1;
    this.enter({ query: at, key: at });
  }

  /** @param {{query: number, key: number}} place */
  enter(place) {
    this.cells[this.place.query][this.place.key].tabIndex = -1;
    this.cells[place.query][place.key].tabIndex = 0;
    this.place = place;
  }

  /**
   * @param {ArrayLike<number>[]} rows  sizes of changes
   * @param {number} [at]  the chosen row
   */
  draw(rows, at) {
    rows.forEach((row, query) => {
      this.rows[query].classList.toggle("followed", query === at);
      this.cells[query].forEach((cell, key) => this.drawCell(cell, row[key]));
    });
    if (at === undefined) return;
    this.rows.forEach((row, query) => {
      row.setAttribute("aria-selected", String(query === at));
    });
    this.enter({ query: at, key: this.place.key });
  }

  /**
   * @param {HTMLTableCellElement} cell
   * @param {number} size
   */
  drawCell(cell, size) {
    cell.className = changeClass(size);
    const text = inOneDigit(size);
    if (cell.textContent === (text || this.same)) return;
    cell.replaceChildren(text || maskedMark(this.same));
  }

  /**
   * Go to the cell that a key leads to; return its row, or undefined where it is no key
   * of a grid.
   * @param {KeyboardEvent} event
   * @param {boolean} mirrored  entries run from right to left
   */
  moveBy(event, mirrored) {
    const size = { queries: this.cells.length, keys: this.cells[0].length };
    const next = nextCell(event, this.place, size, mirrored);
    if (!next) return undefined;
    this.enter(next);
    this.cells[next.query][next.key].focus();
    return next.query;
  }

  /**
   * Return the row that a click is in, or undefined; Tab leads to the cell from now on.
   * @param {Event} event
   */
  rowOf(event) {
    const cell = /** @type {Element} */ (event.target).closest("tbody :is(td, th)");
    const query = this.rows.findIndex((row) => row.contains(cell));
    if (!cell || query < 0) return undefined;
    const key = this.cells[query].findIndex((one) => one === cell);
    this.enter({ query, key: Math.max(key, 0) });
    return query;
  }
}
