/** How far numbers lie apart. */

/**
 * Return the largest difference of two tensors of one shape; infinities that are equal
 * are 0 apart.
 * @param {ArrayLike<number>} found
 * @param {ArrayLike<number>} expected
 */
export function largestDifference(found, expected) {
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    if (found[i] === expected[i]) continue;
    const apart = Math.abs(found[i] - expected[i]);
    if (!(apart <= largest)) largest = apart; // NaN counts as a difference
  }
  return largest;
}

/**
 * Return the largest finite absolute value.
 * @param {ArrayLike<number>} values
 */
export function largestSize(values) {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]);
    if (size > largest && size < Infinity) largest = size;
  }
  return largest;
}
