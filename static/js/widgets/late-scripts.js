import { whenNear } from "../lib/near.js";

/**
 * Load the script of an element marked with data-late when it comes near: the file of
 * the element's name, beside this one.
 */

const here = /** @type {HTMLScriptElement | null} */ (document.currentScript)?.src;

for (const element of document.querySelectorAll("[data-late]")) {
  whenNear(element).then(() => {
    const script = document.createElement("script");
    script.src = new URL(`${element.localName}.js`, here).href;
    document.head.append(script);
  });
}
