/**
 * Rows of attention as parts of n: whole numbers, each row's sum exactly n, as
 * sitegen/parts.py packs them.  Written are only the cells that the mask allows, row by
 * row, a count below 255 as one byte, another as the byte 255 and two bytes, low first.
 */

const ESCAPE = 255;

/**
 * Return the counts of every head's cells, forbidden ones 0, or null where the bytes do
 * not hold one count for each allowed cell.
 * @param {Uint8Array} bytes
 * @param {Uint8Array} forbidden  [queries * keys], 1 where the mask forbids
 * @param {number} heads
 * @returns {Uint16Array | null}  [heads * queries * keys]
 */
export function unpackRows(bytes, forbidden, heads) {
  const counts = new Uint16Array(heads * forbidden.length);
  let at = 0;
  for (let cell = 0; cell < counts.length; cell++) {
    if (forbidden[cell % forbidden.length]) continue;
    if (at >= bytes.length) return null;
    counts[cell] = bytes[at++];
    if (counts[cell] !== ESCAPE) continue;
    counts[cell] = bytes[at] + 256 * bytes[at + 1];
    at += 2;
  }
  return at === bytes.length ? counts : null;
}
