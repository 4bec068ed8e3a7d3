/** Runs of the random models, as far as opened numbers read them. */

import { OPERATIONS } from "../../static/js/lib/decoder-operations.js";
import { TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { demoSource, otherSource, randomWeights } from "./models.js";

const { trace: { model: ARTICLE } } = demoSource();
export const { trace: { model: ALL_DIFFERENT } } = otherSource();

/**
 * Return a run of the article's sizes, of which some may be changed.
 * @param {number[]} tokens
 * @param {{sizes?: object, seed?: number, operations?: object}} [options]
 */
export function runOf(tokens, { sizes = {}, seed = 7, operations = {} } = {}) {
  const config = { ...ARTICLE, ...sizes };
  const model = new TinyLlama(
    config, randomWeights(config, seed), { ...OPERATIONS, ...operations });
  return {
    model, tensors: recordTensors(model, [tokens]),
    choice: { tokens, change: Object.keys(operations).join() },
    trace: { input: { position_ids: [tokens.map((_, position) => position)] } },
  };
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
