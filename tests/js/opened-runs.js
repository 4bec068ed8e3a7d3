/** Runs of the random models, and samples of their cells. */

import { computeRun, recordedChoice } from "../../static/js/lib/computed-run.js";
import { demoSource, otherSource, randomWeights } from "./models.js";

export const SIX = [1, 2, 3, 1, 4, 5];

/** Return a run of the article's sizes; what `chosen` has is not as recorded. */
export function runOf(tokens, chosen = {}, source = demoSource()) {
  const choice = { ...recordedChoice(source.trace), tokens, ...chosen };
  return computeRun(source.trace, source, choice);
}

/** Return a run of a model whose sizes all differ. */
export function otherRun() {
  const source = otherSource();
  return runOf(source.trace.input.token_ids[0], {}, source);
}

/** Return a run of the article's sizes with other weights. */
export function runWithSeed(seed) {
  const { trace } = demoSource();
  return runOf(SIX, {}, { trace, parameters: randomWeights(trace.model, seed) });
}

/**
 * Return cells of a tensor: the first, the last and some between.
 * @param {string} name
 * @param {{shape: number[]}} tensor
 * @param {() => number} next
 */
export function sampleOf(name, { shape }, next) {
  const last = shape.map((length) => length - 1);
  const picked = Array.from({ length: 6 }, () => shape.map((length) =>
    Math.floor((next() + 1) / 2 * length)));
  return [shape.map(() => 0), last, ...picked].map((index) => ({ name, index }));
}
