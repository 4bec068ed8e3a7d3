import { fixed, signed } from "../../lib/numbers.js";
import { forbiddenIn, largestFirst, rowOf } from "../../lib/matrix.js";
import { pointed } from "../../lib/pointed.js";
import { SIGNED_STOPS, signedStop, weightStop } from "../../lib/ramp.js";
import { setAttributes, svgElement } from "../../lib/svg.js";

/**
 * A matrix above 32 × 32: one canvas with a pixel a weight, over the hatch.
 *
 * A screen reader finds a grid with one live row and cell, which stand for the chosen
 * one; its id changes with each move, so that the move is read out.  The frames around
 * the row and the cell are SVG: their places are attributes, not styles.
 *
 * @typedef {import("./table.js").Picture} Picture
 */

const LARGEST_SHOWN = 8;
const FRAME_GAP = 1 / 250; // of the map's side: a frame hides nothing of a thin row
let lastCellNumber = 0;

export class MapPanel {
  /**
   * @param {HTMLElement} panel
   * @param {() => Uint32Array} palette  one pixel a stop, in the page's colours of now
   */
  constructor(panel, palette) {
    this.palette = palette;
    this.map = /** @type {HTMLElement} */ (panel.querySelector(".map"));
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.rowFrame = svgElement("rect", { class: "frame" });
    this.cellFrame = svgElement("rect", { class: "frame" });
    this.frames = svgElement("svg", {
      preserveAspectRatio: "none", "aria-hidden": "true",
    });
    this.frames.append(this.rowFrame, this.cellFrame);
    this.row = element("div", { role: "row", class: "hidden" });
    this.map.replaceChildren(this.canvas, this.frames, this.row);
    this.largest = panel.querySelector("table.largest tbody");
    this.labelMap(panel.querySelector(".panel-title"));
    /** @type {unknown[]} what the canvas shows */
    this.painted = [];
  }

  /** @param {Element | null} title */
  labelMap(title) {
    this.map.setAttribute("role", "grid");
    this.map.tabIndex = 0;
    if (title) title.id ||= `heatmap-map-${++lastCellNumber}`;
    if (title) this.map.setAttribute("aria-labelledby", title.id);
  }

  /** @param {Picture} picture */
  draw(picture) {
    this.paint(picture);
    this.frame(picture);
    this.tellCell(picture);
    this.listLargest(picture);
  }

  /** @param {Picture} picture */
  paint({ kind, matrix, forbidden, root }) {
    const palette = this.palette();
    const wanted = [matrix, root, palette];
    if (wanted.every((part, i) => part === this.painted[i])) return;
    this.painted = wanted;
    const { queries, keys, values } = matrix;
    if (this.canvas.width !== keys) this.canvas.width = keys;
    if (this.canvas.height !== queries) this.canvas.height = queries;
    const image = new ImageData(keys, queries);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) {
      if (forbidden[i]) continue; // transparent: the hatch shows
      const stop = kind === "difference"
        ? signedStop(values[i]) + SIGNED_STOPS : weightStop(values[i], root);
      pixels[i] = palette[stop];
    }
    this.canvas.getContext("2d")?.putImageData(image, 0, 0);
  }

  /** @param {Picture} picture */
  frame({ matrix: { queries, keys }, query, key }) {
    setAttributes(this.frames, { viewBox: `0 0 ${keys} ${queries}` });
    const wide = keys * FRAME_GAP;
    const high = queries * FRAME_GAP;
    setAttributes(this.rowFrame, {
      x: -wide, y: query - high, width: keys + 2 * wide, height: 1 + 2 * high,
    });
    setAttributes(this.cellFrame, {
      x: key - wide, y: query - high, width: 1 + 2 * wide, height: 1 + 2 * high,
    });
    this.size = { queries, keys };
    this.at = { query, key };
  }

  /** @param {Picture} picture */
  tellCell({ kind, matrix, forbidden, query, key, queryLabels, keyLabels }) {
    const value = rowOf(matrix, query)[key];
    const number = kind === "difference" ? signed(value, 3) : fixed(value, 3);
    const masked = forbidden[query * matrix.keys + key];
    const cell = element("div", {
      role: "gridcell", id: `heatmap-cell-${++lastCellNumber}`,
      "aria-colindex": key + 1, "aria-selected": "true",
    });
    const text = masked ? this.map.dataset.masked || "" : number;
    const place = `${query} ${queryLabels[query]}, ${key} ${keyLabels[key]}`;
    cell.textContent = `${place}: ${text}`;
    setAttributes(this.map, {
      "aria-rowcount": matrix.queries, "aria-colcount": matrix.keys,
      "aria-activedescendant": cell.id,
    });
    this.row.setAttribute("aria-rowindex", String(query + 1));
    this.row.replaceChildren(cell);
  }

  /** @param {Picture} picture */
  listLargest(picture) {
    if (!this.largest) return;
    const { matrix, query, scores, keyLabels, digits } = picture;
    const row = rowOf(matrix, query);
    const keys = largestFirst(row, forbiddenIn(picture)).slice(0, LARGEST_SHOWN);
    this.largest.replaceChildren(...keys.map((key) => {
      const score = scores ? [fixed(rowOf(scores, query)[key], 6)] : [];
      return tableRow(key, keyLabels[key], [fixed(row[key], digits), ...score]);
    }));
  }

  /**
   * @param {Event} event
   * @returns {import("./table.js").Place | null}
   */
  placeOf(event) {
    const target = /** @type {Node} */ (event.target);
    if (!this.map.contains(target) || !this.size) return null;
    if (!(event instanceof MouseEvent)) return this.at ?? null;
    const { queries, keys } = this.size;
    const { row, column } = pointed(event, this.canvas, queries, keys);
    return { query: row, key: column };
  }

  focusCell() {
    this.map.focus();
  }
}

/**
 * @param {number} key
 * @param {string} label
 * @param {string[]} numbers
 */
function tableRow(key, label, numbers) {
  const index = element("i", {});
  index.textContent = String(key);
  const name = element("bdi", {});
  name.textContent = label;
  const head = element("th", { scope: "row" });
  head.append(index, " ", name);
  const row = element("tr", {});
  row.append(head, ...numbers.map((number) => {
    const cell = element("td", {});
    cell.textContent = number;
    return cell;
  }));
  return row;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function element(name, attributes) {
  return setAttributes(document.createElement(name), attributes);
}
