/** Numbers as figures write them; sitegen/notation.py has the same rules. */

const MINUS = "\u2212";

/**
 * Return a number with that many decimals; one that rounds to zero has no sign.
 * @param {number} number
 * @param {number} digits
 */
export function fixed(number, digits) {
  const sign = number < 0 ? MINUS : "";
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return `${sign}∞`;
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? text : sign + text;
}

/**
 * Return a number with its sign, + or −; one that rounds to zero has none.
 * @param {number} number
 * @param {number} digits
 */
export function signed(number, digits) {
  const text = fixed(number, digits);
  return number > 0 && Number(text) !== 0 ? `+${text}` : text;
}
