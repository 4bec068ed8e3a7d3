import { fillParts, showWhen } from "../../lib/page-parts.js";
import { fill } from "../../lib/sentences.js";
import { kindOf, unitOf } from "../../lib/tensor-axes.js";
import { sentences } from "./words.js";

/**
 * The walk's controls, whose names stand in the page.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("./steps.js").Steps} Steps
 */

const OF_HEADS = new Set(["q", "k", "v", "q_rotated", "k_rotated", "scores",
  "masked_scores", "weights", "heads"]);

/**
 * Return what a change of a control says; undefined where it is no matter of the state,
 * null where it seeks a tensor that no step makes.
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @param {Steps} steps
 * @returns {Partial<State> | null | undefined}
 */
export function changeBy(control, steps) {
  const { control: name } = control.dataset;
  if (name === "step") {
    const [layer, step] = control.value.split(".");
    return layer ? { step, layer: Number(layer) } : { step };
  }
  if (name === "find") return sought(control.value.trim(), steps);
  for (const picked of ["layer", "head"]) {
    if (control.closest(`.pick-${picked}`)) return { [picked]: Number(control.value) };
  }
  return undefined;
}

/**
 * @param {string} name
 * @param {Steps} steps
 * @returns {Partial<State> | null | undefined}
 */
function sought(name, steps) {
  if (!name) return undefined;
  const step = steps.making(name);
  if (!step) return null;
  return step.layer === null ? { step: step.id } : { step: step.id, layer: step.layer };
}

/**
 * Return 1 for the key that goes on, −1 for the one that goes back, 0 for any other.
 * In a field or a list these keys are letters.
 * @param {KeyboardEvent} event
 */
export function stepByKey(event) {
  const target = /** @type {Element} */ (event.target);
  const held = event.ctrlKey || event.metaKey || event.altKey;
  if (held || target.matches('select, input:not([type="radio"], [type="checkbox"])')) {
    return 0;
  }
  return { n: 1, p: -1 }[event.key] ?? 0;
}

/**
 * Return whether a key asks for the tensor that the field names: where a list of names
 * is open, the key is no change of the field in every browser.
 * @param {KeyboardEvent} event
 */
export function seeks({ key, target }) {
  return key === "Enter"
    && /** @type {Element} */ (target).matches('[data-control="find"]');
}

/**
 * Make the controls and the words above the step say what the state is.
 * @param {HTMLElement} root
 * @param {State} state
 * @param {Steps} steps
 */
export function showState(root, state, steps) {
  const step = /** @type {import("./steps.js").Step} */ (steps.of(state));
  const [number, count] = [steps.numberOf(step), steps.all.length];
  fillNames(root, steps);
  choose(root.querySelector('select[data-control="step"]'),
    `${step.layer ?? ""}.${step.id}`);
  for (const name of /** @type {const} */ (["layer", "head"])) {
    for (const found of root.querySelectorAll(`.pick-${name} input`)) {
      const input = /** @type {HTMLInputElement} */ (found);
      input.checked = input.value === String(state[name]);
    }
  }
  enable(root.querySelector('[data-control="previous"]'), number > 1);
  enable(root.querySelector('[data-control="next"]'), number < count);
  show(root.querySelector(".pick-layer"), step.layer !== null);
  show(root.querySelector(".pick-head"),
    step.outputs.some((name) => OF_HEADS.has(kindOf(name))));
  const shares = step.outputs.some((name) => unitOf(name) === "probability");
  for (const part of [root.querySelector(".walk-position"),
    step.element.querySelector("h3")]) {
    if (part) fillParts(part, { number, count, layer: state.layer });
  }
  showWhen(root, { signed: !shares, shares });
  announce(root, step, { number, count, layer: state.layer });
}

/**
 * @param {Element | null} control
 * @param {boolean} holds
 */
function enable(control, holds) {
  if (control) /** @type {HTMLButtonElement} */ (control).disabled = !holds;
}

/**
 * @param {Element | null} control
 * @param {boolean} holds
 */
function show(control, holds) {
  if (control) /** @type {HTMLElement} */ (control).hidden = !holds;
}

/**
 * @param {Element | null} list
 * @param {string} value
 */
function choose(list, value) {
  if (list) /** @type {HTMLSelectElement} */ (list).value = value;
}

/**
 * Offer the names of all tensors to the field that seeks one, once.
 * @param {HTMLElement} root
 * @param {Steps} steps
 */
function fillNames(root, steps) {
  const list = root.querySelector("datalist");
  if (!list || list.childElementCount) return;
  list.append(...steps.names().map((name) => {
    const option = document.createElement("option");
    option.value = name;
    return option;
  }));
}

/**
 * Say a step that was come to, once the reader walks.
 * @param {HTMLElement} root
 * @param {import("./steps.js").Step} step
 * @param {{number: number, count: number, layer: number}} at
 */
function announce(root, step, at) {
  const region = root.querySelector(".announcement");
  const { said, saidLayer } = sentences();
  const role = step.element.querySelector(".walk-role")?.textContent ?? "";
  const { title = "" } = step.element.dataset;
  const text = fill(step.layer === null ? said : saidLayer, { ...at, title, role });
  if (!region || root.dataset.at === text) return;
  const first = root.dataset.at === undefined;
  root.dataset.at = text;
  if (!first) region.textContent = text;
}
