const MINUS = "\u2212";

/**
 * Return a size with one digit and its power of ten, "3e−16", or "0".
 * @param {number} size  below 1
 */
export function powerOfTen(size) {
  return size === 0 ? "0" : size.toExponential(0).replace("-", MINUS);
}
