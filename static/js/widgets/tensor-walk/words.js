/**
 * What the walks of a page share: the first has the sentences and the ramps for all.
 *
 * @typedef {object} Sentences  of the interface, with braces
 * @property {string} table
 * @property {string} headTable
 * @property {string} masked
 * @property {string} cell
 * @property {string} said
 * @property {string} saidLayer
 */

const FIRST = "tensor-walk[data-cell]";

/** @returns {Sentences} */
export function sentences() {
  const first = /** @type {HTMLElement | null} */ (document.querySelector(FIRST));
  const words = first?.dataset ?? {};
  const { table = "", headTable = "", masked = "", cell = "" } = words;
  const { said = "", saidLayer = "" } = words;
  return { table, headTable, masked, cell, said, saidLayer };
}

/**
 * Return a ramp of colours, one child a stop.
 * @param {"signed" | "shares"} name
 */
export function rampOf(name) {
  const ramp = document.querySelector(`${FIRST} [data-when="${name}"] .ramp`);
  return /** @type {Element} */ (ramp);
}
