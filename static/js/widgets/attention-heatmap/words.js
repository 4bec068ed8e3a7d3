import { fixed, signed } from "../../lib/numbers.js";
import { forbiddenIn, largestFirst, rowOf, sumOf } from "../../lib/matrix.js";
import { fillParts, showWhen } from "../../lib/page-parts.js";

/**
 * The figure in words: the followed row written out, and the chosen cell.
 *
 * The page has the sentences; numbers and labels go into their [data-part] elements.
 *
 * @typedef {import("./table.js").Picture} Picture
 */

const TERMS_LIMIT = 12; // a row of more terms is written as its largest and the rest
const TERMS_SHOWN = 8;

/**
 * Write a panel's followed row out: its terms in the order of their keys, their sum
 * before rounding, and the largest of them.
 * @param {HTMLElement} panel
 * @param {Picture} picture
 */
export function writeRow(panel, picture) {
  const { kind, matrix, query, queryLabels, keyLabels } = picture;
  const row = rowOf(matrix, query);
  const order = largestFirst(row, forbiddenIn(picture));
  const shown = order.slice(0, order.length > TERMS_LIMIT ? TERMS_SHOWN : order.length);
  const others = order.slice(shown.length);
  const most = order[0] ?? 0;
  const write = kind === "difference" ? signed : fixed;
  fillParts(panel, {
    query, "query-label": queryLabels[query],
    terms: shown.sort((a, b) => a - b).map((key) => fixed(row[key], 3)).join(" + "),
    others: others.length, rest: fixed(sumOf(others.map((key) => row[key])), 3),
    sum: fixed(sumOf(row), 3),
    "most-key": most, "most-label": keyLabels[most], most: write(row[most], 3),
  });
  showWhen(panel, { others: others.length > 0 });
}

/**
 * Write what stands under the panels: the chosen cell, and how far it can be trusted.
 * @param {HTMLElement} figure
 * @param {ReturnType<import("./pictures.js").HeadPictures["of"]>} shown
 * @param {import("./controls.js").State} state
 * @param {string} error  of a number of the followed row, key 0 left out
 */
export function writeReadout(figure, { head, partner, partnerHead }, state, error) {
  for (const part of figure.querySelectorAll(".controls, .readout")) {
    fillParts(part, { other: partnerHead, error });
  }
  const readout = /** @type {HTMLElement} */ (figure.querySelector(".readout"));
  writeCell(readout, head, partner);
  const { measure, hide } = state;
  showWhen(readout, { contributions: measure === "contributions", hide });
}

/**
 * Say what the chosen cell holds, with every digit that was recorded.
 * @param {HTMLElement} readout
 * @param {Picture} chosen
 * @param {Picture | null} beside  the head beside it, where it is shown
 */
function writeCell(readout, chosen, beside) {
  const { matrix, forbidden, scores, query, key, digits } = chosen;
  const weight = rowOf(matrix, query)[key];
  const other = beside ? rowOf(beside.matrix, query)[key] : weight;
  const masked = forbidden[query * matrix.keys + key] === 1;
  fillParts(readout, {
    query, key,
    "query-label": chosen.queryLabels[query], "key-label": chosen.keyLabels[key],
    weight: fixed(weight, digits),
    score: scores ? fixed(rowOf(scores, query)[key], 6) : "",
    "other-weight": fixed(other, digits), difference: signed(weight - other, digits),
  });
  showWhen(readout, { masked, allowed: !masked, compare: Boolean(beside) });
}
