import assert from "node:assert/strict";
import { test } from "node:test";
import { rangesOf } from "../../static/js/lib/ranges.js";
import { runInWords } from "../../static/js/lib/run-words.js";

const RECORDING = { input: { token_ids: [[1, 2, 3]] } };
const WORDS = {
  tokens: "own tokens", change: "the change {change}", trained: "trained",
  random: "random",
};

/** Return a run of a choice that is the recording's, but for some of its keys. */
function run(changes, origin = "random") {
  const choice = { weights: "demo", tokens: [1, 2, 3], change: "", ...changes };
  return { choice, origin };
}

test("a run is told by what sets it apart from the recording", () => {
  const told = (...args) => runInWords(run(...args), RECORDING, WORDS);
  assert.equal(told({}), "random");
  assert.equal(told({ tokens: [1, 2] }), "own tokens, random");
  assert.equal(told({ change: "mask-off" }, "trained"), "the change mask-off, trained");
  assert.equal(told({ tokens: [3], change: "mqa" }),
    "own tokens, the change mqa, random");
});

test("the recorded tokens may be of one sequence, without a batch", () => {
  const recording = { input: { token_ids: [1, 2, 3] } };
  assert.equal(runInWords(run({}), recording, WORDS), "random");
});

test("positions in a row are a range", () => {
  assert.equal(rangesOf([]), "");
  assert.equal(rangesOf([4]), "4");
  assert.equal(rangesOf([0, 1]), "0–1");
  assert.equal(rangesOf([0, 2, 3, 4, 6]), "0, 2–4, 6");
});
