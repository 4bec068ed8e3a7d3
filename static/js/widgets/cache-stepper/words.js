import { cacheBytes, multiplyAdds } from "../../lib/costs.js";
import { fixed } from "../../lib/numbers.js";
import { fillParts, showWhen } from "../../lib/page-parts.js";
import { powerOfTen } from "../../lib/powers.js";
import { grouped } from "../../lib/sizes.js";

/**
 * What the stepper says of calls, in numbers.  The page has the sentences.
 *
 * @typedef {import("../../lib/generation.js").Call} Call
 *
 * @typedef {object} Costs
 * @property {number} adds   multiply-adds of a call
 * @property {number} full   of one call over all positions so far
 * @property {number} bytes  of the cache after the call
 */

const DIGITS = 2;

/**
 * @param {import("../../lib/tiny-llama.js").Config} config
 * @param {{stored: number, fresh: number}} call
 * @param {number} itemBytes  of one number in the cache
 * @returns {Costs}
 */
export function costsOf(config, { stored, fresh }, itemBytes) {
  const end = stored + fresh;
  return {
    adds: multiplyAdds(config, fresh, stored), full: multiplyAdds(config, end, 0),
    bytes: cacheBytes(config, end, itemBytes),
  };
}

/**
 * Return each call as a row of the table.
 * @param {Call[]} calls
 * @param {Costs[]} costs
 * @param {string[]} vocabulary
 * @returns {import("./tables.js").CallRow[]}
 */
export function rowsOf(calls, costs, vocabulary) {
  let [total, fullTotal] = [0, 0];
  return calls.map(({ stored, fresh, next }, n) => {
    const { adds, full, bytes } = costs[n];
    total += adds;
    fullTotal += full;
    const [first, last] = [stored, stored + fresh - 1];
    const counts = { adds, total, full, "full-total": fullTotal, bytes };
    const texts = Object.entries(counts).map(([name, count]) => [name, grouped(count)]);
    return {
      stored, end: stored + fresh, parts: {
        ...Object.fromEntries(texts), number: n + 1, span: spanOf(first, last),
        next: vocabulary[next.token],
      },
    };
  });
}

/**
 * @param {number} first
 * @param {number} last
 */
function spanOf(first, last) {
  return first === last ? String(first) : `${first}–${last}`;
}

/**
 * Say of the shown call what it reads, writes, costs and says.
 * @param {ParentNode} root
 * @param {{call: Call, costs: Costs, difference: number, isUnknown: boolean,
 *   parts: Record<string, string | number>}} shown
 *   difference: from full recomputation; isUnknown: it takes tokens that only itself
 *   could have made known; parts: of its row
 */
export function writeSentence(root, { call, costs, difference, isUnknown, parts }) {
  const { stored, fresh, next } = call;
  fillParts(root, {
    ...parts, stored, new: fresh, end: stored + fresh,
    read: stored ? spanOf(0, stored - 1) : "",
    times: fixed(costs.full / costs.adds, 1).replace(/\.0$/, ""),
    probability: fixed(next.probability, DIGITS), difference: powerOfTen(difference),
  });
  showWhen(root, { stored: stored > 0, first: stored === 0, unknown: isUnknown });
}
