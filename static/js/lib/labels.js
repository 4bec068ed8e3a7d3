/**
 * Token labels with what is invisible made visible; sitegen/notation.py has the same.
 */

// Marks that turn the direction of text, have no width or break the line.  U+200C and
// U+200D are spared: scripts and emoji are written with them.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]/gu;

/**
 * Return a label whose control characters are pictures (␊) and whose direction marks
 * are codes (U+202E); spaces alone become ␣, and an empty label ∅.
 * @param {string} label
 */
export function visible(label) {
  if (/^ *$/.test(label)) return "␣".repeat(label.length) || "∅";
  return label.replace(HIDDEN, named);
}

/** @param {string} character */
function named(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
