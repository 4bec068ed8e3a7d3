import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { OPERATIONS } from "../../static/js/lib/decoder-operations.js";
import {
  changeClass, changedPositions, entryChanges, inOneDigit, replacementOf, samePrefix,
} from "../../static/js/lib/dependencies.js";
import { powerOfTen } from "../../static/js/lib/powers.js";
import { rangesOf } from "../../static/js/lib/ranges.js";
import { valueAt } from "../../static/js/lib/tensors.js";
import { TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { demoSource, otherSource } from "./models.js";

/** tests/sitegen/test_dependency_triangle.py reads the same table. */
const file = new URL("../cases/dependencies.json", import.meta.url);
const table = JSON.parse(readFileSync(file, "utf8"));
const WANTED = 9;

/** Return a source's model, with some operations replaced, and its tokens. */
function modelOf({ trace, parameters }, operations = {}) {
  const model =
    new TinyLlama(trace.model, parameters, { ...OPERATIONS, ...operations });
  return { model, tokens: trace.input.token_ids[0] };
}

/** Return, by layer and replaced position, the positions that changed. */
function changedIn({ model, tokens }) {
  return entryChanges(model, tokens, WANTED).map(({ either }) => tokens.map((_, j) =>
    changedPositions(either.subarray(j * tokens.length, (j + 1) * tokens.length))));
}

const from = (first, length) =>
  Array.from({ length: length - first }, (_, i) => first + i);

/** Whether layer 0 changes at the token alone, and every other layer from it on. */
function isCausal(changed, length) {
  return changed.every((rows, layer) => rows.every((row, j) =>
    String(row) === String(layer === 0 ? [j] : from(j, length))));
}

for (const [name, source] of [["demo", demoSource], ["other sizes", otherSource]]) {
  test(`layer 0 changes at the token, layers above from it on: ${name}`, () => {
    const { model, tokens } = modelOf(source());
    const changed = changedIn({ model, tokens });
    assert.equal(changed.length, model.config.num_hidden_layers);
    assert.ok(isCausal(changed, tokens.length), JSON.stringify(changed));
  });
}

test("a mask that shows the future, and one that hides the past, are noticed", () => {
  const length = demoSource().trace.input.token_ids[0].length;
  const open = changedIn(modelOf(demoSource(), { sees: () => true }));
  assert.ok(!isCausal(open, length));
  assert.deepEqual(open[1], Array.from({ length }, () => from(0, length)));
  const own = { sees: (query, key) => query === key };
  assert.ok(!isCausal(changedIn(modelOf(demoSource(), own)), length));
});

test("the sizes are those of the two runs, each over its own tensor's largest", () => {
  const { model, tokens } = modelOf(otherSource());
  const at = 2;
  const changes = entryChanges(model, tokens, WANTED);
  const before = recordTensors(model, [tokens]);
  const after = recordTensors(model, [tokens.with(at, WANTED)]);
  for (const [kind, name] of [["keys", "k_rotated"], ["values", "v"]]) {
    const tensor = before[`layers.3.${name}`];
    const now = after[`layers.3.${name}`];
    const whole = Math.max(...tensor.values.map(Math.abs));
    tokens.forEach((_, p) => {
      const found = changes[3][kind][at * tokens.length + p];
      assert.equal(found, largestAt(now, tensor, p) / whole);
      const { either } = changes[3];
      assert.ok(either[at * tokens.length + p] >= found);
    });
  }
});

/** Return the largest difference of two tensors [1, Hkv, T, dh] at a position. */
function largestAt(now, was, position) {
  const [, heads, , width] = was.shape;
  let largest = 0;
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < width; i++) {
      const index = [0, head, position, i];
      largest = Math.max(largest, Math.abs(valueAt(now, index) - valueAt(was, index)));
    }
  }
  return largest;
}

test("keys and values are told apart", () => {
  const frozen = (name, tensor) => name === "layers.1.v"
    ? { ...tensor, values: new Float64Array(tensor.values.length).fill(1) } : tensor;
  const { model, tokens } = modelOf(demoSource(), { replaced: frozen });
  const [, { keys, values, either }] = entryChanges(model, tokens, WANTED);
  assert.ok(values.every((size) => size === 0));
  assert.ok(keys.some((size) => size > 0));
  assert.deepEqual(either, keys);
});

test("a token that stands there already is followed by the next", () => {
  const { model, tokens } = modelOf(demoSource());
  const [{ either }] = entryChanges(model, tokens, tokens[1]);
  assert.ok(tokens.every((_, j) => either[j * tokens.length + j] > 0));
});

test("changes are written, coloured and counted as Python does", () => {
  for (const [name, tell] of Object.entries({
    in_one_digit: inOneDigit, change_class: changeClass, power_of_ten: powerOfTen,
    ranges_of: rangesOf, replacement_of: (given) => replacementOf(...given),
  })) {
    for (const [given, said] of table[name]) assert.equal(tell(given), said, name);
  }
  for (const [changed, length, said] of table.same_prefix) {
    assert.equal(samePrefix(changed, length), said);
  }
});
