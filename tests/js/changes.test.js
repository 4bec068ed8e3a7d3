import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CHANGES } from "../../static/js/lib/changes.js";
import {
  LONGEST, computeRun, possibleChoice, recordedChoice,
} from "../../static/js/lib/computed-run.js";
import { movedTensors, properties } from "../../static/js/lib/effects.js";
import { TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { OPERATIONS } from "../../static/js/lib/decoder-operations.js";
import { demoSource, otherSource } from "./models.js";

const SOURCES = { demo: demoSource(), other: otherSource() };
const LISTED = JSON.parse(readFileSync(
  new URL("../../content/changes.json", import.meta.url), "utf8"));

function runOf(source, changes = {}) {
  const choice = { ...recordedChoice(source.trace), ...changes };
  return computeRun(source.trace, source, choice);
}

/** Return tensor → rows that moved, of those of a layer, or of all. */
function rowsMoved(source, changes) {
  const moved = movedTensors(runOf(source), runOf(source, changes));
  return Object.fromEntries(moved.map(({ name, rows }) => [name, rows]));
}

function broken(run) {
  return properties(run).filter(({ holds }) => !holds).map(({ id }) => id);
}

test("each change has words, and each one that is told of exists", () => {
  assert.deepEqual(LISTED.map(({ id }) => id), Object.keys(CHANGES));
  for (const { id, name, what, group, needs } of LISTED) {
    assert.ok(name && group && /^[A-Z].*\.$/.test(what), id);
    assert.ok(needs.every((need) => ["at", "to"].includes(need)), id);
  }
});

test("the run without a change is the model's, and has words for its tokens", () => {
  const source = SOURCES.demo;
  const run = runOf(source);
  const model = new TinyLlama(source.trace.model, source.parameters);
  assert.deepEqual(run.tensors, recordTensors(model, source.trace.input.token_ids));
  assert.deepEqual([run.recorded, run.origin], [true, "random"]);
  assert.deepEqual(run.trace.input.token_labels, [run.labels]);
  assert.equal(run.labels[0], "word1");
  assert.equal(run.trace.tensors["layers.0.weights"].unit, "probability");
  assert.equal(movedTensors(run, runOf(source)).some(({ largest }) => largest), false);
});

for (const [name, source] of Object.entries(SOURCES)) {
  test(`each change moves something, only the mask breaks what holds: ${name}`, () => {
    for (const change of Object.keys(CHANGES)) {
      const run = runOf(source, { change, at: 2, to: 9 });
      assert.equal(run.recorded, false);
      const moved = movedTensors(runOf(source), run);
      assert.ok(moved.some(({ rows }) => rows.length), change);
      assert.deepEqual(broken(run),
        change === "mask-off" ? ["triangle", "first_row"] : [], change);
    }
  });

  test(`values leave weights as they are, queries their first row: ${name}`, () => {
    const values = rowsMoved(source, { change: "another-wv" });
    assert.deepEqual([values["layers.0.scores"], values["layers.0.weights"]], [[], []]);
    const queries = rowsMoved(source, { change: "another-wq" });
    assert.equal(queries["layers.0.scores"][0], 0);
    assert.equal(queries["layers.0.weights"][0], 1);
  });

  test(`one query moves one row; one key moves those that see it: ${name}`, () => {
    const query = rowsMoved(source, { change: "token-q", at: 3 });
    assert.deepEqual(query["layers.0.weights"], [3]);
    const last = recordedChoice(source.trace).tokens.length - 1;
    const key = rowsMoved(source, { change: "token-k", at: 3 })["layers.0.weights"];
    assert.deepEqual([key[0], key.at(-1)], [3, last]);
    assert.deepEqual(query["next_token_probs"], [last]);
  });
}

test("the query of position 0 moves no weight: its row is 1 whatever it is", () => {
  const moved = rowsMoved(SOURCES.demo, { change: "token-q", at: 0 });
  assert.deepEqual(moved["layers.0.scores"], [0]);
  assert.deepEqual([moved["layers.0.weights"], moved.logits], [[], []]);
});

test("a mask that asks for a place in the text breaks relative positions", () => {
  const source = SOURCES.demo;
  const operations = { ...OPERATIONS, sees: (query, key) => key <= query && query < 9 };
  const model = new TinyLlama(source.trace.model, source.parameters, operations);
  assert.ok(broken({ ...runOf(source), model }).includes("relative"));
});

test("rows that do not sum to one are noticed", () => {
  const run = runOf(SOURCES.demo);
  const { shape, values } = run.tensors["layers.1.weights"];
  const weights = { shape, values: values.with(-1, values.at(-1) + 1e-9) };
  const tensors = { ...run.tensors, "layers.1.weights": weights };
  assert.deepEqual(broken({ ...run, tensors }), ["row_sums"]);
});

test("another number of key heads reshapes keys and values", () => {
  const { other } = SOURCES;
  const moved = movedTensors(runOf(other), runOf(other, { change: "mqa" }));
  const reshaped = moved.filter((tensor) => tensor.reshaped).map(({ name }) => name);
  assert.deepEqual(reshaped.slice(0, 5), ["k_flat", "v_flat", "k", "v", "k_rotated"]
    .map((name) => `layers.0.${name}`));
});

test("the mask's run says which cells it forbids", () => {
  const forbidden = (change) => runOf(SOURCES.demo, { change }).trace.forbidden
    .reduce((sum, cell) => sum + cell, 0);
  assert.deepEqual([forbidden(""), forbidden("mask-off")], [15, 0]);
});

test("what cannot be run is put right", () => {
  const { trace } = SOURCES.demo;
  const usual = recordedChoice(trace);
  const of = (changes) => possibleChoice({ ...usual, ...changes }, trace);
  assert.deepEqual(of({ tokens: [1, 32, -1, 2.5, NaN, 31] }).tokens, [1, 31]);
  assert.deepEqual(of({ tokens: [] }).tokens, usual.tokens);
  assert.equal(of({ tokens: new Array(99).fill(1) }).tokens.length, LONGEST);
  assert.equal(of({ tokens: [1, 2], at: 5 }).at, 1);
  assert.equal(of({ at: NaN }).at, 0);
  assert.equal(of({ to: 99 }).to, usual.to);
  for (const change of ["no-such", "constructor", "__proto__"]) {
    assert.equal(of({ change }).change, "", change);
  }
});

test("an empty tokens list of a choice does not change the recording's", () => {
  const { trace } = demoSource();
  possibleChoice({ ...recordedChoice(trace), tokens: [] }, trace).tokens.push(9);
  assert.deepEqual(trace.input.token_ids[0], [1, 2, 3, 1, 4, 5]);
});
