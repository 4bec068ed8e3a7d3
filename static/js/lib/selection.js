import { hearOthers, tell } from "./page-events.js";

/**
 * What the figures of a page follow together.  They do not know each other: each tells
 * the document what its reader chose, and hears what the others tell.
 *
 * @typedef {object} Selection  a key that is absent stays as it was
 * @property {string} trace   the trace that it is about
 * @property {number} [layer]
 * @property {number} [head]
 * @property {number} [query]
 * @property {number} [key]
 * @property {string} [step]  as marked in the model's source
 * @property {"weights" | "contributions"} [measure]  what is shown of the heads
 * @property {boolean} [hide]  position 0 is left out, the rest scaled up
 * @property {boolean} [root]  colours on the square-root scale
 * @property {unknown} origin  who tells it
 */

const EVENT = "selection-change";

/**
 * Tell what was chosen.
 * @param {Selection} selection
 */
export function tellSelection(selection) {
  tell(EVENT, selection);
}

/**
 * Hear what others choose in a trace.  Return a function that ends it.
 * @param {string} trace
 * @param {unknown} origin  the listener, which does not hear itself
 * @param {(selection: Selection) => void} hear
 */
export function hearSelections(trace, origin, hear) {
  return hearOthers(EVENT, trace, origin, hear);
}
