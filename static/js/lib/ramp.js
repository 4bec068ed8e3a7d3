/**
 * Colour stops; sitegen/notation.py has the same, and tests/cases/notation.json holds
 * both to them.
 */

export const STOPS = 16;
export const SIGNED_STOPS = 8;

/**
 * Return the stop, 0 to 16, of a weight from 0 to 1.
 * @param {number} weight
 * @param {boolean} [root]  on the square-root scale
 */
export function weightStop(weight, root = false) {
  const scaled = root ? Math.sqrt(Math.max(weight, 0)) : weight;
  return Math.min(Math.max(Math.floor(scaled * STOPS + 0.5), 0), STOPS);
}

/**
 * Return the stop, -8 to 8, of a difference from -1 to 1.
 * @param {number} difference
 */
export function signedStop(difference) {
  const nearest = Math.floor(Math.abs(difference) * SIGNED_STOPS + 0.5);
  const stop = Math.min(nearest, SIGNED_STOPS);
  return difference < 0 ? 0 - stop : stop;
}

/**
 * @param {number} weight
 * @param {boolean} [root]
 * @returns {string} w0 … w16
 */
export function weightClass(weight, root = false) {
  return `w${weightStop(weight, root)}`;
}

/**
 * @param {number} difference
 * @returns {string} sn8 … sn1, s0, sp1 … sp8
 */
export function signedClass(difference) {
  const stop = signedStop(difference);
  if (stop === 0) return "s0";
  return stop < 0 ? `sn${-stop}` : `sp${stop}`;
}
