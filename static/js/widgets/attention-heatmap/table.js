import { maskedMark } from "../../lib/masked.js";
import { fixed, signed } from "../../lib/numbers.js";
import { signedClass, weightClass } from "../../lib/ramp.js";
import { rowOf, sumOf } from "../../lib/matrix.js";

/**
 * A matrix up to 32 × 32: the table that the page came with, made a grid and changed.
 * Its size changes where a run has more or fewer tokens than the recording.
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
const MANY = 10; // columns, above which the style sheet lets the table scroll
const MASKED = "masked ";

export class TablePanel {
  /**
   * @param {HTMLElement} panel
   * @param {string} masked  what a screen reader says of a forbidden cell
   */
  constructor(panel, masked) {
    const table = /** @type {HTMLTableElement} */ (panel.querySelector(".attention"));
    this.table = table;
    this.masked = masked;
    /** @type {string[]} */
    this.keyLabels = [];
    /** @type {HTMLTableRowElement[]} */
    this.rows = [];
    /** @type {HTMLTableCellElement[][]} */
    this.cells = [];
    /** @type {HTMLTableCellElement[]} */
    this.sums = [];
    /** @type {string[]} what each cell shows */
    this.shown = [];
    this.readCells();
    this.chosen = this.cells[0][0];
    table.setAttribute("role", "grid");
    for (const cell of this.cells.flat()) cell.tabIndex = -1;
  }

  readCells() {
    this.rows = [...this.table.tBodies[0].rows];
    this.cells = this.rows.map((row) => [...row.cells].slice(1, -1));
    this.sums = this.rows.map((row) => row.cells[row.cells.length - 1]);
    this.shown = this.cells.flat().map((cell) =>
      cell.classList.contains("masked") ? MASKED : "");
  }

  /** @param {Picture} picture */
  draw(picture) {
    if (picture.keyLabels !== this.keyLabels) this.fit(picture);
    this.rows.forEach((row, query) => {
      row.classList.toggle("followed", query === picture.query);
      this.drawRow(picture, query);
    });
    this.choose(this.cells[picture.query][picture.key]);
  }

  /**
   * Give the table a row for each query and a column for each key, with their labels.
   * @param {Picture} picture
   */
  fit({ matrix: { queries, keys }, queryLabels, keyLabels }) {
    const { table: { tHead, tBodies: [body] }, cells } = this;
    if (queries !== cells.length || keys !== cells[0].length) {
      this.release(this.chosen);
      for (const row of this.table.rows) resize(row, keys + 2);
      resize(body, queries);
      this.table.classList.toggle("many", keys > MANY);
      this.readCells();
    }
    const columns = /** @type {HTMLTableSectionElement} */ (tHead).rows[0].cells;
    keyLabels.forEach((label, key) => writeLabel(columns[key + 1], key, label));
    queryLabels.forEach((label, query) =>
      writeLabel(this.rows[query].cells[0], query, label));
    this.keyLabels = keyLabels;
  }

  /**
   * @param {Picture} picture
   * @param {number} query
   */
  drawRow({ kind, matrix, forbidden, root }, query) {
    const row = rowOf(matrix, query);
    const first = query * matrix.keys;
    row.forEach((number, key) => {
      const [colour, text] = forbidden[first + key] ? ["masked", ""]
        : kind === "difference" ? [signedClass(number), signed(number, 2)]
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
   * @param {string} text  empty in a forbidden cell
   */
  drawCell(index, cell, colour, text) {
    const before = this.shown[index];
    const shown = `${colour} ${text}`;
    if (before === shown) return;
    this.shown[index] = shown;
    cell.className = colour;
    if (shown === MASKED) cell.replaceChildren(maskedMark(this.masked));
    else if (before === MASKED) cell.textContent = text;
    else /** @type {Text} */ (cell.firstChild).data = text;
  }

  /** @param {HTMLTableCellElement} cell */
  choose(cell) {
    this.release(this.chosen);
    cell.classList.add("chosen");
    cell.setAttribute("aria-selected", "true");
    cell.tabIndex = 0;
    this.chosen = cell;
  }

  /** @param {HTMLTableCellElement} cell */
  release(cell) {
    cell.classList.remove("chosen");
    cell.removeAttribute("aria-selected");
    cell.tabIndex = -1;
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

/**
 * Give a row so many cells, or a table's body so many rows: copies of one that stands
 * before the last are added there, or taken away.
 * @param {Element} parent
 * @param {number} count
 */
function resize(parent, count) {
  const { children } = parent;
  while (children.length < count) {
    const model = children[Math.max(0, children.length - 2)];
    parent.insertBefore(model.cloneNode(true), parent.lastElementChild);
  }
  while (children.length > count) children[Math.max(0, children.length - 2)].remove();
}

/**
 * @param {HTMLTableCellElement} heading
 * @param {number} index
 * @param {string} label
 */
function writeLabel(heading, index, label) {
  const [number, name] = heading.children;
  if (heading.title === label && number.textContent === String(index)) return;
  heading.title = label;
  number.textContent = String(index);
  name.textContent = label;
}
