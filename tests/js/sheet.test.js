import assert from "node:assert/strict";
import { test } from "node:test";
import { largestNumbersFirst, layOut, shrink } from "../../static/js/lib/sheet.js";

const wish = {
  layers: 30, heads: 9, width: 854, smallest: 24, margin: 16, order: null,
};

function placesOf(sheet) {
  return [...sheet.at].filter((index) => index >= 0).sort((a, b) => a - b);
}

test("every head has one place, whatever the width and the order", () => {
  const everyHead = Array.from({ length: 270 }, (_, index) => index);
  for (const width of [10, 60, 200, 362, 854, 4000]) {
    for (const order of [null, [...everyHead].reverse()]) {
      const sheet = layOut({ ...wish, width, order });
      assert.deepEqual(placesOf(sheet), everyHead, `${width}`);
      assert.equal(sheet.at.length, sheet.rows * sheet.columns);
    }
  }
});

test("the longer of layers and heads runs from left to right", () => {
  const deep = layOut(wish);
  assert.deepEqual([deep.columns, deep.rows], [30, 9]);
  assert.equal(deep.at[2 * 30 + 5], 5 * 9 + 2, "layer 5, head 2");
  const broad = layOut({ ...wish, layers: 22, heads: 32 });
  assert.deepEqual([broad.columns, broad.rows], [32, 22]);
  assert.equal(broad.at[5 * 32 + 2], 5 * 32 + 2, "layer 5, head 2");
});

test("a narrow sheet has bands, and no cell is too small for a finger", () => {
  const sheet = layOut({ ...wish, width: 362 });
  assert.deepEqual([sheet.columns, sheet.rows, sheet.inBand], [10, 27, 9]);
  assert.equal(sheet.at[(9 + 4) * 10 + 3], 13 * 9 + 4, "layer 13 begins in band 1");
  assert.ok(sheet.cell >= 24);
  assert.equal(sheet.top(9) - sheet.top(8), sheet.cell + 16, "a margin between bands");
  assert.equal(sheet.height, sheet.top(26) + sheet.cell);
});

test("in an order of its own a sheet runs like text, without margins", () => {
  const sheet = layOut({ ...wish, width: 100, order: [8, 3, 5, 1, 0] });
  assert.deepEqual([...sheet.at], [8, 3, 5, 1, 0, -1, -1, -1]);
  assert.deepEqual([sheet.left, sheet.top(0), sheet.top(1)], [0, 0, sheet.cell]);
});

test("few heads make no posters", () => {
  const sheet = layOut({ ...wish, layers: 2, heads: 4 });
  assert.deepEqual([sheet.columns, sheet.rows, sheet.cell], [4, 2, 96]);
});

test("the largest number comes first, and equal ones as they stood", () => {
  assert.deepEqual(largestNumbersFirst([0.1, 0.9, 0.1, 0.5]), [1, 3, 0, 2]);
});

const causal = Uint8Array.of(0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0);
const matrix = {
  queries: 4, keys: 4,
  values: Float32Array.of(9, 0, 0, 0, 1, 2, 0, 0, 0, 8, 3, 0, 4, 0, 0, 7),
};

test("a pixel is the largest cell that it covers, and a thin line stays", () => {
  assert.deepEqual([...shrink(matrix, causal, 2)], [9, -1, 8, 7]);
});

test("a pixel is forbidden where all of its cells are", () => {
  const three = shrink({ ...matrix, values: new Float32Array(16) }, causal, 3);
  assert.deepEqual([...three], [0, 0, -1, 0, 0, 0, 0, 0, 0]);
});

test("a picture as large as its matrix is the matrix", () => {
  const same = shrink(matrix, causal, 4);
  assert.deepEqual([...same], [9, -1, -1, -1, 1, 2, -1, -1, 0, 8, 3, -1, 4, 0, 0, 7]);
});

test("a picture larger than its matrix repeats cells", () => {
  const large = shrink(matrix, causal, 8);
  assert.equal(large[0], 9);
  assert.equal(large[9], 9);
  assert.equal(large[63], 7);
});
