/** The page has the sentences; numbers and labels go into their marked elements. */

/**
 * Write texts into the parts of an element.
 * @param {ParentNode} root
 * @param {Record<string, string | number>} parts
 */
export function fillParts(root, parts) {
  for (const part of root.querySelectorAll("[data-part]")) {
    const text = parts[/** @type {HTMLElement} */ (part).dataset.part || ""];
    if (text !== undefined && part.textContent !== String(text)) {
      part.textContent = String(text);
    }
  }
}

/**
 * Show what holds now, and hide what does not.
 * @param {ParentNode} root
 * @param {Record<string, boolean>} holds
 */
export function showWhen(root, holds) {
  for (const part of root.querySelectorAll("[data-when]")) {
    const element = /** @type {HTMLElement} */ (part);
    const shown = holds[element.dataset.when || ""];
    if (shown !== undefined) element.hidden = !shown;
  }
}

/**
 * Say in a live region what an element says, without the parts that are not shown.
 * @param {Element | null} region
 * @param {Element | null} shown
 */
export function announce(region, shown) {
  const said = /** @type {Element | undefined} */ (shown?.cloneNode(true));
  for (const hidden of said?.querySelectorAll("[hidden]") || []) hidden.remove();
  if (region) region.textContent = said?.textContent?.replace(/\s+/g, " ").trim() || "";
}
