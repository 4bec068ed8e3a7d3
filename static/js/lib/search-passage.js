import { termsIn } from "./search-terms.js";

/**
 * The words around what was found, with the found ones apart.
 * @typedef {import("./search-terms.js").Term} Term
 * @typedef {{text: string, found: boolean}} Piece
 */

const LENGTH = 220; // characters; about three lines of a result
const BEFORE = 60; // of them before what was found, so that it is read in a sentence

/**
 * Return a text in pieces, those with one of the terms marked as found.
 * @param {string} text
 * @param {Set<string>} terms
 * @returns {Piece[]}
 */
export function marked(text, terms) {
  return cut(text, termsIn(text).filter(({ term }) => terms.has(term)), 0, text.length);
}

/**
 * Return the passage of a text with the most of the terms, in pieces; its beginning
 * where it has none.
 * @param {string} text
 * @param {Set<string>} terms
 * @returns {Piece[]}
 */
export function passageOf(text, terms) {
  const found = termsIn(text).filter(({ term }) => terms.has(term));
  const start = wordStart(text, densest(found) - BEFORE);
  const end = wordEnd(text, start + LENGTH);
  const pieces = cut(text, found, start, end);
  if (start > 0) pieces.unshift({ text: "… ", found: false });
  if (end < text.length) pieces.push({ text: " …", found: false });
  return pieces;
}

/**
 * Return where the stretch with the most different terms begins.
 * @param {Term[]} found
 */
function densest(found) {
  let best = { start: 0, count: 0 };
  for (const [index, { start }] of found.entries()) {
    const terms = new Set();
    for (let next = index; found[next]?.end <= start + LENGTH - BEFORE; next += 1) {
      terms.add(found[next].term);
    }
    if (terms.size > best.count) best = { start, count: terms.size };
  }
  return best.start;
}

/**
 * @param {string} text
 * @param {number} offset
 */
function wordStart(text, offset) {
  if (offset <= 0) return 0;
  const space = text.indexOf(" ", offset);
  return space < 0 || space > offset + BEFORE / 2 ? whole(text, offset) : space + 1;
}

/**
 * @param {string} text
 * @param {number} offset
 */
function wordEnd(text, offset) {
  if (offset >= text.length) return text.length;
  const space = text.lastIndexOf(" ", offset);
  return space < offset - BEFORE / 2 ? whole(text, offset) : space;
}

/**
 * Return an offset that does not part the halves of one character.
 * @param {string} text
 * @param {number} offset
 */
function whole(text, offset) {
  return /[\udc00-\udfff]/.test(text[offset]) ? offset - 1 : offset;
}

/**
 * @param {string} text
 * @param {Term[]} found  in order of their beginnings; they may overlap
 * @param {number} start
 * @param {number} end
 */
function cut(text, found, start, end) {
  /** @type {Piece[]} */
  const pieces = [];
  /** @type {(to: number, isFound: boolean) => void} */
  const take = (to, isFound) => {
    if (to <= at) return;
    const last = pieces.at(-1);
    if (last?.found === isFound) last.text += text.slice(at, to);
    else pieces.push({ text: text.slice(at, to), found: isFound });
    at = to;
  };
  let at = start;
  for (const term of found) {
    if (term.start < end) take(term.start, false);
    if (term.start < end) take(Math.min(term.end, end), true);
  }
  take(end, false);
  return pieces;
}
