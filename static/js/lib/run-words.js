import { firstItem } from "./matrix.js";
import { fill } from "./sentences.js";

/**
 * A run in the page's words.
 *
 * @typedef {import("./computed-run.js").Run} Run
 */

/**
 * Return what sets a run apart from the recording, and whose weights it has.
 * @param {Run} run
 * @param {import("./trace.js").Trace} recording
 * @param {Record<string, string | undefined>} words  tokens, change (with a brace for
 *   its name), trained, random
 */
export function runInWords({ choice, origin }, recording, words) {
  const { tokens = "", change = "", trained = "", random = "" } = words;
  const own = String(choice.tokens) !== String(firstItem(recording.input.token_ids));
  const weights = origin === "trained" ? trained : random;
  return [
    own && tokens, choice.change && fill(change, { change: choice.change }), weights,
  ].filter(Boolean).join(", ");
}
