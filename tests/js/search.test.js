import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";
import { indexOf, search, sectionsOf } from "../../static/js/lib/section-search.js";
import { marked, passageOf } from "../../static/js/lib/search-passage.js";
import { fold, termsIn, wordsIn } from "../../static/js/lib/search-terms.js";

const library = "../../static/vendor/minisearch/minisearch.js";
vm.runInThisContext(readFileSync(new URL(library, import.meta.url), "utf8"));

/** Return the terms of a text, joined by spaces. */
const terms = (text) => termsIn(text).map(({ term }) => term).join(" ");

/** Return a function that finds texts: words → the sections that have them. */
async function searchOf(...texts) {
  const sections = sectionsOf([{
    href: "a/index.html", title: "Title", lang: "en", dir: "ltr",
    sections: texts.map((text, number) => [`s${number}`, `Section ${number}`, text]),
  }]);
  const index = await indexOf(globalThis.MiniSearch, sections);
  return (words) => search(index, words).found.map(({ id }) => texts[id]);
}

test("accents, case and joined letters fold", () => {
  for (const [written, folded] of [
    ["Müller", "muller"], ["MÜLLER", "muller"], ["Mu\u0308ller", "muller"],
    ["straße", "strasse"], ["STRASSE", "strasse"], ["Ørsted", "orsted"],
    ["œuvre", "oeuvre"], ["Łódź", "lodz"], ["ﬁne", "fine"], ["Ｆｕｌｌ", "full"],
    ["לָמַד", "למד"], ["كِتَابٌ", "كتاب"], ["ΛΌΓΟΣ", "λογοσ"], ["İstanbul", "istanbul"],
    ["model’s", "models"],
  ]) assert.equal(fold(written), folded, written);
});

test("what accents distinguish in other scripts stays apart", () => {
  assert.notEqual(fold("か"), fold("が"));
  assert.notEqual(fold("की"), fold("कि"));
});

test("a name of code is a term as a whole and in its longer parts", () => {
  assert.equal(terms("num_key_value_heads"), "num_key_value_heads num key value heads");
  assert.equal(terms("LlamaForCausalLM"), "llamaforcausallm llama for causal");
  assert.equal(terms("RoPE"), "rope");
  assert.equal(terms("np.tril(x)"), "np tril x");
  assert.equal(terms("__proto__"), "proto");
});

test("parts stand for a whole only where together they say all of it", () => {
  assert.deepEqual(wordsIn("key_value").map(({ parts }) => parts), [["key", "value"]]);
  assert.deepEqual(wordsIn("float32").map(({ parts }) => parts), [[]]);
});

test("spaceless scripts give pairs and the last character, wherever they stand", () => {
  assert.equal(terms("注意力"), "注意 意力 力");
  assert.equal(terms("用attention机制"), "用 attention 机制 制");
  assert.equal(terms("がん"), fold("がん ん"));
});

test("a term's offsets are its letters in the text", () => {
  const text = "so: Müller’s 𝐱y num_heads注意力";
  for (const { term, start, end } of termsIn(text)) {
    assert.equal(fold(text.slice(start, end)).replace(/_+$/, ""), term);
  }
});

test("a text without a word has no terms", () => {
  assert.equal(terms(" … — () ''"), "");
});

test("words are found with and without their accents, both ways", async () => {
  const find = await searchOf("Karl Müller wrote.", "Peter Muller read.", "Nobody.");
  for (const words of ["muller", "Müller", "MÜLLER", "müll", "mullr"]) {
    assert.deepEqual(find(words).sort(), ["Karl Müller wrote.", "Peter Muller read."],
      words);
  }
});

test("Chinese and Japanese are found from one character on", async () => {
  const find = await searchOf("自注意力机制很重要。", "アテンション機構", "other");
  for (const words of ["注", "力", "注意", "注意力机制", "很重要"]) {
    assert.deepEqual(find(words), ["自注意力机制很重要。"], words);
  }
  assert.deepEqual(find("機構"), ["アテンション機構"]);
  assert.deepEqual(find("注目"), []);
});

test("code is found whole and in parts", async () => {
  const find = await searchOf("Set num_key_value_heads.", "Uses RoPE.", "float32");
  for (const words of ["num_key_value_heads", "key_value", "heads", "num_key"]) {
    assert.deepEqual(find(words), ["Set num_key_value_heads."], words);
  }
  assert.deepEqual(find("rope"), ["Uses RoPE."]);
  assert.deepEqual(find("float16"), []);
});

test("all words count, or else some, which is told", async () => {
  const sections = sectionsOf([{ href: "", title: "T", lang: "en", dir: "ltr",
    sections: [["a", "A", "red green"], ["b", "B", "red"]] }]);
  const index = await indexOf(globalThis.MiniSearch, sections);
  const count = (words) => {
    const { found, all } = search(index, words);
    return [found.length, all];
  };
  assert.deepEqual(count("red green"), [1, true]);
  assert.deepEqual(count("red violet"), [2, false]);
  assert.deepEqual(count("violet"), [0, true]);
  assert.deepEqual(count("…"), [0, true]);
});

test("names that every object has are words like others", async () => {
  const find = await searchOf("The constructor of __proto__ and toString.", "Nothing");
  for (const words of ["constructor", "__proto__", "tostring", "hasOwnProperty"]) {
    assert.equal(find(words).length, Number(words !== "hasOwnProperty"), words);
  }
});

test("a title counts more than a text", async () => {
  const sections = sectionsOf([{ href: "", title: "T", lang: "en", dir: "ltr",
    sections: [["a", "Rest", "mask mask"], ["b", "Mask", "and the rest of it"]] }]);
  const index = await indexOf(globalThis.MiniSearch, sections);
  assert.equal(search(index, "mask").found[0].id, 1);
});

test("found words are marked in place", () => {
  assert.deepEqual(marked("A Müller, muller", new Set(["muller"])), [
    { text: "A ", found: false }, { text: "Müller", found: true },
    { text: ", ", found: false }, { text: "muller", found: true },
  ]);
  assert.deepEqual(marked("自注意力", new Set(["注意", "意力"])), [
    { text: "自", found: false }, { text: "注意力", found: true },
  ]);
});

test("a passage is the place with the most of the words, in whole words", () => {
  const text = `one ${"filler ".repeat(80)}one two ${"filler ".repeat(80)}`.trim();
  const pieces = passageOf(text, new Set(["one", "two"]));
  const passage = pieces.map((piece) => piece.text).join("");
  assert.deepEqual(pieces.filter(({ found }) => found).map((piece) => piece.text),
    ["one", "two"]);
  assert.match(passage, /^… (filler )+one two (filler )+…$/);
  assert.ok(passage.length < 300);
});

test("a passage without a found word is the beginning, a short text all", () => {
  assert.deepEqual(passageOf("Short text.", new Set()), [
    { text: "Short text.", found: false }]);
  assert.match(passageOf("word ".repeat(100), new Set())[0].text, /^word /);
});

test("a passage parts no character where nothing has spaces", () => {
  const text = "𝐱".repeat(400);
  for (const { text: piece } of passageOf(text, new Set())) {
    assert.ok(piece.isWellFormed());
  }
});
