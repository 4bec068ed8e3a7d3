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
  if (line.textContent !== said) line.textContent = said;
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
 * List the tensors that moved, in order of making.
 * @param {HTMLTableElement} table
 * @param {Moved[]} tensors
 * @param {(name: string) => HTMLElement} linkTo  the step that made a tensor
 */
export function listMoved(table, tensors, linkTo) {
  const words = /** @type {Record<string, string>} */ (table.dataset);
  table.tBodies[0].replaceChildren(...tensors.map((tensor) => {
    const name = element("th", linkTo(tensor.name));
    name.setAttribute("scope", "row");
    const largest = tensor.reshaped ? words.reshaped : inShort(tensor.largest);
    return element("tr", name, element("td", largest),
      element("td", rowsInWords(tensor, words)));
  }));
}

/**
 * @param {Moved} tensor
 * @param {Record<string, string>} words
 */
function rowsInWords({ rows, of }, words) {
  return rows.length === of
    ? fill(words.all, { of }) : fill(words.some, { rows: rangesOf(rows), of });
}

/**
 * @param {string} name
 * @param {(string | Node)[]} content
 */
function element(name, ...content) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
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
