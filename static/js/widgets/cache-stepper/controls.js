import { countIn } from "../../lib/fragment.js";
import { sizesIn } from "../../lib/chunks.js";

/**
 * The stepper's controls, and its state in the address.
 *
 * @typedef {import("../cache-stepper.js").State} State
 */

/**
 * Return what an address says of the state; undefined where it says nothing, or what
 * cannot be.  A cut that does not say its call shows the first.
 * @param {Map<string, string>} address
 * @param {string} prefix  before the names of the figure's trace
 * @param {number} length  of the sequence
 * @returns {Partial<State>}
 */
export function stateIn(address, prefix, length) {
  const [call, layer, head] = ["call", "layer", "head"].map((name) =>
    countIn(address, prefix + name));
  const sizes = sizesIn(address.get(`${prefix}chunks`), length) ?? undefined;
  const isLost = sizes && !(Number(call) < sizes.length);
  return { sizes, call: isLost ? 0 : call, layer, head };
}

/**
 * Return what the address has to say of a state; null where it is as the page came.
 * @param {State} state
 * @param {State} usual
 * @returns {Record<string, string | number | null>}
 */
export function addressOf(state, usual) {
  const recut = String(state.sizes) !== String(usual.sizes);
  /** @param {"call" | "layer" | "head"} name */
  const said = (name) => state[name] === usual[name] ? null : state[name];
  return {
    chunks: recut ? state.sizes.join("-") : null,
    call: recut ? state.call : said("call"), layer: said("layer"), head: said("head"),
  };
}

/**
 * Make the controls say what the state is: a browser restores old ones on reload.
 * @param {ParentNode} root
 * @param {State} state
 */
export function showState(root, { sizes, call, layer, head }) {
  const chosen = { cut: sizes.join("-"), layer: String(layer), head: String(head) };
  for (const [name, value] of Object.entries(chosen)) {
    for (const radio of root.querySelectorAll(`.pick-${name} input`)) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === value;
    }
  }
  const [previous, following] = /** @type {NodeListOf<HTMLButtonElement>} */ (
    root.querySelectorAll("[data-move]"));
  const last = sizes.length - 1;
  // the focus stays among the two
  if (call === 0 && previous.matches(":focus")) following.focus();
  if (call === last && following.matches(":focus")) previous.focus();
  previous.disabled = call === 0;
  following.disabled = call === last;
}
