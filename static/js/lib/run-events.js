import { hearOthers, tell } from "./page-events.js";

/**
 * How a figure learns that the page computed another run of its trace.
 *
 * @typedef {object} RunChange
 * @property {string} trace  the id of the page's trace
 * @property {import("./computed-run.js").Run} run
 * @property {unknown} origin  who chose it
 */

const EVENT = "run-change";

/**
 * Tell what the page shows of a trace now.
 * @param {RunChange} change
 */
export function tellRun(change) {
  tell(EVENT, change);
}

/**
 * Hear which runs others choose for a trace.  Return a function that ends it.
 * @param {string} trace
 * @param {unknown} origin  the listener, which does not hear itself
 * @param {(change: RunChange) => void} hear
 */
export function hearRuns(trace, origin, hear) {
  return hearOthers(EVENT, trace, origin, hear);
}
