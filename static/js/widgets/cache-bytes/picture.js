import { attentionKind, bytesOf } from "../../lib/cache-sizes.js";
import {
  downwards, powers, shareOf, spread, ticks,
} from "../../lib/plot-scales.js";
import { fill } from "../../lib/sentences.js";
import { binarySize, counted, grouped, wholeSize } from "../../lib/sizes.js";

/**
 * What the plot shows, in percentages and words; sitegen/directives/cache_bytes.py says
 * the same of what the page has without scripts.
 *
 * @typedef {import("../../lib/cache-sizes.js").Config} Config
 * @typedef {import("../../lib/cache-sizes.js").Choice} Choice
 * @typedef {import("../../lib/plot-scales.js").Tick} Tick
 * @typedef {{style: string, name: string, points: number[][], nameAt: number}} Line
 *
 * @typedef {object} Picture
 * @property {string} title
 * @property {string} says
 * @property {Tick[]} xTicks
 * @property {Tick[]} yTicks
 * @property {Line[]} lines
 * @property {{at: number, name: string} | null} level  the weights, where known
 * @property {number[] | null} chosen
 */

const SHORTEST = 256; // tokens at the left edge
export const MOST_CONTEXT = 2 ** 20; // and at the right one
const SIZE_STEP = 32; // from tick to tick
const TOKEN_STEP = 4;

/**
 * Return the plot of a configuration's cache, with the lines that it had as MHA or MQA,
 * and its weights.
 * @param {Config} config
 * @param {string} name
 * @param {Choice} choice
 * @param {DOMStringMap} words
 * @returns {Picture}
 */
export function pictureOf(config, name, choice, words) {
  const weights = (config.parameters ?? 0) * choice.bytes;
  const own = config.num_key_value_heads;
  const variants = [...new Set([config.num_attention_heads, own, 1])].map((kvHeads) => {
    const variant = { ...config, num_key_value_heads: kvHeads };
    return { variant, bends: bendsOf(variant, choice) };
  });
  const sizes = variants.flatMap(({ bends }) => bends.map(([, bytes]) => bytes));
  const marks = powers(weights ? [...sizes, weights] : sizes, SIZE_STEP);
  const across = { low: SHORTEST, high: MOST_CONTEXT };
  const up = { low: marks[0], high: marks[marks.length - 1] };
  const lines = variants.map(({ variant, bends }) => ({
    style: variant.num_key_value_heads === own ? "own"
      : attentionKind(variant).toLowerCase(),
    name: nameOf(variant, own, words), nameAt: 0,
    points: bends.map(([context, bytes]) =>
      [shareOf(across, context), downwards(shareOf(up, bytes))]),
  }));
  const names = spread(lines.map(({ points }) => points[points.length - 1][1]));
  const { context } = choice;
  return {
    title: fill(words.title ?? "", { name }), says: sentence(config, choice, words),
    xTicks: ticks(across, powers([SHORTEST, MOST_CONTEXT], TOKEN_STEP), grouped, 2),
    yTicks: ticks(up, marks, wholeSize).map((tick) =>
      ({ ...tick, at: downwards(tick.at) })),
    lines: lines.map((line, index) => ({ ...line, nameAt: names[index] })),
    level: weights ? { at: downwards(shareOf(up, weights)), name: words.weights ?? "" }
      : null,
    chosen: context < SHORTEST ? null
      : [shareOf(across, context), downwards(shareOf(up, bytesOf(config, choice)))],
  };
}

/**
 * Return [context, bytes] of where a line begins, ends and, at a window, bends; where
 * only some layers have one, it is a curve from there on.
 * @param {Config} config
 * @param {Choice} choice
 */
function bendsOf(config, choice) {
  const { sliding_window: window = MOST_CONTEXT, num_hidden_layers: layers } = config;
  const curve = [];
  const step = (config.sliding_layers ?? layers) < layers ? 2 : MOST_CONTEXT;
  for (let context = window; context < MOST_CONTEXT; context *= step) {
    if (context > SHORTEST) curve.push(context);
  }
  return [SHORTEST, ...curve, MOST_CONTEXT].map((context) =>
    [context, bytesOf(config, { ...choice, context })]);
}

/**
 * @param {Config} variant
 * @param {number} own  KV heads of the model as it is
 * @param {DOMStringMap} words
 */
function nameOf(variant, own, words) {
  const kind = attentionKind(variant);
  const { num_key_value_heads: kvHeads } = variant;
  return kvHeads === own ? `${kind}: ${counted(words.kvHeads ?? "", kvHeads)}`
    : fill(words.as ?? "", { kind });
}

/**
 * @param {Config} config
 * @param {Choice} choice
 * @param {DOMStringMap} words
 */
function sentence(config, choice, words) {
  const { parameters } = config;
  const [first, last] = [SHORTEST, MOST_CONTEXT].map((context) =>
    binarySize(bytesOf(config, { ...choice, context })));
  return fill((parameters ? words.says : words.saysOwn) ?? "", {
    first, last, shortest: SHORTEST, longest: grouped(MOST_CONTEXT),
    weights: binarySize((parameters ?? 0) * choice.bytes),
  });
}
