import assert from "node:assert/strict";
import { test } from "node:test";
import { Cache } from "../../static/js/lib/cache.js";
import {
  OPERATIONS, allowedCells, attentionWeights, mergeHeads, mixValues, rmsNorm,
  rotaryAngles, rotate, silu, softmax, splitHeads,
} from "../../static/js/lib/decoder-operations.js";
import { largestDifference } from "../../static/js/lib/differences.js";
import { dimsOf, kindOf } from "../../static/js/lib/tensor-axes.js";
import {
  indexOf, mapValues, matmul, offsetOf, reshape, takeColumns, transpose, valueAt, zeros,
} from "../../static/js/lib/tensors.js";
import { DERIVED, TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { demoSource, otherSource, randomNumbers } from "./models.js";

const NEAR = 1e-12;

function random(shape, seed = 1) {
  return mapValues(zeros(shape), randomNumbers(seed));
}

function modelOf({ trace, parameters }, operations) {
  return new TinyLlama(trace.model, parameters, operations);
}

function near(found, expected, message) {
  assert.deepEqual(found.shape, expected.shape, message);
  assert.ok(largestDifference(found.values, expected.values) < NEAR, message);
}

test("an index and its offset say the same", () => {
  const shape = [2, 3, 4];
  for (let offset = 0; offset < 24; offset++) {
    assert.equal(offsetOf(shape, indexOf(shape, offset)), offset);
  }
});

test("an index that a tensor has no room for is refused", () => {
  for (const index of [[2, 0], [0, 3], [-1, 0], [0.5, 0], [0], [0, 0, 0]]) {
    assert.throws(() => offsetOf([2, 3], index), RangeError, String(index));
  }
});

test("a product is the sum over the inner axis", () => {
  const [rows, matrix] = [random([2, 3, 4]), random([4, 5], 2)];
  const product = matmul(rows, matrix);
  assert.deepEqual(product.shape, [2, 3, 5]);
  let expected = 0;
  for (let i = 0; i < 4; i++) {
    expected += valueAt(rows, [1, 2, i]) * valueAt(matrix, [i, 3]);
  }
  assert.ok(Math.abs(valueAt(product, [1, 2, 3]) - expected) < NEAR);
  assert.throws(() => matmul(rows, random([3, 5])), RangeError);
});

test("transposing exchanges the last two axes", () => {
  const tensor = random([2, 3, 4]);
  assert.equal(valueAt(transpose(tensor), [1, 3, 2]), valueAt(tensor, [1, 2, 3]));
});

test("columns are taken in the order chosen", () => {
  const matrix = { shape: [2, 3], values: Float64Array.of(1, 2, 3, 4, 5, 6) };
  assert.deepEqual([...takeColumns(matrix, [2, 0, 2]).values], [3, 1, 3, 6, 4, 6]);
  assert.throws(() => reshape(matrix, [4, -1]), RangeError);
});

test("heads are split, and merged again", () => {
  const flat = random([2, 3, 8]);
  const heads = splitHeads(flat, 4);
  assert.deepEqual(heads.shape, [2, 2, 3, 4]);
  assert.equal(valueAt(heads, [1, 1, 2, 3]), valueAt(flat, [1, 2, 7]));
  assert.deepEqual(mergeHeads(heads), flat);
});

test("a normed row has a root mean square of one, times its gain", () => {
  const gain = { shape: [4], values: Float64Array.of(1, 2, 1, 1) };
  const normed = rmsNorm(random([1, 2, 4]), gain, 0);
  const row = normed.values.slice(0, 4).map((value, i) => value / gain.values[i]);
  const squares = row.reduce((sum, value) => sum + value * value, 0);
  assert.ok(Math.abs(squares / 4 - 1) < NEAR);
});

test("softmax stays in range, and minus infinity has no share", () => {
  const scores = { shape: [1, 3], values: Float64Array.of(1000, -Infinity, 1000) };
  assert.deepEqual([...softmax(scores).values], [0.5, 0, 0.5]);
});

test("SiLU of a large negative number is zero", () => {
  assert.equal(Math.abs(silu(-1000)), 0);
  assert.equal(silu(1000), 1000);
});

test("a turned pair keeps its length, and position 0 is not turned", () => {
  const heads = random([1, 1, 2, 6]);
  const angles = rotaryAngles([0, 5], 6, 100);
  const turned = rotate(heads, mapValues(angles, Math.cos), mapValues(angles, Math.sin),
    OPERATIONS.pairs(6));
  assert.deepEqual(turned.values.slice(0, 6), heads.values.slice(0, 6));
  for (const [left, right] of OPERATIONS.pairs(6)) {
    const length = (tensor) => Math.hypot(
      valueAt(tensor, [0, 0, 1, left]), valueAt(tensor, [0, 0, 1, right]));
    assert.ok(Math.abs(length(turned) - length(heads)) < NEAR);
  }
});

test("query heads share keys and values in groups of neighbours", () => {
  const q = random([1, 4, 3, 2]);
  const [k, v] = [random([1, 2, 3, 2], 2), random([1, 2, 3, 2], 3)];
  const repeated = ({ shape: [, , rows, depth], values }) => ({
    shape: [1, 4, rows, depth],
    values: Float64Array.from([0, 0, 1, 1].flatMap((head) =>
      [...values.subarray(head * rows * depth, (head + 1) * rows * depth)])),
  });
  const allowed = allowedCells([0, 1, 2], [0, 1, 2]);
  const weights = attentionWeights(q, k, allowed);
  near(weights, attentionWeights(q, repeated(k), allowed), "weights");
  near(mixValues(weights, v), mixValues(weights, repeated(v)), "heads");
  assert.throws(() => attentionWeights(q, random([1, 3, 3, 2]), allowed), RangeError);
});

test("a batch is its items, one beside the other", () => {
  const model = modelOf(otherSource());
  const rows = [[1, 2, 3, 4], [9, 8, 7, 6]];
  const both = model.call(rows);
  rows.forEach((row, item) => {
    const alone = model.call([row]).values;
    const { length } = alone;
    assert.deepEqual(both.values.slice(item * length, (item + 1) * length), alone);
  });
});

test("tokens outside the vocabulary, and too many for a cache, are refused", () => {
  const model = modelOf(demoSource());
  for (const token of [-1, 32, 1.5, NaN]) {
    assert.throws(() => model.call([[0, token]]), RangeError, String(token));
  }
  assert.throws(() => model.call([[1, 2, 3]], new Cache(model, 1, 2)), RangeError);
  assert.throws(() => model.call([[1], [2]], new Cache(model, 1, 2)), RangeError);
});

test("one token at a time equals one call, wherever the positions begin", () => {
  const model = modelOf(demoSource());
  const ids = [1, 2, 3, 1, 4, 5];
  const cache = new Cache(model, 1, ids.length, 100);
  const rows = ids.flatMap((id) => [...model.call([[id]], cache).values]);
  const whole = model.call([ids]);
  near({ shape: whole.shape, values: Float64Array.from(rows) }, whole, "logits");
});

test("what is recorded has axes, and four kinds more than Python's", () => {
  const made = recordTensors(modelOf(demoSource()), [[1, 2, 3]]);
  const names = Object.keys(made);
  for (const name of names) {
    assert.equal(dimsOf(name).length, made[name].shape.length, name);
  }
  const derived = names.filter((name) => DERIVED.includes(kindOf(name)));
  assert.deepEqual([names.length, derived.length], [42 + 8, 8]);
});

test("a replaced tensor is recorded, and goes on", () => {
  const source = demoSource();
  const usual = recordTensors(modelOf(source), [[1, 2, 3]]);
  const made = recordTensors(modelOf(source, {
    ...OPERATIONS,
    replaced: (name, tensor) =>
      name === "layers.0.weights" ? mapValues(tensor, () => 0) : tensor,
  }), [[1, 2, 3]]);
  assert.deepEqual(made["layers.0.resid_mid"], usual.embedding);
});
