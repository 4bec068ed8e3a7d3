/** Sentences of the interface, which a template wrote with braces to be filled in. */

/**
 * Return a sentence with its braces filled in; a brace without a value stays.
 * @param {string} sentence  as in "Line {line} belongs to {step}."
 * @param {Record<string, string | number>} values
 */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (brace, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : brace);
}
