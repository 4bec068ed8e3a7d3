/** Where a key leads in a grid: ARIA Authoring Practices Guide, "Grid Pattern". */

const PAGE_ROWS = 8;

/**
 * Return the cell that a key leads to, or null where it is no key of a grid.
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean,
 *   shiftKey: boolean}} press
 * @param {{query: number, key: number}} from
 * @param {{queries: number, keys: number}} size
 * @param {boolean} [mirrored]  keys run from right to left
 * @returns {{query: number, key: number} | null}
 */
export function nextCell(press, from, size, mirrored = false) {
  if (press.altKey || press.shiftKey) return null;
  const whole = press.ctrlKey || press.metaKey;
  const to = moved(inReadingOrder(press.key, mirrored), whole, from, size);
  return to && {
    query: Math.min(Math.max(to.query, 0), size.queries - 1),
    key: Math.min(Math.max(to.key, 0), size.keys - 1),
  };
}

/**
 * @param {string} press
 * @param {boolean} mirrored
 */
function inReadingOrder(press, mirrored) {
  const exchanged = { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" };
  return mirrored ? exchanged[/** @type {"ArrowLeft"} */ (press)] ?? press : press;
}

/**
 * @param {string} press
 * @param {boolean} whole
 * @param {{query: number, key: number}} from
 * @param {{queries: number, keys: number}} size
 */
function moved(press, whole, { query, key }, size) {
  if (press === "Home") return { query: whole ? 0 : query, key: 0 };
  if (press === "End") return { query: whole ? size.queries : query, key: size.keys };
  if (whole) return null; // Ctrl with an arrow is the browser's or the screen reader's
  switch (press) {
    case "ArrowRight": return { query, key: key + 1 };
    case "ArrowLeft": return { query, key: key - 1 };
    case "ArrowDown": return { query: query + 1, key };
    case "ArrowUp": return { query: query - 1, key };
    case "PageDown": return { query: query + PAGE_ROWS, key };
    case "PageUp": return { query: query - PAGE_ROWS, key };
    default: return null;
  }
}
