/**
 * How the figures of a page tell each other something of a trace, through the document:
 * none knows another.
 *
 * @typedef {{trace: string, origin: unknown}} About  the trace; who tells it
 */

/**
 * Tell the page.
 * @param {string} name  of the event
 * @param {About} detail
 */
export function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/**
 * Hear what others tell of a trace.  Return a function that ends it.
 * @template {About} Detail
 * @param {string} name  of the event
 * @param {string} trace
 * @param {unknown} origin  the listener, which does not hear itself
 * @param {(detail: Detail) => void} hear
 */
export function hearOthers(name, trace, origin, hear) {
  /** @param {Event} event */
  const listen = (event) => {
    const { detail } = /** @type {CustomEvent<Detail>} */ (event);
    if (detail.trace === trace && detail.origin !== origin) hear(detail);
  };
  document.addEventListener(name, listen);
  return () => document.removeEventListener(name, listen);
}
