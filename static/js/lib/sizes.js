/** Counts and sizes in words; sitegen/sizes.py writes the same. */

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const STEP = 1024;
const WHOLE_FROM = 100; // three digits need no decimal

/**
 * Return a whole number with its thousands apart: 131,072.
 * @param {number} number
 */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Return a size in units of 1,024: "64 bytes", "1.0 GiB", "131 GiB".
 * @param {number} bytes
 */
export function binarySize(bytes) {
  let power = 0;
  while (bytes / STEP ** power >= STEP - 0.5 && power < UNITS.length - 1) power += 1;
  const value = bytes / STEP ** power;
  const digits = power === 0 || value >= WHOLE_FROM - 0.05 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[power]}`;
}

/**
 * Return a size that is a whole number of its unit: "32 GiB".
 * @param {number} bytes
 */
export function wholeSize(bytes) {
  return binarySize(bytes).replace(".0 ", " ");
}

/**
 * Return a share in percent, in two digits: "6.7 %", "0.034 %", "1,300 %".
 * @param {number} part
 * @param {number} whole
 */
export function percent(part, whole) {
  const share = 100 * part / whole;
  let digits = 0;
  while (digits < 8 && share < 10 ** (1 - digits)) digits += 1;
  const [units, decimals] = share.toFixed(digits).split(".");
  return `${grouped(Number(units))}${decimals ? `.${decimals}` : ""} %`;
}

/**
 * Return a number with its noun, of "one|many": "1 layer", "32 layers".
 * @param {string} words  as in "{n} layer|{n} layers"
 * @param {number} number
 */
export function counted(words, number) {
  const [one, many] = words.split("|");
  return (number === 1 ? one : many).replace("{n}", grouped(number));
}
