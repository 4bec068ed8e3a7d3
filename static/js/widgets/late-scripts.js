import { whenNear, whenNearOrRun, whenPointed } from "../lib/near.js";

/**
 * Load the script that an element names in data-late when it comes near: the file of
 * that name, beside this one, after the style sheet of what it draws, if it has one.
 * Several elements may share a script.  What computes runs is loaded also where the
 * address asks for one, previews where the reader comes to a link that may have one.
 */

const STYLED = ["model", "previews"]; // scripts with a style sheet
/** @type {Record<string, (element: Element) => Promise<unknown>>} */
const WANTED = { model: whenNearOrRun, previews: whenPointed };
const here = /** @type {HTMLScriptElement | null} */ (document.currentScript)?.src;

/** @type {Set<string>} */
const asked = new Set();

/** @param {string} name */
function load(name) {
  if (asked.has(name)) return;
  asked.add(name);
  const script = document.createElement("script");
  script.src = new URL(`${name}.js`, here).href;
  if (!STYLED.includes(name)) return document.head.append(script);
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL(`${name}.css`, here).href;
  style.onload = style.onerror = () => document.head.append(script);
  document.head.append(style);
}

for (const element of document.querySelectorAll("[data-late]")) {
  const name = element.getAttribute("data-late") ?? "";
  (WANTED[name] ?? whenNear)(element).then(() => load(name));
}
