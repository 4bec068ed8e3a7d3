/** A copy of a part of the page to look at: nothing in it can be used or linked. */

const USED = "button, select, input, textarea, fieldset, script, .controls, .anchor, " +
  ".back, .footnote-backref, .step-link, .print-only";
const REFERRING = ["id", "for", "tabindex", "headers", "aria-labelledby",
  "aria-describedby", "aria-controls"];

/**
 * Return copies of what an element holds.  Widgets are left out: what they draw is
 * theirs, so of a figure that is one, the caption is left.
 * @param {Element} target
 */
export function copyOf(target) {
  // In a document that nobody looks at no custom element comes to life.
  const quiet = document.implementation.createHTMLDocument("");
  const copy = quiet.importNode(target, true);
  for (const used of copy.querySelectorAll(USED)) used.remove();
  for (const element of copy.querySelectorAll("*")) {
    for (const name of REFERRING) element.removeAttribute(name);
    const plain = plainName(element);
    if (plain === "") element.remove();
    else if (plain) rename(element, plain);
  }
  return [...copy.childNodes];
}

/**
 * Return the element that takes an element's place, "" for none, undefined for itself.
 * @param {Element} element
 */
function plainName({ localName }) {
  if (localName === "a") return "span";
  if (localName === "scroll-box") return "div";
  return localName.includes("-") ? "" : undefined;
}

/**
 * @param {Element} element
 * @param {string} name
 */
function rename(element, name) {
  const other = element.ownerDocument.createElement(name);
  other.className = element.className;
  other.append(...element.childNodes);
  element.replaceWith(other);
}
