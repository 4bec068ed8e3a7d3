import { STOPS, weightStop } from "../../lib/ramp.js";
import { setAttributes, svgElement } from "../../lib/svg.js";

/**
 * The sheet on the screen: one canvas, a frame around the chosen head, the numbers of
 * layers and heads, and for a screen reader a grid with one live cell.
 *
 * @typedef {import("../../lib/sheet.js").Sheet} Sheet
 */

const HATCH = STOPS + 1; // its place in the palette
const HATCH_STEP = 6;
const NUMBER_SIZE = 10;
let lastCell = 0;

export class SheetCanvas {
  /** @param {HTMLElement} box  which holds the picture that the page came with */
  constructor(box) {
    this.box = box;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.frame = svgElement("rect", { class: "frame" });
    this.numbers = svgElement("g", {});
    this.overlay = svgElement("svg", { "aria-hidden": "true" });
    this.overlay.append(this.numbers, this.frame);
    this.row = document.createElement("div");
    this.row.className = "hidden";
    this.row.setAttribute("role", "row");
    box.replaceChildren(this.canvas, this.overlay, this.row);
    const { label = "" } = box.dataset;
    setAttributes(box, { "role": "grid", "tabindex": 0, "aria-label": label });
    /** @type {Sheet | null} */
    this.sheet = null;
  }

  /** Pixels of the screen in a pixel of the style sheet. */
  get scale() {
    return globalThis.devicePixelRatio || 1;
  }

  /** How many pixels of the screen the sheet may be wide. */
  get width() {
    return Math.floor(this.box.clientWidth * this.scale);
  }

  /**
   * @param {Sheet} sheet
   * @param {Map<number, Float32Array>} made
   * @param {Uint32Array} palette  17 stops and the hatch
   * @param {boolean} root
   */
  paint(sheet, made, palette, root) {
    const width = this.width;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== sheet.height) this.canvas.height = sheet.height;
    const image = new ImageData(width, sheet.height);
    const pixels = new Uint32Array(image.data.buffer);
    sheet.at.forEach((index, place) => {
      const small = made.get(index);
      if (!small) return;
      const { x, y } = cornerOf(sheet, place);
      const what = { small, side: sheet.side, palette, root };
      copyInto(pixels, width, y * width + x, what);
    });
    this.canvas.getContext("2d")?.putImageData(image, 0, 0);
    this.number(sheet);
    this.sheet = sheet;
  }

  /**
   * Write the numbers of layers and heads beside a sheet that is ordered by them.
   * @param {Sheet} sheet
   */
  number(sheet) {
    if (sheet === this.sheet) return;
    const size = NUMBER_SIZE * this.scale;
    setAttributes(this.overlay, { viewBox: `0 0 ${this.width} ${sheet.height}` });
    setAttributes(this.numbers, { "font-size": size, "text-anchor": "middle" });
    const texts = [];
    for (let row = 0; sheet.left && row < sheet.rows; row++) {
      const y = sheet.top(row);
      const first = row % sheet.inBand;
      texts.push(numberAt(first, sheet.left / 2, y + (sheet.side + size) / 2 - 1));
      const before = Math.floor(row / sheet.inBand) * sheet.columns;
      for (let column = 0; first === 0 && column < sheet.columns; column++) {
        if (sheet.at[row * sheet.columns + column] < 0) continue;
        const x = sheet.left + column * sheet.cell + sheet.side / 2;
        texts.push(numberAt(before + column, x, y - size / 3));
      }
    }
    this.numbers.replaceChildren(...texts);
  }

  /**
   * Frame the chosen picture, and tell a screen reader its name.
   * @param {number} index
   * @param {string} name
   */
  choose(index, name) {
    const { sheet } = this;
    if (!sheet) return;
    const place = sheet.at.indexOf(index);
    const { x, y } = cornerOf(sheet, place);
    const gap = (sheet.cell - sheet.side) / 2;
    setAttributes(this.frame, {
      x: x - gap, y: y - gap, width: sheet.cell, height: sheet.cell,
    });
    const cell = document.createElement("div");
    cell.textContent = name;
    setAttributes(cell, {
      role: "gridcell", id: `gallery-cell-${++lastCell}`, "aria-selected": "true",
      "aria-colindex": place % sheet.columns + 1,
    });
    this.row.setAttribute("aria-rowindex", String(this.rowOf(place) + 1));
    this.row.replaceChildren(cell);
    setAttributes(this.box, {
      "aria-rowcount": sheet.rows, "aria-colcount": sheet.columns,
      "aria-activedescendant": cell.id,
    });
  }

  /** @param {number} place */
  rowOf(place) {
    return Math.floor(place / (this.sheet?.columns || 1));
  }

  /**
   * Return the picture under the pointer, or -1.
   * @param {MouseEvent} event
   */
  indexUnder({ clientX, clientY }) {
    const { sheet } = this;
    if (!sheet) return -1;
    const box = this.canvas.getBoundingClientRect();
    const x = (clientX - box.left) * this.scale - sheet.left;
    const y = (clientY - box.top) * this.scale;
    const column = Math.floor(x / sheet.cell);
    for (let row = 0; row < sheet.rows; row++) {
      const below = y - sheet.top(row);
      if (below < 0 || below >= sheet.cell) continue;
      const inside = column >= 0 && column < sheet.columns;
      return inside ? sheet.at[row * sheet.columns + column] : -1;
    }
    return -1;
  }
}

/**
 * @param {Sheet} sheet
 * @param {number} place
 */
function cornerOf(sheet, place) {
  const row = Math.floor(place / sheet.columns);
  return { x: sheet.left + (place % sheet.columns) * sheet.cell, y: sheet.top(row) };
}

/**
 * Copy one small picture, hatched where the mask forbids.
 * @param {Uint32Array} pixels
 * @param {number} width
 * @param {number} corner
 * @param {{small: Float32Array, side: number, palette: Uint32Array,
 *   root: boolean}} what
 */
function copyInto(pixels, width, corner, { small, side, palette, root }) {
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const value = small[y * side + x];
      if (value < 0 && (x + y) % HATCH_STEP) continue;
      const stop = value < 0 ? HATCH : weightStop(value, root);
      pixels[corner + y * width + x] = palette[stop];
    }
  }
}

/**
 * @param {number} number
 * @param {number} x
 * @param {number} y
 */
function numberAt(number, x, y) {
  const text = svgElement("text", { x, y });
  text.textContent = String(number);
  return text;
}
