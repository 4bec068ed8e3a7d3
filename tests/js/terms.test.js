import assert from "node:assert/strict";
import { test } from "node:test";
import { axesOf, formatCell, valueOf } from "../../static/js/lib/cells.js";
import { CHANGES } from "../../static/js/lib/changes.js";
import { sumOf } from "../../static/js/lib/matrix.js";
import { largestTerms, openCell } from "../../static/js/lib/terms.js";
import { randomNumbers } from "./models.js";
import { SIX, otherRun, runOf, runWithSeed, sampleOf } from "./opened-runs.js";

const LONG = Array.from({ length: 32 }, (_, i) => (7 * i + i * i) % 32);
const RUNS = {
  "six tokens": () => runOf(SIX),
  "other weights": () => runWithSeed(99),
  "one token": () => runOf([3]),
  "32 tokens": () => runOf(LONG),
  "sizes that all differ": otherRun,
  ...Object.fromEntries(Object.keys(CHANGES).map((change) =>
    [change, () => runOf(SIX, { change, at: 3, to: 30 })])),
};

/** How far a sum may be off: 1e-12 of its largest number. */
function limitOf({ value, terms }) {
  const sizes = [value, ...terms.map((term) => term.value)].map(Math.abs);
  return 1e-12 * Math.max(...sizes.filter(Number.isFinite), 1e-300);
}

function cellsOf(run) {
  const next = randomNumbers(5);
  return Object.entries(run.tensors).flatMap(([name, tensor]) =>
    sampleOf(name, tensor, next));
}

for (const [what, make] of Object.entries(RUNS)) {
  test(`${what}: the terms of a sample of every tensor give its numbers`, () => {
    const run = make();
    for (const cell of cellsOf(run)) {
      const opened = openCell(run, cell);
      assert.equal(opened.value, valueOf(run, cell));
      const same = Object.is(opened.total, opened.value);
      assert.equal(opened.difference, same ? 0 : opened.total - opened.value);
      assert.ok(Math.abs(opened.difference) <= limitOf(opened),
        `${formatCell(cell)}: ${opened.total}, not ${opened.value}`);
    }
  });

  test(`${what}: every factor holds its cell's number, every term a product`, () => {
    const run = make();
    for (const cell of cellsOf(run)) {
      const { terms, applied, kind } = openCell(run, cell);
      for (const factor of [...terms.flatMap(({ factors }) => factors), ...applied]) {
        if (factor.cell) assert.equal(factor.value, valueOf(run, factor.cell));
      }
      if (kind === "softmax") continue; // its terms are exponentials
      for (const { value, factors } of terms) {
        assert.equal(value, factors.reduce((made, factor) => made * factor.value, 1));
      }
    }
  });
}

/** Follow random factors until a number has none; return the kinds met on the way. */
function walkDown(run, start, next) {
  const kinds = [];
  let cell = start;
  while (cell) {
    const opened = openCell(run, cell);
    kinds.push(opened.kind);
    const ways = [...opened.terms.flatMap(({ factors }) => factors), ...opened.applied]
      .filter((factor) => factor.cell);
    cell = ways[Math.floor((next() + 1) / 2 * ways.length)]?.cell;
  }
  return kinds;
}

test("a logit can be followed down to a parameter, on every way", () => {
  const next = randomNumbers(8);
  for (const run of [runOf(SIX), otherRun()]) {
    const met = new Set();
    for (let walk = 0; walk < 400; walk++) {
      const kinds = walkDown(run, { name: "logits", index: [0, 2, 7] }, next);
      assert.equal(kinds.at(-1), "parameter");
      assert.ok(kinds.length < 100);
      kinds.forEach((kind) => met.add(kind));
    }
    for (const kind of ["norm", "sum", "heads-sum", "copy", "mixture", "softmax",
      "mask", "scores", "rotation", "dot", "gated", "silu", "lookup"]) {
      assert.ok(met.has(kind), `no way led through ${kind}`);
    }
  }
});

test("every tensor of a run has an expression and axes of its shape", () => {
  const run = runOf(SIX);
  for (const [name, { shape }] of Object.entries(run.tensors)) {
    const cell = { name, index: shape.map(() => 0) };
    assert.equal(axesOf(cell).length, shape.length, name);
    assert.notEqual(openCell(run, cell).kind, "parameter");
  }
  for (const [name, { shape }] of Object.entries(run.model.weights)) {
    const cell = { name, index: shape.map(() => 0), parameter: true };
    assert.equal(axesOf(cell).length, shape.length, name);
    assert.equal(openCell(run, cell).kind, "parameter");
  }
});

test("the heads' parts add up to W_O's output", () => {
  const run = otherRun();
  const { groups, terms, value } = openCell(run,
    { name: "layers.2.attn_out", index: [0, 4, 11] });
  assert.deepEqual(groups.map(({ head, from, to }) => [head, from, to]),
    [0, 1, 2, 3, 4, 5].map((head) => [head, 10 * head, 10 * head + 10]));
  assert.equal(terms.length, 60);
  assert.ok(Math.abs(sumOf(groups.map((group) => group.subtotal)) - value) < 1e-14);
});

test("the residual stream is the embedding and every update so far", () => {
  const run = otherRun();
  for (const [name, count] of [["layers.0.resid_mid", 2], ["layers.0.resid_out", 3],
    ["layers.3.resid_mid", 8], ["layers.3.resid_out", 9]]) {
    const { groups, value } = openCell(run, { name, index: [0, 6, 27] });
    assert.equal(groups.length, count);
    assert.equal(groups[0].cell.name, "embedding");
    assert.equal(new Set(groups.map(({ cell }) => cell.name)).size, count);
    for (const { cell, subtotal } of groups) assert.equal(subtotal, valueOf(run, cell));
    assert.ok(Math.abs(sumOf(groups.map((group) => group.subtotal)) - value) < 1e-14);
  }
});

test("a token that a change put there is looked up, not the chosen one", () => {
  const run = RUNS.token();
  const { parts, terms } = openCell(run, { name: "embedding", index: [0, 3, 9] });
  assert.equal(parts.token, 30);
  assert.equal(formatCell(terms[0].factors[0].cell), "embedding*[30,9]");
});

test("a score says what it was before the scale", () => {
  const run = runOf(SIX);
  const { parts, terms, total } = openCell(run,
    { name: "layers.0.scores", index: [0, 1, 2, 0] });
  assert.equal(parts.scale, 8 ** -0.5);
  assert.equal(parts.before_scale, sumOf(terms.map(({ value }) => value)));
  assert.equal(parts.before_scale * parts.scale, total);
  assert.equal(parts.kv_head, 0);
});

test("a later key scores minus infinity, and the words can say why", () => {
  const run = runOf(SIX);
  const open = (query, key) =>
    openCell(run, { name: "layers.1.masked_scores", index: [0, 0, query, key] });
  const { total, difference, parts } = open(2, 3);
  assert.deepEqual([total, difference], [-Infinity, 0]);
  assert.deepEqual(parts, { sees: 0, later: 1, query_position: 2, key_position: 3 });
  assert.deepEqual(open(3, 3).parts.sees, 1);
  const off = openCell(RUNS["mask-off"](),
    { name: "layers.1.masked_scores", index: [0, 0, 2, 3] });
  assert.deepEqual([off.parts.sees, off.parts.later], [1, 1]);
});

test("a softmax row names its maximum, and a later key's exponential is zero", () => {
  const run = runOf(SIX);
  const { parts, terms } = openCell(run,
    { name: "layers.0.weights", index: [0, 1, 2, 0] });
  const row = [0, 1, 2].map((key) =>
    valueOf(run, { name: "layers.0.scores", index: [0, 1, 2, key] }));
  assert.equal(parts.maximum, Math.max(...row));
  assert.deepEqual(terms.map(({ value }) => value === 0),
    [false, false, false, true, true, true]);
  assert.equal(parts.denominator, sumOf(terms.map(({ value }) => value)));
});

test("probabilities read the last position's logits", () => {
  const run = runOf(SIX);
  const { terms } = openCell(run, { name: "next_token_probs", index: [0, 4] });
  assert.equal(terms.length, 32);
  assert.equal(formatCell(terms[4].factors[0].cell), "logits[0,5,4]");
});

test("a rotated channel names its pair, frequency and position", () => {
  const run = runOf(SIX);
  const open = (channel) =>
    openCell(run, { name: "layers.0.q_rotated", index: [0, 1, 3, channel] });
  const [left, right] = [open(1), open(5)];
  for (const { parts } of [left, right]) {
    assert.equal(parts.pair, 1);
    assert.equal(parts.position, 3);
    assert.ok(Math.abs(parts.frequency - 0.1) < 1e-15);
    assert.equal(parts.angle, 3 * parts.frequency);
    assert.equal(parts.turned_left, left.value);
    assert.equal(parts.turned_right, right.value);
  }
  assert.deepEqual([left.parts.side, right.parts.side], ["left", "right"]);
  const length = Math.hypot(Number(left.parts.left), Number(left.parts.right));
  assert.ok(Math.abs(Math.hypot(left.value, right.value) - length) < 1e-15);
});

test("only what a change replaced says so, with what the step had made", () => {
  const run = RUNS["token-q"]();
  const open = (row) => openCell(run, { name: "layers.0.q", index: [0, 2, row, 1] });
  const replaced = open(3);
  assert.equal(replaced.kind, "replaced");
  assert.equal(replaced.parts.made, -replaced.value);
  assert.equal(replaced.difference, 0);
  assert.equal(formatCell(replaced.terms[0].factors[0].cell),
    "layers.0.q_flat[0,3,17]");
  assert.equal(replaced.parts.change, "token-q");
  assert.equal(open(2).kind, "copy");
  const k = openCell(run, { name: "layers.0.k", index: [0, 1, 3, 1] });
  assert.equal(k.kind, "copy");
});

test("a number that no step made is noticed: its difference is not zero", () => {
  const run = runOf(SIX);
  for (const [name, { shape, values }] of Object.entries(run.tensors)) {
    const spoiled = values.slice();
    spoiled[0] = Number.isFinite(spoiled[0]) ? spoiled[0] + 1e-9 : 0;
    const tensors = { ...run.tensors, [name]: { shape, values: spoiled } };
    const opened = openCell({ ...run, tensors }, { name, index: shape.map(() => 0) });
    assert.ok(Math.abs(opened.difference) > limitOf(opened), name);
  }
});

test("a cell that a run does not have is a RangeError", () => {
  const run = runOf(SIX);
  for (const cell of [
    { name: "logits", index: [0, 6, 0] }, { name: "nothing", index: [0] },
    { name: "logits", index: [0, 0] }, { name: "wq", index: [0, 0], parameter: true },
  ]) {
    assert.throws(() => openCell(run, cell), RangeError);
  }
});

test("the largest terms come first, whatever their sign; equal ones stay", () => {
  const terms = [1, -3, 2, 3].map((value, key) => ({ value, key, factors: [] }));
  assert.deepEqual(largestTerms(terms).map(({ key }) => key), [1, 3, 2, 0]);
  assert.deepEqual(terms.map(({ key }) => key), [0, 1, 2, 3]);
});
