import { countIn, parseFragment } from "../../lib/fragment.js";

/**
 * The figure's controls: native inputs, whose names stand in the page.
 *
 * @typedef {object} State
 * @property {number} layer
 * @property {number} head
 * @property {number} query  the followed row
 * @property {number} key    the chosen cell in it
 * @property {boolean} compare  the head beside it and the difference are shown
 * @property {boolean} root  colours on the square-root scale
 * @property {"weights" | "contributions"} measure  what is shown
 * @property {boolean} hide  key 0 is left out, the rest of each row scaled up
 */

/**
 * Return what a change of a control says, or null where it is no matter of the state.
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @returns {Partial<State> | null}
 */
export function changeBy(control) {
  const { control: name } = control.dataset;
  if (name === "compare" || name === "root") {
    return { [name]: /** @type {HTMLInputElement} */ (control).checked };
  }
  for (const picked of ["layer", "head"]) {
    if (name === picked || control.closest(`.pick-${picked}`)) {
      return { [picked]: Number(control.value) };
    }
  }
  return null;
}

/**
 * Return what an address says of the state; undefined where it says nothing.
 * @param {string} fragment
 * @param {string} prefix  before the names of the figure's trace
 * @returns {Partial<State>}
 */
export function stateIn(fragment, prefix) {
  const address = parseFragment(fragment);
  const compare = address.get(`${prefix}compare`);
  const [layer, head, query, key] = ["layer", "head", "query", "key"].map((name) =>
    countIn(address, prefix + name));
  const places = { layer, head, query, key };
  return compare === undefined ? places : { ...places, compare: compare === "1" };
}

/**
 * Make the controls say what the state is: a browser restores old ones on reload.
 * @param {ParentNode} root
 * @param {State} state
 * @param {boolean} paired  heads share keys and values, so that there is one beside
 */
export function showState(root, state, paired) {
  for (const name of /** @type {const} */ (["layer", "head"])) {
    const value = String(state[name]);
    for (const radio of root.querySelectorAll(`.pick-${name} input`)) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === value;
    }
    const list = root.querySelector(`select[data-control="${name}"]`);
    if (list) /** @type {HTMLSelectElement} */ (list).value = value;
  }
  for (const name of /** @type {const} */ (["compare", "root"])) {
    const box = root.querySelector(`input[data-control="${name}"]`);
    if (box) /** @type {HTMLInputElement} */ (box).checked = state[name];
  }
  const beside = root.querySelector('input[data-control="compare"]');
  if (beside) /** @type {HTMLInputElement} */ (beside).disabled = !paired;
}
