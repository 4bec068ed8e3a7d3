/**
 * The terms by which sections are found, the same for what is written and what is
 * asked.
 *
 * A term is folded: "Müller" and "muller", "STRASSE" and "straße", "לָמַד" and "למד"
 * are equal.  A name of code is a term as a whole, and so are its longer parts.
 * Scripts without spaces between words give each pair of neighbouring characters, and
 * the last one alone: a character is the beginning of some term wherever it stands.
 *
 * @typedef {{term: string, start: number, end: number}} Term  with offsets in the text
 * @typedef {{whole: string, parts: string[], terms: Term[]}} Word  offsets in its own
 *   letters; parts: those that together say the whole, none where one is too short
 */

const WRITTEN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:['’׳״]\p{L}[\p{L}\p{M}]*)*/gu;
const SPACELESS = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}" +
  "\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const RUN = new RegExp(`(?<spaceless>[${SPACELESS}]+)|[^${SPACELESS}]+`, "gu");
const CHARACTER = /\P{M}\p{M}*/gu; // a letter with its marks stays whole
const PART = /\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{Lo}+|\p{N}+/gu;
const SHORTEST_PART = 3;

/** Accents, vowel points of Hebrew and Arabic, and what lengthens or joins letters. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670'’׳״]/g;
/** Letters that Unicode does not take apart. */
const LETTERS = new Map(Object.entries({
  ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i",
  ς: "σ",
}));
const LETTER = new RegExp(`[${[...LETTERS.keys()].join("")}]`, "g");

/** @type {Map<string, Word[]>} a site has few words, and repeats them */
const known = new Map();

/**
 * Return a word as it is compared: small letters, without accents.
 * @param {string} text
 */
export function fold(text) {
  return text.normalize("NFKD").toLowerCase().replace(MARKS, "")
    .replace(LETTER, (letter) => LETTERS.get(letter) ?? letter);
}

/**
 * Return the words of a text, in order; a run of a spaceless script is one word.
 * @param {string} text
 */
export function wordsIn(text) {
  return (text.match(WRITTEN) ?? []).flatMap(wordsOf);
}

/**
 * Return the terms of a text, in order; they overlap.
 * @param {string} text
 * @returns {Term[]}
 */
export function termsIn(text) {
  return [...text.matchAll(WRITTEN)].flatMap(({ 0: written, index }) =>
    wordsOf(written).flatMap(({ terms }) => terms.map(({ term, start, end }) =>
      ({ term, start: start + index, end: end + index }))));
}

/**
 * Return what stands between two spaces as words, the scripts apart.
 * @param {string} written
 */
function wordsOf(written) {
  let words = known.get(written);
  if (!words) {
    words = [...written.matchAll(RUN)].map(({ 0: run, index, groups }) =>
      (groups?.spaceless ? pairsOf : nameOf)(run, index));
    known.set(written, words);
  }
  return words;
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {Word}
 */
function nameOf(text, offset) {
  const whole = { term: fold(text).replace(/_+$/, ""), start: offset,
    end: offset + text.length };
  const parts = cut(PART, text, offset).filter(({ term }) => term !== whole.term);
  const long = parts.filter(({ term }) => term.length >= SHORTEST_PART);
  return { whole: whole.term, terms: [whole, ...long],
    parts: long.length === parts.length ? long.map(({ term }) => term) : [] };
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {Word}
 */
function pairsOf(text, offset) {
  const characters = cut(CHARACTER, text, offset);
  const terms = characters.map(({ term, start, end }, index) => {
    const next = characters[index + 1];
    return { term: term + (next?.term ?? ""), start, end: next?.end ?? end };
  });
  const pairs = terms.slice(0, -1).map(({ term }) => term);
  return { whole: "", parts: pairs.length ? pairs : [terms[0].term], terms };
}

/**
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} offset
 * @returns {Term[]}
 */
function cut(pattern, text, offset) {
  return [...text.matchAll(pattern)].map(({ 0: piece, index }) =>
    ({ term: fold(piece), start: offset + index, end: offset + index + piece.length }));
}
