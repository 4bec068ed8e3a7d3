import { axesOf, formatCell, parseCell } from "../../lib/cells.js";
import { countIn } from "../../lib/fragment.js";

/**
 * The walk's state, and the part of the page's address that says it.
 *
 * @typedef {import("../../lib/cells.js").Cell} Cell
 *
 * @typedef {object} State
 * @property {string} step
 * @property {number} layer
 * @property {number} head
 * @property {number} query  the followed position
 * @property {number} key    the position that is read
 * @property {Record<string, number>} places  on the axes that no other figure follows
 * @property {Cell[]} open   the opened cell, after those that led to it
 */

const BETWEEN = ">"; // the cells of a trail

/**
 * @param {Map<string, string>} address
 * @param {string} prefix  of the trace's names
 * @returns {Partial<State>} what the address says, undefined for what it does not
 */
export function stateIn(address, prefix) {
  const [layer, head, query, key] = ["layer", "head", "query", "key"].map((name) =>
    countIn(address, prefix + name));
  const text = address.get(`${prefix}open`);
  const open = text === undefined ? undefined : trailOf(text);
  const places = open?.length ? placesOf(open[open.length - 1]) : undefined;
  return { layer, head, query, key, step: address.get(`${prefix}step`), open, places };
}

/**
 * Return where a cell stands on each of its axes.
 * @param {Cell} cell
 * @returns {Record<string, number>}
 */
function placesOf(cell) {
  return Object.fromEntries(axesOf(cell).map((axis, i) => [axis, cell.index[i]]));
}

/**
 * Return the changes of the address that say a state; of a focused walk only what the
 * page's figures follow together.
 * @param {State} state
 * @param {string} prefix
 * @param {boolean} focused
 * @returns {Record<string, string | number | null>}
 */
export function addressOf({ step, layer, head, query, key, open }, prefix, focused) {
  const shared = { layer, head, query, key };
  const said = focused ? shared : { ...shared, step, open: textOf(open) || null };
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [prefix + name, value]));
}

/**
 * Return the cells of a trail's text, none where one of them cannot be read.
 * @param {string} text
 * @returns {Cell[]}
 */
export function trailOf(text) {
  const cells = text.split(BETWEEN).map(parseCell);
  return cells.every((cell) => cell !== null) ? /** @type {Cell[]} */ (cells) : [];
}

/** @param {Cell[]} trail */
function textOf(trail) {
  return trail.map(formatCell).join(BETWEEN);
}

/**
 * Return a state with some of it changed, or null where nothing would: what the run
 * has no room for stays as it was.
 * @param {State} state
 * @param {Partial<State>} change
 * @param {import("../../lib/computed-run.js").Run} run
 * @returns {State | null}
 */
export function changed(state, change, run) {
  const wanted = Object.entries(change).filter(([name, value]) => {
    const now = state[/** @type {keyof State} */ (name)];
    return value !== undefined && holds(run, name, value)
      && JSON.stringify(now) !== JSON.stringify(value);
  });
  return wanted.length ? { ...state, ...Object.fromEntries(wanted) } : null;
}

/**
 * @param {import("../../lib/computed-run.js").Run} run
 * @param {string} name
 * @param {unknown} value
 */
function holds({ model: { config }, tokens }, name, value) {
  const limits = {
    layer: config.num_hidden_layers, head: config.num_attention_heads,
    query: tokens.length, key: tokens.length,
  };
  return !(name in limits) || Number(value) < limits[/** @type {"layer"} */ (name)];
}
