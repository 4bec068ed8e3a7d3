/**
 * Run a classic script, which is all that a page from disk may load.  Rejects where it
 * cannot be loaded.
 * @param {string} address
 * @returns {Promise<void>}
 */
export function runScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`no ${address}`)));
    script.src = address;
    document.head.append(script);
  });
}
