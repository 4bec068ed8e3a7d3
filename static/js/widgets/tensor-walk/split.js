import { signed } from "../../lib/numbers.js";
import { fillParts } from "../../lib/page-parts.js";
import { fill } from "../../lib/sentences.js";

/**
 * The head split with its numbers: the flat rows, cut into heads, the head axis moved.
 * A number keeps the colour of its position through all three, and each row begins
 * with the position.
 *
 * @typedef {import("./address.js").State} State
 * @typedef {import("../../lib/computed-run.js").Run} Run
 * @typedef {{position: number, head: number | null, values: Float64Array}} Row
 */

const SHOWN = 6; // positions
const DIGITS = 2;
// Two hues in steps of lightness, so that neighbours differ in both.
const COLOURS = ["w1", "sn3", "w5", "sn1", "w9", "sn5"];

/**
 * @param {HTMLElement} root
 * @param {Run} run
 * @param {State} state
 */
export function drawSplit(root, run, { layer, query }) {
  const list = /** @type {HTMLSelectElement} */ (root.querySelector("select"));
  const name = `layers.${layer}.${list.value}`;
  const [, heads, length, channels] = run.tensors[name].shape;
  const first = Math.max(0, Math.min(query - SHOWN / 2, length - SHOWN));
  const count = Math.min(SHOWN, length);
  const positions = Array.from({ length: count }, (_, i) => first + i);
  const rows = rowsOf(run.tensors[`${name}_flat`].values, positions, heads, channels);
  const { flat = "", cut = "", moved = "" } = root.dataset;
  fillParts(root, { first, last: first + count - 1 });
  root.querySelector(".split")?.replaceChildren(
    table(fill(flat, { name: `${name}_flat` }), rows.flat, channels),
    table(cut, rows.cut, channels), table(moved, rows.moved, channels));
}

/**
 * Return the rows of the three tables.
 * @param {Float64Array} flat  [position, head · channel]
 * @param {number[]} positions
 * @param {number} heads
 * @param {number} channels  of a head
 */
function rowsOf(flat, positions, heads, channels) {
  /** @type {(position: number, head: number | null) => Row} */
  const row = (position, head) => {
    const from = (position * heads + (head ?? 0)) * channels;
    const size = head === null ? heads * channels : channels;
    return { position, head, values: flat.subarray(from, from + size) };
  };
  const all = [...Array(heads).keys()];
  return {
    flat: positions.map((position) => row(position, null)),
    cut: positions.flatMap((position) => all.map((head) => row(position, head))),
    moved: all.flatMap((head) => positions.map((position) => row(position, head))),
  };
}

/**
 * @param {string} title
 * @param {Row[]} rows
 * @param {number} channels  of a head
 */
function table(title, rows, channels) {
  const element = document.createElement("table");
  element.className = "split-table";
  element.createCaption().textContent = title;
  const body = element.createTBody();
  body.append(...rows.map(({ position, head, values }, i) => {
    const row = document.createElement("tr");
    row.className = COLOURS[position % COLOURS.length];
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = head === null ? String(position) : `${position}, head ${head}`;
    row.append(name, ...Array.from(values, (value, channel) =>
      numberCell(value, channel, channels)));
    row.classList.toggle("begins", i > 0 && begins(rows, i));
    return row;
  }));
  const box = document.createElement("scroll-box");
  box.className = "scroll";
  box.append(element);
  return box;
}

/**
 * Whether a row begins a new group: the slower of its two numbers has moved on.
 * @param {Row[]} rows
 * @param {number} i
 */
function begins(rows, i) {
  const [before, row] = [rows[i - 1], rows[i]];
  return row.head !== null && before.position !== row.position
    && before.head !== row.head;
}

/**
 * @param {number} value
 * @param {number} channel
 * @param {number} channels
 */
function numberCell(value, channel, channels) {
  const cell = document.createElement("td");
  cell.textContent = signed(value, DIGITS);
  cell.classList.toggle("begins", channel > 0 && channel % channels === 0);
  return cell;
}
