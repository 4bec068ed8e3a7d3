import { factorCell, numberCell, row, setCaption } from "./opened-cells.js";

/**
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("./opened-words.js").Words} Words
 */

/**
 * What a number has beside its terms: what each head adds, what the stream adds up to,
 * what a norm takes.
 * @param {HTMLTableElement} table
 * @param {Opened} opened
 * @param {Words} words
 */
export function drawGroups(table, { kind, groups, applied }, words) {
  const name = { "heads-sum": "heads", sum: "stream" }[/** @type {"sum"} */ (kind)];
  setCaption(table, words.say(`groups-${name ?? "applied"}`));
  const parts = groups.map(({ subtotal, head = 0, from = 0, to = 0, cell }) => cell
    ? row(words.tensor(cell), [factorCell({ value: subtotal, cell }, words)])
    : row(words.say("head-part", { head, from, to: to - 1 }), [numberCell(subtotal)]));
  const beside = applied.map((factor) => row(
    factor.cell ? words.tensor(factor.cell) : "", [factorCell(factor, words)]));
  table.tBodies[0].replaceChildren(...parts, ...beside);
}
