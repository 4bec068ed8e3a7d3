/**
 * Copy text.  Pages from disk may lack navigator.clipboard, or may be refused it; a
 * text field and the browser's old copy command do there.
 *
 * @param {string} text
 * @returns {Promise<boolean>}  whether it is in the clipboard now
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughField(text);
  }
}

/** @param {string} text */
function copyThroughField(text) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return copied;
}
