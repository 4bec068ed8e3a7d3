import { Palette } from "../../lib/palette.js";
import { MapPanel } from "./map.js";
import { TablePanel } from "./table.js";

/**
 * Return what draws a panel: a table where the page has one, else a map.
 * @param {HTMLElement} panel
 * @param {HTMLElement} figure
 * @param {() => void} repaint  called when the page's colours change
 */
export function newPanel(panel, figure, repaint) {
  const table = panel.querySelector("table.attention");
  if (table) {
    fillTable(table, figure);
    return new TablePanel(panel, figure.dataset.masked || "");
  }
  const ramp = panel.querySelector(".ramp") || figure.querySelector(".ramp");
  const palette = new Palette(/** @type {Element} */ (ramp), repaint);
  return new MapPanel(panel, () => palette.read());
}

/**
 * Give a table that was not shown at first, and came without rows, those of the first.
 * @param {Element} table
 * @param {HTMLElement} figure
 */
function fillTable(table, figure) {
  if (table.querySelector("tbody")) return;
  const parts = figure.querySelectorAll('[data-panel="head"] :is(thead, tbody)');
  table.append(...[...parts].map((part) => part.cloneNode(true)));
}
