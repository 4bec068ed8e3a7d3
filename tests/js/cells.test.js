import assert from "node:assert/strict";
import { test } from "node:test";
import {
  axesOf, formatCell, parseCell, placeOf, sameCell, valueOf,
} from "../../static/js/lib/cells.js";

const run = {
  tensors: {
    "layers.0.q": { shape: [1, 2, 3], values: Float64Array.of(0, 1, 2, 3, 4, 5) },
  },
  model: {
    weights: { embedding: { shape: [2, 2], values: Float64Array.of(6, 7, 8, 9) } },
  },
};

test("a cell's text is read back as the same cell", () => {
  for (const text of ["layers.0.scores[0,1,2,0]", "logits[0,5,31]",
    "layers.10.wq*[3,8]", "embedding[0,0,0]", "embedding*[31,0]", "final_norm*[3]"]) {
    assert.equal(formatCell(parseCell(text)), text);
  }
  assert.deepEqual(parseCell("layers.0.wq*[3,8]"),
    { name: "layers.0.wq", index: [3, 8], parameter: true });
  assert.deepEqual(parseCell("logits[0,5,7]"), { name: "logits", index: [0, 5, 7] });
});

test("what is no cell is refused", () => {
  for (const text of ["", "logits", "logits[]", "logits[0,]", "logits[-1]", "[0]",
    "logits[0] ", "logits[0.5]", "logits[1e3]", "logits[0,1", "<b>[0]",
    "logits[1234567]", "logits**[0]"]) {
    assert.equal(parseCell(text), null, text);
  }
});

test("a cell's number is its tensor's or its parameter's, by its name", () => {
  assert.equal(valueOf(run, { name: "layers.0.q", index: [0, 1, 2] }), 5);
  assert.equal(valueOf(run, { name: "embedding", index: [1, 0], parameter: true }), 8);
});

test("a cell that a run does not have is a RangeError", () => {
  for (const text of ["layers.0.q[0,2,0]", "layers.0.q[0,1]", "layers.1.q[0,0,0]",
    "embedding[0,0]", "embedding*[2,0]", "layers.0.q*[0,0,0]", "toString[0]"]) {
    assert.throws(() => valueOf(run, parseCell(text)), RangeError, text);
  }
});

test("a star makes another cell", () => {
  assert.ok(sameCell(parseCell("final_norm[0]"), parseCell("final_norm[0]")));
  assert.ok(!sameCell(parseCell("final_norm[0]"), parseCell("final_norm*[0]")));
});

test("a name has a layer, or none", () => {
  assert.deepEqual(placeOf("layers.12.mlp_act"), { layer: 12, short: "mlp_act" });
  assert.deepEqual(placeOf("logits"), { layer: null, short: "logits" });
});

test("the axes of a parameter are not those of the tensor with its name", () => {
  assert.deepEqual(axesOf(parseCell("embedding[0,1,2]")),
    ["batch", "position", "channel"]);
  assert.deepEqual(axesOf(parseCell("embedding*[1,2]")), ["vocab", "channel"]);
  assert.deepEqual(axesOf(parseCell("layers.0.attn_norm*[1]")), ["channel"]);
  assert.deepEqual(axesOf(parseCell("layers.0.wo*[1,2]")), ["in", "out"]);
  assert.deepEqual(axesOf(parseCell("lm_head*[1,2]")), ["channel", "vocab"]);
  assert.deepEqual(axesOf(parseCell("unknown[0]")), []);
});
