import { whenNear, whenNearOrRun } from "../lib/near.js";

/**
 * Load the script that an element names in data-late when it comes near: the file of
 * that name, beside this one, after the style sheet of what it draws, if it has one.
 * Several elements may share a script.  What computes runs is loaded also where the
 * address asks for one.
 */

const MODEL = "model"; // the script of what computes runs
const here = /** @type {HTMLScriptElement | null} */ (document.currentScript)?.src;

/** @type {Set<string>} */
const asked = new Set();

/** @param {string} name */
function load(name) {
  if (asked.has(name)) return;
  asked.add(name);
  const script = document.createElement("script");
  script.src = new URL(`${name}.js`, here).href;
  if (name !== MODEL) return document.head.append(script);
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = new URL(`${name}.css`, here).href;
  for (const end of ["load", "error"]) {
    style.addEventListener(end, () => document.head.append(script));
  }
  document.head.append(style);
}

for (const element of document.querySelectorAll("[data-late]")) {
  const name = element.getAttribute("data-late") ?? "";
  const wanted = name === MODEL ? whenNearOrRun : whenNear;
  wanted(element).then(() => load(name));
}
