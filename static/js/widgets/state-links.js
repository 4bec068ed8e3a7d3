import { changeAddress, parseFragment } from "../lib/fragment.js";

/**
 * Links to a state, as in `[the query at position 2](#~query=2)`: they change the part
 * of the page's state that they name, where a browser would replace all of it, and the
 * figures follow as they follow any address.
 *
 * Attribute: data-show, the id of what comes into view, where the link is far from it.
 */
document.addEventListener("click", (event) => {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event;
  const link = /** @type {Element} */ (target).closest('a[href^="#~"]');
  if (!link || button || ctrlKey || metaKey || shiftKey || altKey) return;
  event.preventDefault();
  const { hash, dataset } = /** @type {HTMLAnchorElement} */ (link);
  changeAddress(Object.fromEntries(parseFragment(hash)));
  window.dispatchEvent(new Event("hashchange"));
  document.getElementById(dataset.show || "")?.scrollIntoView();
});
