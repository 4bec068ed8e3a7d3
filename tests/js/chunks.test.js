import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bordersOf, callOf, restOfBorder, sizesIn, sizesOf, takesUnknown, withToggled,
} from "../../static/js/lib/chunks.js";

const RECORDED = [4, 3, 1, 1, 1, 1, 1];

test("sizes are read where they make the length, and only there", () => {
  assert.deepEqual(sizesIn("4-3-1-1-1-1-1", 12), RECORDED);
  assert.deepEqual(sizesIn("12", 12), [12]);
  for (const text of [undefined, "", "4-3", "13", "12-0", "6-+6", "6--6", "-12",
    "6-6.0", "6-6 ", "1e1-2", "0x6-6"]) {
    assert.equal(sizesIn(text, 12), null, String(text));
  }
});

test("borders and sizes say the same, for every way to cut", () => {
  for (let bits = 0; bits < 2 ** 11; bits++) {
    const borders = Array.from({ length: 11 }, (_, i) => i + 1)
      .filter((border) => bits >> border - 1 & 1);
    assert.deepEqual(bordersOf(sizesOf(borders, 12)), borders);
  }
});

test("a border is set, and taken away again", () => {
  assert.deepEqual(withToggled(RECORDED, 2, 12), [2, 2, 3, 1, 1, 1, 1, 1]);
  assert.deepEqual(withToggled(RECORDED, 4, 12), [7, 1, 1, 1, 1, 1]);
  assert.deepEqual(withToggled(withToggled([12], 5, 12), 5, 12), [12]);
});

test("a border that is moved stops at its neighbours and within the sequence", () => {
  assert.equal(restOfBorder(RECORDED, 4, 6, 12), 6);
  assert.equal(restOfBorder(RECORDED, 4, 9, 12), 6);
  assert.equal(restOfBorder(RECORDED, 4, -3, 12), 1);
  assert.equal(restOfBorder(RECORDED, 7, 4, 12), 5);
  assert.equal(restOfBorder([6, 6], 6, 12, 12), 11);
  assert.equal(restOfBorder(RECORDED, 8, 9, 12), 8);
});

test("each position is taken by one call", () => {
  const calls = Array.from({ length: 12 }, (_, position) => callOf(RECORDED, position));
  assert.deepEqual(calls, [0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6]);
});

test("a generated token is unknown to a call that takes the one before it", () => {
  assert.equal(takesUnknown({ stored: 4, fresh: 3 }, 7), false);
  assert.equal(takesUnknown({ stored: 7, fresh: 1 }, 7), false);
  assert.equal(takesUnknown({ stored: 6, fresh: 2 }, 7), true);
  assert.equal(takesUnknown({ stored: 7, fresh: 2 }, 7), true);
});
