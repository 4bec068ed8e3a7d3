import assert from "node:assert/strict";
import { test } from "node:test";
import {
  differenceOf, forbiddenCells, headMatrix, largestFirst, partnerOf, rowOf, sumOf,
} from "../../static/js/lib/matrix.js";

const tensor = {
  shape: [2, 3, 2, 4],
  values: Float64Array.from({ length: 2 * 3 * 2 * 4 }, (_, i) => i),
};

test("a head's matrix is the first batch item's, row by row", () => {
  const matrix = headMatrix(tensor, 2);
  assert.deepEqual([...matrix.values], [16, 17, 18, 19, 20, 21, 22, 23]);
  assert.deepEqual([...rowOf(matrix, 1)], [20, 21, 22, 23]);
  assert.equal(matrix.queries, 2);
  assert.equal(matrix.keys, 4);
});

test("a head's matrix is a view, so that a change of head copies nothing", () => {
  assert.equal(headMatrix(tensor, 1).values.buffer, tensor.values.buffer);
});

test("a difference is the first head minus the second", () => {
  const difference = differenceOf(headMatrix(tensor, 2), headMatrix(tensor, 0));
  assert.deepEqual([...difference.values], Array(8).fill(16));
  assert.deepEqual([difference.queries, difference.keys], [2, 4]);
});

test("a key after its query is forbidden, and its own position is allowed", () => {
  assert.deepEqual([...forbiddenCells([0, 1, 2], 3, 3)], [0, 1, 1, 0, 0, 1, 0, 0, 0]);
});

test("positions decide, so that a shift of all of them forbids the same", () => {
  assert.deepEqual(forbiddenCells([7, 8, 9], 3, 3), forbiddenCells([0, 1, 2], 3, 3));
});

test("with a cache the queries are the last positions", () => {
  assert.deepEqual([...forbiddenCells([0, 1, 2, 3], 2, 4)], [0, 0, 0, 1, 0, 0, 0, 0]);
});

test("the largest comes first, equal ones keep their order, forbidden ones go", () => {
  const row = Float64Array.of(0.2, -0.5, 0.2, 0.9);
  assert.deepEqual(largestFirst(row, Uint8Array.of(0, 0, 0, 1)), [1, 0, 2]);
});

test("a sum has every term", () => {
  assert.equal(sumOf([0.5, 0.25, 0.25]), 1);
  assert.equal(sumOf([]), 0);
});

test("the partner is the next head of the group, and the last one's the first", () => {
  assert.deepEqual([0, 1, 2, 3].map((head) => partnerOf(head, 2)), [1, 0, 3, 2]);
  assert.deepEqual([3, 4, 5].map((head) => partnerOf(head, 3)), [4, 5, 3]);
  assert.equal(partnerOf(2, 1), null);
});
