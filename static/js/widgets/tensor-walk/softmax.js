import { visible } from "../../lib/labels.js";
import { sumOf } from "../../lib/matrix.js";
import { fixed } from "../../lib/numbers.js";
import { fillParts } from "../../lib/page-parts.js";
import { svgElement } from "../../lib/svg.js";
import { header } from "./grid.js";
import { viewOf } from "./views.js";

/**
 * Two softmaxes in numbers: the followed row of the weights, and the likeliest tokens.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("../../lib/computed-run.js").Run} Run
 */

const DIGITS = 3;
const LIKELIEST = 8;
const BAR_COLOUR = "w8"; // its length alone says how much

/**
 * Write the followed row out: score, less the largest, exponential, share.
 * @param {HTMLElement} root
 * @param {Run} run
 * @param {State} state
 */
export function drawSoftmax(root, run, state) {
  const name = `layers.${state.layer}.masked_scores`;
  const view = viewOf(run, { name, parameter: false }, state);
  const from = view.row * view.columns;
  const scores = view.values.subarray(from, from + view.columns);
  const maximum = Math.max(...scores);
  const powers = Array.from(scores, (score) => Math.exp(score - maximum));
  const sum = sumOf(powers);
  const caption = root.querySelector("caption");
  if (caption) {
    fillParts(caption, {
      query: view.row, head: view.before[1],
      maximum: fixed(maximum, DIGITS), sum: fixed(sum, DIGITS),
    });
  }
  root.querySelector("tbody")?.replaceChildren(...powers.map((power, key) =>
    row(key, view.columnLabels[key],
      [scores[key], scores[key] - maximum, power, power / sum].map((number) =>
        textCell(fixed(number, DIGITS))))));
}

/**
 * List the likeliest next tokens, each with a bar as long as its probability.
 * @param {HTMLElement} root
 * @param {Run} run
 */
export function drawNext(root, run) {
  const probabilities = run.tensors.next_token_probs.values;
  const order = [...probabilities.keys()]
    .sort((a, b) => probabilities[b] - probabilities[a]).slice(0, LIKELIEST);
  root.querySelector("tbody")?.replaceChildren(...order.map((token) => {
    const probability = probabilities[token];
    const label = visible(String(run.vocabulary[token] ?? ""));
    const bar = document.createElement("td");
    bar.append(barOf(probability));
    return row(token, label, [textCell(fixed(probability, DIGITS)), bar]);
  }));
}

/**
 * @param {number} index
 * @param {string} label
 * @param {HTMLElement[]} cells
 */
function row(index, label, cells) {
  const element = document.createElement("tr");
  element.append(header("row", index, label), ...cells);
  return element;
}

/** @param {string} text */
function textCell(text) {
  const cell = document.createElement("td");
  cell.textContent = text;
  return cell;
}

/** @param {number} share  0 to 1 */
function barOf(share) {
  const bar = svgElement("svg", {
    class: "share-bar", viewBox: "0 0 100 8", preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const width = (100 * share).toFixed(1);
  bar.append(svgElement("rect", { class: BAR_COLOUR, width, height: 8 }));
  return bar;
}
