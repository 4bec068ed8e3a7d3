import { fillParts } from "../../lib/page-parts.js";
import { rangesOf } from "../../lib/ranges.js";
import { fill } from "../../lib/sentences.js";

/**
 * What a change did, in words and tables.  The sentences stand in the page.
 *
 * @typedef {import("../../lib/effects.js").Moved} Moved
 * @typedef {import("../../lib/effects.js").Property} Property
 */

/**
 * Say in one sentence what moved, and which properties hold.
 * @param {HTMLElement} line
 * @param {Moved[] | null} tensors  null where nothing is changed
 * @param {{id: string, holds: boolean, name: string}[]} named  the properties
 */
export function writeSentence(line, tensors, named) {
  const { unchanged, moved, nothing, held, broke } =
    /** @type {Record<string, string>} */ (line.dataset);
  const first = tensors?.filter(({ largest }) => largest > 0) ?? [];
  const counts = {
    moved: first.length, all: tensors?.length ?? 0, first: first[0]?.name ?? "",
  };
  const names = (/** @type {boolean} */ wanted) => named
    .filter(({ holds }) => holds === wanted).map(({ name }) => name).join(", ");
  const said = [
    tensors ? fill(first.length ? moved : nothing, counts) : unchanged,
    names(true) && fill(held, { names: names(true) }),
    names(false) && fill(broke, { names: names(false) }),
  ].filter(Boolean).join(" ");
  write(line, said);
}

/**
 * Write into each property's row whether it holds, and how far off it is.  Return the
 * properties with the names that the page has for them.
 * @param {HTMLElement} table
 * @param {Property[]} found
 */
export function writeProperties(table, found) {
  const { holds: right = "", breaks = "" } = table.dataset;
  return found.map(({ id, holds, measured }) => {
    const row = /** @type {HTMLElement} */ (
      table.querySelector(`[data-property="${id}"]`));
    fillParts(row, { measured: inShort(measured), result: holds ? right : breaks });
    row.classList.toggle("broken", !holds);
    return { id, holds, name: row.querySelector("b")?.textContent ?? "" };
  });
}

/**
 * List the tensors that moved, in order of making.  What is right is not touched.
 * @param {HTMLTableElement} table
 * @param {Moved[]} tensors
 * @param {(name: string) => HTMLElement} linkTo  the step that made a tensor
 */
export function listMoved(table, tensors, linkTo) {
  const words = /** @type {Record<string, string>} */ (table.dataset);
  const [body] = table.tBodies;
  while (body.rows.length > tensors.length) body.deleteRow(-1);
  while (body.rows.length < tensors.length) body.append(emptyRow());
  tensors.forEach((tensor, i) => {
    const [name, largest, rows] = body.rows[i].cells;
    if (name.textContent !== tensor.name) name.replaceChildren(linkTo(tensor.name));
    write(largest, tensor.reshaped ? words.reshaped : inShort(tensor.largest));
    write(rows, rowsInWords(tensor, words));
  });
}

function emptyRow() {
  const row = document.createElement("tr");
  const [name, largest, rows] = ["th", "td", "td"].map((tag) =>
    document.createElement(tag));
  name.setAttribute("scope", "row");
  row.append(name, largest, rows);
  return row;
}

/**
 * @param {HTMLElement} part
 * @param {string} text
 */
function write(part, text) {
  if (part.textContent !== text) part.textContent = text;
}

/**
 * @param {Moved} tensor
 * @param {Record<string, string>} words
 */
function rowsInWords({ rows, of }, words) {
  if (of === 1) return words.only;
  return rows.length === of
    ? fill(words.all, { of }) : fill(words.some, { rows: rangesOf(rows) });
}

/**
 * Return a size with three digits, or two where it is very small or large.
 * @param {number} size  zero or more
 */
function inShort(size) {
  if (size === 0) return "0";
  if (size === Infinity) return "∞";
  return size >= 0.001 && size < 1000 ? size.toPrecision(3) : size.toExponential(1);
}
