import { maskedMark } from "../../lib/masked.js";
import { fixed, signed } from "../../lib/numbers.js";
import { signedClass, weightClass } from "../../lib/ramp.js";
import { fill } from "../../lib/sentences.js";
import { shareAt } from "./views.js";

/**
 * A matrix up to 32 × 32 as a table, which is a grid: one cell is the tab key's stop,
 * and the arrows move it.
 *
 * @typedef {import("./views.js").View} View
 * @typedef {import("./words.js").Sentences} Sentences
 */

const DIGITS = 2;
const MANY = 10; // columns above which a table is as wide as it needs

/**
 * Return a view's number as a table writes it.
 * @param {View} view
 * @param {number} i  of its values
 * @param {number} digits
 */
export function writeNumber({ values, scale }, i, digits) {
  return scale === null ? fixed(values[i], digits) : signed(values[i], digits);
}

/**
 * Return what a view is called, as a sentence.
 * @param {View} view
 * @param {Sentences} sentences
 */
export function titleOf({ name, axes, before, rowAxis, columnAxis }, sentences) {
  const axis = axes[1];
  const sentence = before.length > 1 ? sentences.headTable : sentences.table;
  return fill(sentence, {
    name, axis, head: before[1], rows: rowAxis || axes[0], columns: columnAxis,
  });
}

export class ValueTable {
  /**
   * @param {HTMLElement} box
   * @param {Sentences} sentences
   */
  constructor(box, sentences) {
    this.sentences = sentences;
    this.table = document.createElement("table");
    this.table.setAttribute("role", "grid");
    this.caption = this.table.createCaption();
    this.caption.className = "hidden";
    this.head = this.table.createTHead();
    this.body = this.table.createTBody();
    this.frame = document.createElement("scroll-box");
    this.frame.className = "scroll";
    this.frame.append(this.table);
    box.replaceChildren(this.frame);
    this.form = "";
    /** @type {HTMLTableCellElement[][]} */
    this.cells = [];
    /** @type {string[]} what each cell shows */
    this.shown = [];
    /** @type {HTMLTableCellElement | undefined} */
    this.chosen = undefined;
  }

  /** @param {View} view */
  draw(view) {
    const { rowAxis, columnAxis, rows, columns } = view;
    const form = `${rowAxis} ${columnAxis} ${rows} ${columns}`;
    if (form !== this.form) this.build(view);
    this.form = form;
    this.label(view);
    this.caption.textContent = titleOf(view, this.sentences);
    this.cells.forEach((row, r) => row.forEach((cell, c) =>
      this.drawCell(view, r * view.columns + c, cell)));
    this.choose(view);
  }

  /** @param {View} view */
  build(view) {
    const { rowAxis, columnAxis, rowLabels, columnLabels } = view;
    this.table.className = "attention tensor-table";
    this.table.classList.toggle("many", view.columns > MANY);
    const corner = document.createElement("td");
    corner.className = "corner";
    corner.append(span(`${columnAxis} →`), " ", span(rowAxis && `${rowAxis} ↓`));
    const names = document.createElement("tr");
    names.append(corner, ...columnLabels.map((label, i) => header("col", i, label)));
    this.head.replaceChildren(names);
    this.cells = rowLabels.map(() => columnLabels.map(newCell));
    this.body.replaceChildren(...this.cells.map((cells, i) => {
      const row = document.createElement("tr");
      row.append(header("row", i, rowLabels[i]), ...cells);
      return row;
    }));
    this.shown = [];
    this.chosen = undefined;
  }

  /**
   * Write the labels of another text on the table that is there.
   * @param {View} view
   */
  label({ rowLabels, columnLabels }) {
    const columns = this.head.rows[0].cells;
    columnLabels.forEach((label, i) => relabel(columns[i + 1], label));
    rowLabels.forEach((label, i) => relabel(this.body.rows[i].cells[0], label));
  }

  /**
   * @param {View} view
   * @param {number} i
   * @param {HTMLTableCellElement} cell
   */
  drawCell(view, i, cell) {
    const masked = view.forbidden?.[i] === 1;
    const share = shareAt(view, i);
    const colour = masked ? "masked"
      : view.scale === null ? weightClass(share) : signedClass(share);
    const text = masked ? "" : writeNumber(view, i, DIGITS);
    const shown = `${colour} ${text}`;
    const before = this.shown[i] ?? "";
    if (before === shown) return;
    this.shown[i] = shown;
    cell.className = colour;
    if (masked) cell.replaceChildren(maskedMark(this.sentences.masked));
    else if (!before || before === "masked ") cell.textContent = text;
    else /** @type {Text} */ (cell.firstChild).data = text;
  }

  /** @param {View} view */
  choose({ row, column }) {
    const cell = this.cells[row]?.[column];
    if (this.chosen) {
      this.chosen.classList.remove("chosen");
      this.chosen.removeAttribute("aria-selected");
      this.chosen.tabIndex = -1;
      this.chosen.parentElement?.classList.remove("followed");
    }
    this.chosen = cell;
    if (!cell) return;
    cell.classList.add("chosen");
    cell.setAttribute("aria-selected", "true");
    cell.tabIndex = 0;
    cell.parentElement?.classList.toggle("followed", this.cells.length > 1);
  }

  /**
   * Return the cell that an event is about, or null where it is about none.
   * @param {Event} event
   * @returns {{row: number, column: number} | null}
   */
  placeOf(event) {
    const target = /** @type {Element} */ (event.target);
    const cell = /** @type {HTMLTableCellElement | null} */ (target.closest("td"));
    if (!cell || !this.body.contains(cell)) return null;
    const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
    return { row: row.sectionRowIndex, column: cell.cellIndex - 1 };
  }

  focusCell() {
    this.chosen?.focus();
  }
}

function newCell() {
  const cell = document.createElement("td");
  cell.tabIndex = -1;
  return cell;
}

/** @param {string} text */
function span(text) {
  const element = document.createElement("span");
  element.textContent = text;
  return element;
}

/**
 * @param {"row" | "col"} scope
 * @param {number} index
 * @param {string} label
 */
export function header(scope, index, label) {
  const cell = document.createElement("th");
  cell.scope = scope;
  const number = document.createElement("i");
  number.textContent = String(index);
  cell.append(number);
  if (label) {
    const name = document.createElement("bdi");
    name.textContent = label;
    cell.append(" ", name);
    cell.title = label;
  }
  return cell;
}

/**
 * @param {Element} cell  as header made it
 * @param {string} label
 */
function relabel(cell, label) {
  const name = cell.lastElementChild;
  if (!label || name?.textContent === label) return;
  /** @type {HTMLElement} */ (cell).title = label;
  if (name) name.textContent = label;
}
