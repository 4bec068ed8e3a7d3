import { countIn } from "../../lib/fragment.js";
import { MASK_NAMES } from "../../lib/mask-alignment.js";

/**
 * The mask aligner's controls, and its state in the address.
 *
 * @typedef {import("../mask-aligner.js").State} State
 */

/**
 * Return what an address says of the state; undefined where it says nothing.
 * @param {Map<string, string>} address
 * @param {string} prefix  before the names of the figure's trace
 * @returns {Partial<State>}
 */
export function stateIn(address, prefix) {
  const [layer, head, stored, count] = ["layer", "head", "stored", "new"].map((name) =>
    countIn(address, prefix + name));
  const said = address.get(`${prefix}mask`);
  return { layer, head, stored, count, mask: MASK_NAMES.find((name) => name === said) };
}

/**
 * Make the controls say what the state is: a browser restores old ones on reload.
 * @param {ParentNode} root
 * @param {State} state
 */
export function showState(root, state) {
  for (const name of /** @type {const} */ (["layer", "head", "mask"])) {
    for (const radio of root.querySelectorAll(`.pick-${name} input`)) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === String(state[name]);
    }
  }
  const { stored, count } = state;
  const numbers = { begin: stored, end: stored + count, stored, count };
  for (const [name, value] of Object.entries(numbers)) {
    const input = /** @type {HTMLInputElement} */ (
      root.querySelector(`[data-control="${name}"]`));
    if (input.value !== String(value)) input.value = String(value);
  }
  [...root.querySelectorAll(".chunk-line li")].forEach((token, position) => {
    token.className = position < stored ? "stored"
      : position < numbers.end ? "new" : "later";
  });
}
