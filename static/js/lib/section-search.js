import { wordsIn } from "./search-terms.js";

/**
 * Search the sections of a site with MiniSearch, which is handed in.
 *
 * @typedef {{href: string, title: string, lang: string, dir: string,
 *   sections: [id: string, title: string, text: string][]}} Article
 * @typedef {{id: number, article: Article, anchor: string, title: string,
 *   text: string}} Section  the title is the article's where the section has none
 * @typedef {string | {combineWith: string, queries: Query[]}} Query
 * @typedef {{id: number, terms: string[]}} Found  terms: what was found, as written
 * @typedef {{addAllAsync: (documents: object[], options: object) => Promise<void>,
 *   search: (query: Query, options: object) => Found[]}} Index
 * @typedef {new (options: object) => Index} MiniSearch
 */

const IN_ONE_SLICE = 20; // sections, some 10 ms
const TITLE_COUNTS = 3; // times as much as the text

const OPTIONS = {
  fields: ["title", "text"],
  tokenize: (/** @type {string} */ text) =>
    wordsIn(text).flatMap(({ terms }) => terms.map(({ term }) => term)),
  processTerm: (/** @type {string} */ term) => term,
  searchOptions: {
    tokenize: (/** @type {string} */ term) => [term],
    prefix: true,
    fuzzy: mistakesIn,
    boost: { title: TITLE_COUNTS },
  },
};

/**
 * Return how many letters of a term may be wrong.
 * @param {string} term
 */
function mistakesIn(term) {
  if (/\d/.test(term)) return 0;
  return term.length > 7 ? 2 : Number(term.length > 3);
}

/**
 * Return the sections of articles, in order; a section's id is its place.
 * @param {Article[]} articles
 * @returns {Section[]}
 */
export function sectionsOf(articles) {
  return articles.flatMap((article) => article.sections.map(([anchor, title, text]) =>
    ({ article, anchor, title: title || article.title, text })))
    .map((section, id) => ({ id, ...section }));
}

/**
 * Return an index of sections, made in slices that leave the page time to answer.
 * @param {MiniSearch} MiniSearch
 * @param {Section[]} sections
 */
export async function indexOf(MiniSearch, sections) {
  const index = new MiniSearch(OPTIONS);
  await index.addAllAsync(sections, { chunkSize: IN_ONE_SLICE });
  return index;
}

/**
 * Return what has all words of a text, best first; or else, where nothing has, what has
 * some of them.
 * @param {Index} index
 * @param {string} text
 */
export function search(index, text) {
  const queries = wordsIn(text).map(queryOf);
  if (!queries.length) return { found: [], all: true };
  const found = index.search({ combineWith: "AND", queries }, {});
  const all = found.length > 0 || queries.length < 2;
  return { found: all ? found : index.search({ combineWith: "OR", queries }, {}), all };
}

/**
 * Return what finds a word as it is written, or all of its parts.
 * @param {import("./search-terms.js").Word} word
 * @returns {Query}
 */
function queryOf({ whole, parts }) {
  if (!parts.length) return whole;
  const inParts = { combineWith: "AND", queries: parts };
  return whole ? { combineWith: "OR", queries: [whole, inParts] } : inParts;
}
