import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  attentionKind, bytesOf, countParameters, groupedHeads, keptTokens, outweighsFrom,
} from "../../static/js/lib/cache-sizes.js";
import { readConfig } from "../../static/js/lib/configurations.js";
import { binarySize, counted, percent, wholeSize } from "../../static/js/lib/sizes.js";

const read = (name) =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
const cases = read("../cases/configurations.json");
const published = read("../../content/configurations.json");

for (const { name, text, message } of cases.hostile) {
  test(`what cannot be read has its sentence: ${name}`, () => {
    const { message: said, config } = readConfig(text);
    assert.equal(config, undefined);
    // after "json" come an engine's own words
    if (message.says === "json") assert.ok(said.value.length <= 40);
    else assert.deepEqual(said, message);
    assert.equal(said.says, message.says);
  });
}

for (const { name, text, config, aliases } of cases.readable) {
  test(`what can be read is read: ${name}`, () => {
    const answer = readConfig(text);
    const { model_type: type, tie_word_embeddings: tied, ...sizes } = answer.config;
    assert.deepEqual(sizes, config);
    assert.deepEqual(answer.aliases, aliases);
    assert.deepEqual([typeof type, typeof tied], ["string", "boolean"]);
  });
}

test("a text of ten megabytes is refused before it is parsed", () => {
  const text = `{"a": "${"x".repeat(10_000_000)}`;
  assert.deepEqual(readConfig(text).message, { says: "long", value: "10,000,007" });
});

test("lists in lists, however deep, end in a sentence", () => {
  const deep = `${"[".repeat(200_000)}8${"]".repeat(200_000)}`;
  const { message } = readConfig(`{"num_hidden_layers": ${deep}}`);
  assert.ok(["type", "json"].includes(message.says));
});

test("nothing that is read changes what objects inherit", () => {
  readConfig('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"p": 1}}}');
  assert.equal({}.polluted, undefined);
  assert.equal({}.p, undefined);
});

test("each published configuration, pasted, is read as it is", () => {
  for (const { id, name, sources, parameters, ...stored } of published) {
    assert.ok(name && sources.length);
    const { config } = readConfig(JSON.stringify(stored));
    for (const [key, value] of Object.entries(stored)) {
      assert.equal(config[key], value, `${id} ${key}`);
    }
    const counts = stored.model_type === "falcon" ? undefined : parameters;
    assert.equal(config.parameters, counts, id);
    assert.equal(countParameters(stored), counts, id);
  }
});

test("weights are not counted where the shapes are not known", () => {
  const { id, name, sources, parameters, ...stored } = published.at(-1);
  assert.ok(id && name && sources && parameters);
  for (const change of [
    { attention_bias: true }, { mlp_bias: true }, { vocab_size: "1" },
    { model_type: "mixtral" }, { model_type: "toString" },
    { hidden_size: 1e9, intermediate_size: 1e9 }]) {
    const { config } = readConfig(JSON.stringify({ ...stored, ...change }));
    assert.equal(config.parameters, undefined, JSON.stringify(change));
  }
});

const CONFIG = cases.readable[0].config; // 2 layers, 4 heads, 2 KV heads of 8 channels
const at = (context) => ({ context, batch: 3, bytes: 2 });

test("bytes are the product, and twice as many for twice of anything", () => {
  assert.equal(bytesOf(CONFIG, at(5)), 2 * 2 * 2 * 8 * 5 * 3 * 2);
  const once = bytesOf(CONFIG, at(5));
  for (const key of ["num_hidden_layers", "num_key_value_heads", "head_dim"]) {
    assert.equal(bytesOf({ ...CONFIG, [key]: 2 * CONFIG[key] }, at(5)), 2 * once, key);
  }
  for (const key of ["context", "batch", "bytes"]) {
    assert.equal(bytesOf(CONFIG, { ...at(5), [key]: 2 * at(5)[key] }), 2 * once, key);
  }
});

test("layers with a window keep no more than it, the others all", () => {
  const window = { ...CONFIG, sliding_window: 16 };
  const half = { ...window, sliding_layers: 1 };
  assert.deepEqual(keptTokens(half, 16), [{ layers: 2, tokens: 16 }]);
  assert.deepEqual(keptTokens(half, 20),
    [{ layers: 1, tokens: 20 }, { layers: 1, tokens: 16 }]);
  assert.equal(bytesOf(window, at(99)), bytesOf(CONFIG, at(16)));
  assert.equal(2 * bytesOf(half, at(20)),
    bytesOf(CONFIG, at(20)) + bytesOf(CONFIG, at(16)));
});

test("the cache outweighs the weights from the first context that it says", () => {
  const layouts = [CONFIG, { ...CONFIG, sliding_window: 16, sliding_layers: 1 },
    { ...CONFIG, sliding_window: 500 }];
  for (const layout of layouts) {
    for (const parameters of [1, 383, 384, 385, 9999]) {
      const config = { ...layout, parameters };
      const from = outweighsFrom(config, 3);
      const size = (context) => bytesOf(config, { context, batch: 3, bytes: 1 });
      assert.ok(size(from) > parameters);
      assert.ok(size(from - 1) <= parameters);
    }
  }
  const never = { ...CONFIG, sliding_window: 16, parameters: 1e6 };
  assert.equal(outweighsFrom(never, 3), null);
});

test("attention is named by how many heads share a KV head", () => {
  const named = (heads, kvHeads) => attentionKind(
    { ...CONFIG, num_attention_heads: heads, num_key_value_heads: kvHeads });
  assert.deepEqual([[8, 8], [8, 2], [8, 1], [1, 1]].map((pair) => named(...pair)),
    ["MHA", "GQA", "MQA", "MHA"]);
});

test("grouped heads are a divisor near the usual eight, none of a prime", () => {
  const grouped = (heads, kvHeads = heads) => groupedHeads(
    { ...CONFIG, num_attention_heads: heads, num_key_value_heads: kvHeads });
  assert.deepEqual([32, 12, 9, 16, 71, 1].map((heads) => grouped(heads)),
    [8, 6, 3, 8, null, null]);
  assert.equal(grouped(32, 4), 4);
  assert.equal(grouped(32, 1), 8);
});

test("sizes, shares and counts are written as Python writes them", () => {
  for (const [bytes, text] of cases.sizes) assert.equal(binarySize(bytes), text);
  for (const [part, whole, text] of cases.percents) {
    assert.equal(percent(part, whole), text);
  }
  for (const [words, number, text] of cases.counted) {
    assert.equal(counted(words, number), text);
  }
  assert.equal(wholeSize(2 ** 35), "32 GiB");
});
