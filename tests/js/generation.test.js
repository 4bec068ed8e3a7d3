import assert from "node:assert/strict";
import { test } from "node:test";
import { Cache } from "../../static/js/lib/cache.js";
import {
  Generation, differenceOfCall, lastRows, stepThrough,
} from "../../static/js/lib/generation.js";
import { rowAxisOf } from "../../static/js/lib/tensor-axes.js";
import { TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { demoSource, otherSource, randomNumbers } from "./models.js";

const NEAR = 1e-12;
const TWELVE = [2, 12, 10, 18, 20, 21, 2, 12, 10, 18, 20, 21];
const ONES = TWELVE.map(() => 1);
/** [model, how many ways to cut besides the three that matter most] */
const SAMPLES = {
  "the article's sizes": [demoSource, 200], "sizes that differ": [otherSource, 60],
};

function modelOf({ trace, parameters }) {
  return new TinyLlama(trace.model, parameters);
}

function randomSizes(next) {
  const sizes = [1];
  for (let token = 1; token < TWELVE.length; token++) {
    if (next() > 0) sizes.push(1);
    else sizes[sizes.length - 1] += 1;
  }
  return sizes;
}

/** Return the largest difference of any call from full recomputation. */
function worst(generation, sizes) {
  return Math.max(
    ...generation.calls(sizes).map((call) => generation.differenceOf(call)));
}

for (const [name, [source, count]] of Object.entries(SAMPLES)) {
  test(`every tensor of every call is that of one call: ${name}`, () => {
    const generation = new Generation(modelOf(source()), TWELVE);
    const next = randomNumbers(5);
    const chunkings = [[12], ONES, [4, 3, 1, 1, 1, 1, 1],
      ...Array.from({ length: count }, () => randomSizes(next))];
    assert.ok(new Set(chunkings.map(String)).size > 0.8 * count, "the cuts differ");
    for (const sizes of chunkings) {
      assert.ok(worst(generation, sizes) < NEAR, String(sizes));
    }
  });
}

test("a call has the rows of its own positions, and a column for each so far", () => {
  const calls = stepThrough(modelOf(demoSource()), TWELVE, [5, 6, 1]);
  assert.deepEqual(calls.map(({ stored, fresh }) => [stored, fresh]),
    [[0, 5], [5, 6], [11, 1]]);
  assert.deepEqual(calls.map(({ tensors }) => tensors["layers.1.weights"].shape),
    [[1, 4, 5, 5], [1, 4, 6, 11], [1, 4, 1, 12]]);
  assert.deepEqual(calls[1].tensors["layers.0.q"].shape, [1, 4, 6, 8]);
});

test("a call says the likeliest token after its last one", () => {
  const model = modelOf(demoSource());
  for (const { stored, fresh, next } of stepThrough(model, TWELVE, [4, 3, 5])) {
    const { values } = recordTensors(model, [TWELVE.slice(0, stored + fresh)])
      .next_token_probs;
    assert.equal(values.indexOf(Math.max(...values)), next.token);
    assert.ok(Math.abs(next.probability - values[next.token]) < NEAR);
  }
});

test("the last rows of a tensor are those of its last positions", () => {
  const values = Float64Array.from({ length: 12 }, (_, i) => i);
  const tensor = { shape: [2, 3, 2], values };
  assert.deepEqual([...lastRows(tensor, 1, 1)], [4, 5, 10, 11]);
  assert.deepEqual([...lastRows(tensor, 2, 1)], [1, 3, 5, 7, 9, 11]);
  assert.deepEqual([...lastRows(tensor, -1, 1)], [...tensor.values]);
});

/** Caches with a mistake each. */
const MISTAKES = {
  "a length that is one too small": class extends Cache {
    append(kept, added) {
      if (this.length === 0) return super.append(kept, added);
      this.length -= 1; // the last stored row is written over
      const all = super.append(kept, added);
      this.length += 1;
      return all;
    }
  },
  "positions that begin anew in each call": class extends Cache {
    positions(batch, count) {
      const { keyPositions } = super.positions(batch, count);
      return { keyPositions, queryPositions: keyPositions.slice(0, count) };
    }
  },
  "positions that are one too late": class extends Cache {
    positions(batch, count) {
      const { keyPositions, queryPositions } = super.positions(batch, count);
      const late = this.length > 0 ? 1 : 0;
      return { keyPositions, queryPositions: queryPositions.map((p) => p + late) };
    }
  },
  "values that are not kept": class extends Cache {
    store(layer, k, v) {
      const all = super.store(layer, k, v);
      this.values[layer].values.fill(0);
      return all;
    }
  },
};

for (const [name, Spoiled] of Object.entries(MISTAKES)) {
  test(`full recomputation tells ${name}`, () => {
    const model = modelOf(demoSource());
    const calls = stepThrough(model, TWELVE, [4, 3, 5], new Spoiled(model, 1, 13));
    const differences = calls.map((call) => differenceOfCall(call,
      recordTensors(model, [TWELVE.slice(0, call.stored + call.fresh)])));
    assert.ok(differences[0] < NEAR, "the first call has nothing stored");
    assert.ok(!differences.slice(1).some((apart) => apart < 1e-3), `${differences}`);
  });
}

test("one number that is off in any tensor is told", () => {
  const generation = new Generation(modelOf(demoSource()), TWELVE);
  const [, call] = generation.calls([4, 3, 5]);
  for (const [name, tensor] of Object.entries(call.tensors)) {
    assert.ok(rowAxisOf(name) >= 0 || name === "next_token_probs", name);
    const values = tensor.values.slice();
    values[values.length - 1] += 0.001;
    const tensors = { ...call.tensors, [name]: { ...tensor, values } };
    assert.ok(generation.differenceOf({ ...call, tensors }) > 1e-5, name);
  }
});

test("a cut that was computed is not computed again, and few are kept", () => {
  const generation = new Generation(modelOf(demoSource()), TWELVE);
  const first = generation.calls([6, 6]);
  assert.equal(generation.calls([6, 6]), first);
  const next = randomNumbers(9);
  for (let n = 0; n < 60; n++) generation.calls(randomSizes(next));
  assert.ok(generation.cuts.size <= 32);
  assert.notEqual(generation.calls([6, 6]), first);
  assert.equal(generation.whole(5), generation.whole(5));
});

test("more tokens than there are do not fit", () => {
  assert.throws(() => stepThrough(modelOf(demoSource()), [1, 2], [2, 1]), RangeError);
});
