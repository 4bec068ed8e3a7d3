/** One found section as an item of the list of results. */

import { marked, passageOf } from "../../lib/search-passage.js";

/**
 * Return the item of a section: its article and title, which lead to it, and the words
 * around what was found.
 * @param {import("../../lib/section-search.js").Section} section
 * @param {Set<string>} terms
 */
export function itemOf(section, terms) {
  const { article, anchor, title, text } = section;
  const link = document.createElement("a");
  link.href = `../${article.href}${anchor && `#${encodeURIComponent(anchor)}`}`;
  if (anchor) link.append(isolated([{ text: article.title, found: false }]), " › ");
  link.append(isolated(marked(title, terms)));
  const passage = document.createElement("p");
  passage.dir = "auto";
  passage.append(...nodesOf(passageOf(text, terms)));
  const item = document.createElement("li");
  item.lang = article.lang;
  item.dir = article.dir;
  item.append(link, passage);
  return item;
}

/**
 * Return text whose direction is its own, whatever stands around it.
 * @param {import("../../lib/search-passage.js").Piece[]} pieces
 */
function isolated(pieces) {
  const element = document.createElement("bdi");
  element.append(...nodesOf(pieces));
  return element;
}

/** @param {import("../../lib/search-passage.js").Piece[]} pieces */
function nodesOf(pieces) {
  return pieces.map(({ text, found }) => {
    if (!found) return text;
    const mark = document.createElement("mark");
    mark.textContent = text;
    return mark;
  });
}
