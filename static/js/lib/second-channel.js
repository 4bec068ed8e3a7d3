/**
 * Large tensors, which a page does not carry: each is a script beside it that calls
 * receiveTensor(trace id, tensor name, base64) and does nothing else.  Pages from disk
 * may load scripts, and nothing more.
 */

/** @type {Map<string, (data: string) => void>} */
const waiting = new Map();

/**
 * @param {string} trace
 * @param {string} name
 */
const keyOf = (trace, name) => `${trace} ${name}`;

/**
 * What the scripts call.
 * @param {string} trace
 * @param {string} name
 * @param {string} data
 */
export function receiveTensor(trace, name, data) {
  waiting.get(keyOf(trace, name))?.(data);
}

/**
 * Return a tensor's base64 data.  Rejects where its script cannot be loaded, or
 * brings something else.
 * @param {string} trace
 * @param {string} name
 * @param {string} file  relative to the page
 * @returns {Promise<string>}
 */
export function fetchTensor(trace, name, file) {
  Object.assign(globalThis, { receiveTensor });
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const fail = () => reject(new Error(`no ${name} in ${file}`));
    waiting.set(keyOf(trace, name), resolve);
    script.addEventListener("load", fail); // too late for one that has brought its data
    script.addEventListener("error", fail);
    script.src = file;
    document.head.append(script);
  }).finally(() => waiting.delete(keyOf(trace, name)));
}
