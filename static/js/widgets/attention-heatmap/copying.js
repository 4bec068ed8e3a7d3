import { copyText } from "../../lib/clipboard.js";
import { matrixText } from "../../lib/copy-formats.js";

/**
 * Copy what a button names, in the format of the list beside it, and say whether the
 * browser did.
 * @param {HTMLElement} button
 * @param {HTMLElement} figure
 * @param {import("../../lib/copy-formats.js").CopySource} source
 */
export async function copyFrom(button, figure, source) {
  const extent = /** @type {"cell" | "row" | "matrix"} */ (button.dataset.copy);
  const list = figure.querySelector('select[data-control="format"]');
  const format = /** @type {"numpy" | "json" | "csv"} */ (
    /** @type {HTMLSelectElement} */ (list).value);
  const status = /** @type {HTMLElement} */ (figure.querySelector(".status"));
  const done = await copyText(matrixText(format, extent, source));
  status.textContent = (done ? status.dataset.copied : status.dataset.refused) || "";
}
