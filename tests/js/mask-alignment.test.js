import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  MASKS, MASK_NAMES, chunkRows, findingsOf, movedBorder, possibleChunk,
} from "../../static/js/lib/mask-alignment.js";
import { randomNumbers } from "./models.js";

/** tests/sitegen/test_mask_aligner.py reads the same table. */
const file = new URL("../cases/masks.json", import.meta.url);
const { odds, cases } = JSON.parse(readFileSync(file, "utf8"));
const SCORES = {
  queries: 5, keys: 5, values: Float64Array.from(odds.flat(), Math.log),
};
const LIMIT = 1e-15;

const fraction = ([above, below]) => above / below;
const totalOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** Return the weights that a case's pattern gives, exact but for one rounding. */
function expectedWeights({ stored, allowed }) {
  return allowed.map((pattern, t) => {
    const marked = [...pattern].map((sign, key) =>
      sign === "X" ? odds[stored + t][key] : 0);
    return marked.map((chance) => chance / totalOf(marked));
  });
}

/** Return what is wrong with a case's rows, "" where nothing is. */
function faultIn(given, rows) {
  const patterns = rows.map(({ allowed }) =>
    Array.from(allowed, (seen) => seen ? "X" : ".").join(""));
  if (String(patterns) !== String(given.allowed)) return `allowed ${patterns}`;
  const far = (found, expected) => !(Math.abs(found - expected) <= LIMIT)
    && !(Number.isNaN(found) && Number.isNaN(expected));
  const weights = expectedWeights(given);
  const wrong = rows.findIndex((row, t) =>
    row.weights.some((weight, key) => far(weight, weights[t][key]))
    || far(row.sum, row.empty ? NaN : 1)
    || far(row.leak, given.leak[t] ? fraction(given.leak[t]) : NaN)
    || far(row.hidden, fraction(given.hidden[t])));
  return wrong < 0 ? "" : `row ${wrong}`;
}

const rowsOf = ({ stored, new: count, mask }) =>
  chunkRows(SCORES, { stored, count }, mask);

test("each mask gives what was worked out by hand", () => {
  for (const given of cases) {
    assert.equal(faultIn(given, rowsOf(given)), "", JSON.stringify(given));
    const { missed, same } = findingsOf(rowsOf(given));
    assert.deepEqual({ missed, same }, { missed: given.missed, same: given.same });
  }
  assert.deepEqual(new Set(cases.map(({ mask }) => mask)), new Set(MASK_NAMES));
});

test("a mask put in another's place, or another chunk's scores, is noticed", () => {
  for (const given of cases) {
    for (const mask of MASK_NAMES) {
      const alike = cases.some((other) => other.mask === mask
        && other.stored === given.stored && other.new === given.new
        && String(other.allowed) === String(given.allowed));
      if (alike) continue;
      assert.notEqual(faultIn(given, rowsOf({ ...given, mask })), "", mask);
    }
  }
  const [first] = cases;
  const later = chunkRows(SCORES, { stored: first.stored + 1, count: 2 }, "right");
  assert.notEqual(faultIn(first, later), "");
});

test("a leak that is told too small is noticed", () => {
  const given = cases.find(({ mask }) => mask === "late");
  const rows = rowsOf(given).map((row) => ({ ...row, leak: row.leak / 2 }));
  assert.equal(faultIn(given, rows), "row 0");
});

test("upper left is the right mask exactly where nothing is stored", () => {
  everyChunk((chunk) => assert.equal(
    findingsOf(chunkRows(SCORES, chunk, "left")).same, chunk.stored === 0));
});

test("one too wide is right for one new token alone; the last row never leaks", () => {
  everyChunk((chunk) => {
    const { same, leaking } = findingsOf(chunkRows(SCORES, chunk, "late"));
    assert.equal(same, chunk.count === 1);
    const rows = Array.from({ length: chunk.count - 1 }, (_, t) => chunk.stored + t);
    assert.deepEqual(leaking, rows);
  });
});

test("strict hides each query from itself, and all from position 0", () => {
  everyChunk((chunk) => {
    const { blind, empty, sums } = findingsOf(chunkRows(SCORES, chunk, "early"));
    assert.equal(blind.length, chunk.count);
    assert.deepEqual(empty, chunk.stored ? [] : [0]);
    assert.equal(sums, chunk.stored > 0);
  });
});

test("row sums notice no mask but one that leaves a row empty", () => {
  for (const mask of MASK_NAMES) {
    everyChunk((chunk) => {
      const { sums, empty } = findingsOf(chunkRows(SCORES, chunk, mask));
      assert.equal(sums, empty.length === 0);
    });
  }
});

/** Call a function with each chunk of five positions. */
function everyChunk(use) {
  for (let stored = 0; stored < 5; stored++) {
    for (let count = 1; stored + count <= 5; count++) use({ stored, count });
  }
}

test("the right mask's rows are those of one call over all positions", () => {
  const next = randomNumbers(3);
  const scores = { queries: 9, keys: 9, values: new Float64Array(81).map(next) };
  const whole = chunkRows(scores, { stored: 0, count: 9 }, "right");
  const rows = chunkRows(scores, { stored: 4, count: 3 }, "right");
  rows.forEach(({ weights }, t) => weights.forEach((weight, key) =>
    assert.equal(weight, whole[4 + t].weights[key])));
  const left = chunkRows(scores, { stored: 4, count: 3 }, "left");
  assert.ok(left.every(({ weights }, t) => weights[0] !== whole[4 + t].weights[0]));
});

test("large scores do not overflow", () => {
  const scores = { queries: 2, keys: 2, values: Float64Array.of(900, 0, 900, 901) };
  const [, row] = chunkRows(scores, { stored: 0, count: 2 }, "right");
  assert.ok(Math.abs(row.weights[1] - 1 / (1 + Math.exp(-1))) < LIMIT);
});

test("masks are told by positions", () => {
  assert.deepEqual(MASK_NAMES.map((name) => MASKS[name](5, 5, 3)),
    [true, false, true, false]);
  assert.deepEqual(MASK_NAMES.map((name) => MASKS[name](5, 6, 3)),
    [false, false, true, false]);
});

test("a chunk that does not fit is brought near", () => {
  const near = (stored, count) => possibleChunk({ stored, count }, 12);
  assert.deepEqual(near(5, 3), { stored: 5, count: 3 });
  assert.deepEqual(near(11, 9), { stored: 11, count: 1 });
  assert.deepEqual(near(40, 0), { stored: 11, count: 1 });
  assert.deepEqual(near(-2, 40), { stored: 0, count: 12 });
  assert.deepEqual(near(NaN, NaN), { stored: 0, count: 1 });
  assert.deepEqual(near(2.7, 1.2), { stored: 2, count: 1 });
});

test("a border stops at the other one and at the ends", () => {
  const chunk = { stored: 5, count: 3 };
  assert.deepEqual(movedBorder(chunk, "begin", 2, 12), { stored: 2, count: 6 });
  assert.deepEqual(movedBorder(chunk, "begin", 9, 12), { stored: 7, count: 1 });
  assert.deepEqual(movedBorder(chunk, "begin", -1, 12), { stored: 0, count: 8 });
  assert.deepEqual(movedBorder(chunk, "end", 12, 12), { stored: 5, count: 7 });
  assert.deepEqual(movedBorder(chunk, "end", 1, 12), { stored: 5, count: 1 });
  assert.deepEqual(movedBorder(chunk, "end", 99, 12), { stored: 5, count: 7 });
});
