import { pointed } from "../../lib/pointed.js";
import { SIGNED_STOPS, signedStop, weightStop } from "../../lib/ramp.js";
import { fill } from "../../lib/sentences.js";
import { setAttributes, svgElement } from "../../lib/svg.js";
import { titleOf, writeNumber } from "./grid.js";
import { shareAt } from "./views.js";

/**
 * A matrix as one canvas with a coloured square a number: what a step reads, and what
 * is too large for a table.  A screen reader finds a grid with one live row and cell,
 * which stand for the chosen one; its id changes with each move.
 *
 * @typedef {import("./views.js").View} View
 * @typedef {import("./words.js").Sentences} Sentences
 * @typedef {{signed: () => Uint32Array, shares: () => Uint32Array}} Palettes
 */

const DIGITS = 3;
const LARGEST_SIDE = 14; // pixels of a number's square
let lastNumber = 0;

export class ValueMap {
  /**
   * @param {HTMLElement} box
   * @param {Sentences} sentences
   * @param {Palettes} palettes
   * @param {number} width  pixels that there are for a row
   */
  constructor(box, sentences, palettes, width) {
    this.sentences = sentences;
    this.palettes = palettes;
    this.width = width;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.small = document.createElement("canvas"); // a pixel a number
    this.frame = svgElement("rect", { class: "frame" });
    this.frames = svgElement("svg", {
      preserveAspectRatio: "none", "aria-hidden": "true",
    });
    this.frames.append(this.frame);
    this.row = document.createElement("div");
    this.row.className = "hidden";
    this.row.setAttribute("role", "row");
    this.map = document.createElement("div");
    this.map.className = "value-map";
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "grid");
    this.map.append(this.canvas, this.frames, this.row);
    box.replaceChildren(this.map);
    this.size = { rows: 1, columns: 1 };
    this.at = { row: 0, column: 0 };
  }

  /** @param {View} view */
  draw(view) {
    this.size = { rows: view.rows, columns: view.columns };
    this.at = { row: view.row, column: view.column };
    this.paint(view);
    setAttributes(this.frames, { viewBox: `0 0 ${view.columns} ${view.rows}` });
    setAttributes(this.frame, { x: view.column, y: view.row, width: 1, height: 1 });
    this.tellCell(view);
  }

  /** @param {View} view */
  paint(view) {
    const { rows, columns, forbidden, scale } = view;
    const palette = scale === null ? this.palettes.shares() : this.palettes.signed();
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) {
      if (forbidden?.[i]) continue; // transparent: the hatch shows
      const share = shareAt(view, i);
      pixels[i] = palette[
        scale === null ? weightStop(share) : signedStop(share) + SIGNED_STOPS];
    }
    this.small.width = columns;
    this.small.height = rows;
    this.small.getContext("2d")?.putImageData(image, 0, 0);
    this.enlarge(rows, columns);
  }

  /**
   * @param {number} rows
   * @param {number} columns
   */
  enlarge(rows, columns) {
    const room = Math.floor(this.width / Math.max(rows, columns));
    const side = Math.max(1, Math.min(LARGEST_SIDE, room));
    this.canvas.width = side * columns; // which empties it
    this.canvas.height = side * rows;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.small, 0, 0, this.canvas.width, this.canvas.height);
  }

  /** @param {View} view */
  tellCell(view) {
    const { row, column, rowLabels, columnLabels } = view;
    const i = row * view.columns + column;
    const cell = document.createElement("div");
    setAttributes(cell, {
      role: "gridcell", id: `walk-cell-${++lastNumber}`,
      "aria-colindex": column + 1, "aria-selected": "true",
    });
    cell.textContent = fill(this.sentences.cell, {
      row: `${row} ${rowLabels[row]}`.trim(),
      column: `${column} ${columnLabels[column]}`.trim(),
      value: view.forbidden?.[i] ? this.sentences.masked : writeNumber(view, i, DIGITS),
    });
    setAttributes(this.map, {
      "aria-label": titleOf(view, this.sentences), "aria-rowcount": view.rows,
      "aria-colcount": view.columns, "aria-activedescendant": cell.id,
    });
    this.row.setAttribute("aria-rowindex", String(row + 1));
    this.row.replaceChildren(cell);
  }

  /**
   * Return the cell that an event is about: a pointer's, or the chosen one.
   * @param {Event} event
   * @returns {{row: number, column: number} | null}
   */
  placeOf(event) {
    if (!this.map.contains(/** @type {Node} */ (event.target))) return null;
    if (!(event instanceof MouseEvent) || !event.detail) return this.at;
    return pointed(event, this.canvas, this.size.rows, this.size.columns);
  }

  focusCell() {
    this.map.focus();
  }
}
