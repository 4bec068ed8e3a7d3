/**
 * The axes of a line plot whose every place is a percentage of its width or height;
 * sitegen/plots.py has the same.
 *
 * @typedef {{low: number, high: number}} Scale  equal ratios are equal lengths
 * @typedef {{at: number, text: string, minor: boolean}} Tick
 */

const NAME_HEIGHT = 7; // percent of the drawing's height that the name of a line takes

/**
 * Return how far a value is along a logarithmic axis, in percent to two decimals.
 * @param {Scale} scale
 * @param {number} value
 */
export function shareOf({ low, high }, value) {
  const from = Math.log2(low);
  const share = (Math.log2(value) - from) / (Math.log2(high) - from);
  return twoDecimals(100 * Math.min(Math.max(share, 0), 1));
}

/**
 * Return a share of the height, counted from the top.
 * @param {number} share
 */
export function downwards(share) {
  return twoDecimals(100 - share);
}

/** @param {number} number */
function twoDecimals(number) {
  return Number(number.toFixed(2));
}

/**
 * Return the powers of base from the last at or below the smallest value to the first
 * at or above the largest, two at least.
 * @param {number[]} values
 * @param {number} base
 */
export function powers(values, base) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  let power = 1;
  while (power > low) power /= base;
  while (power * base <= low) power *= base;
  const found = [power];
  while (found[found.length - 1] < high || found.length < 2) {
    found.push(found[found.length - 1] * base);
  }
  return found;
}

/**
 * Return the ticks of values; all but each `every`th, from the first, are minor.
 * @param {Scale} scale
 * @param {number[]} values
 * @param {(value: number) => string} write
 * @param {number} [every]
 * @returns {Tick[]}
 */
export function ticks(scale, values, write, every = 1) {
  return values.map((value, index) => ({
    at: shareOf(scale, value), text: write(value), minor: index % every > 0,
  }));
}

/**
 * Return where the names of lines stand that end at these places: in the same order,
 * none over another, moved little.
 * @param {number[]} places  0 to 100
 */
export function spread(places, gap = NAME_HEIGHT) {
  const order = [...places.keys()].sort((one, other) => places[one] - places[other]);
  const moved = order.map((index) => places[index]);
  for (let index = 1; index < moved.length; index += 1) {
    moved[index] = Math.max(moved[index], moved[index - 1] + gap);
  }
  let limit = 100;
  for (let index = moved.length - 1; index >= 0; index -= 1) {
    moved[index] = Math.min(moved[index], limit);
    limit = moved[index] - gap;
  }
  return places.map((_, index) =>
    twoDecimals(Math.max(moved[order.indexOf(index)], 0)));
}
