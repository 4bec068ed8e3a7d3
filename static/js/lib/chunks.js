/**
 * How a sequence is cut into calls: by the sizes of the calls, or by its borders, the
 * positions at which a further call begins.
 */

/**
 * Return the sizes that a text says, "4-3-1", or null where they do not make the
 * length.
 * @param {string | undefined} text
 * @param {number} length
 */
export function sizesIn(text, length) {
  const sizes = /^\d{1,3}(-\d{1,3})*$/.test(text ?? "")
    ? String(text).split("-").map(Number) : [];
  const sum = sizes.reduce((total, size) => total + size, 0);
  return sum === length && !sizes.includes(0) ? sizes : null;
}

/** @param {number[]} sizes */
export function bordersOf(sizes) {
  let end = 0;
  return sizes.slice(0, -1).map((size) => end += size);
}

/**
 * @param {number[]} borders
 * @param {number} length  of the sequence
 */
export function sizesOf(borders, length) {
  const ends = [...borders, length].sort((a, b) => a - b);
  return ends.map((end, i) => end - (ends[i - 1] ?? 0));
}

/**
 * Return the sizes with a border more, or less where it is one already.
 * @param {number[]} sizes
 * @param {number} at
 * @param {number} length
 */
export function withToggled(sizes, at, length) {
  const borders = bordersOf(sizes);
  const others = borders.filter((border) => border !== at);
  return sizesOf(others.length < borders.length ? others : [...borders, at], length);
}

/**
 * Return where a border comes to rest that is moved: it stops at its neighbours.
 * @param {number[]} sizes
 * @param {number} from
 * @param {number} to
 * @param {number} length
 */
export function restOfBorder(sizes, from, to, length) {
  const borders = bordersOf(sizes);
  const [least, most] = [
    (borders.findLast((border) => border < from) ?? 0) + 1,
    (borders.find((border) => border > from) ?? length) - 1,
  ];
  return Math.min(Math.max(to, least), most);
}

/**
 * Return the number of the call that takes a position.
 * @param {number[]} sizes
 * @param {number} position
 */
export function callOf(sizes, position) {
  return bordersOf(sizes).filter((border) => border <= position).length;
}

/**
 * Return whether a call takes a token that only the call itself could have made known:
 * one that is generated, after another of the same call.
 * @param {{stored: number, fresh: number}} call
 * @param {number} prompt  tokens that were given
 */
export function takesUnknown({ stored, fresh }, prompt) {
  return fresh > 1 && stored + fresh > prompt;
}
