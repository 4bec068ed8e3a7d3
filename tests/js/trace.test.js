import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import {
  TraceError, decodeTensor, parseTrace, readTensor,
} from "../../static/js/lib/trace.js";

function packed(numbers) {
  return deflateSync(Buffer.from(numbers.buffer)).toString("base64");
}

function kindOf(text) {
  try {
    parseTrace(text);
  } catch (error) {
    assert.ok(error instanceof TraceError);
    return error.kind;
  }
  return "read";
}

test("a trace of this major is read, whatever its minor", () => {
  assert.equal(kindOf('{"format_major": 1, "format_minor": 9, "tensors": {}}'), "read");
});

test("a newer major is told apart from what cannot be read", () => {
  assert.equal(kindOf('{"format_major": 2, "tensors": {}}'), "newer");
  const halves = ['{"format_major": 1}', '{"tensors": {}}'];
  for (const text of ["", "{", "null", "[]", "NaN", ...halves]) {
    assert.equal(kindOf(text), "unreadable", text);
  }
});

test("values are read, and the three words that JSON has no numbers for", async () => {
  const { values } = await decodeTensor({
    dims: ["key"], shape: [4], values: [0.5, "-Infinity", "Infinity", "NaN"],
  });
  assert.deepEqual([...values], [0.5, -Infinity, Infinity, NaN]);
});

test("float32 values are unpacked exactly", async () => {
  const numbers = Float32Array.of(0.1, -3e-8, Infinity, 0);
  const { values } = await decodeTensor({
    dims: ["key"], shape: [2, 2], encoding: "f32-deflate-base64", data: packed(numbers),
  });
  assert.deepEqual([...values], [...numbers]);
});

test("parts of a whole are unpacked, as bytes or as two bytes", async () => {
  const short = await decodeTensor({
    dims: ["key"], shape: [3], encoding: "parts-65535-deflate-base64",
    data: packed(Uint16Array.of(0, 13107, 65535)),
  });
  assert.deepEqual([...short.values], [0, Math.fround(0.2), 1]);
  const byte = await decodeTensor({
    dims: ["key"], shape: [3], encoding: "parts-255-deflate-base64",
    data: packed(Uint8Array.of(0, 51, 255)),
  });
  assert.deepEqual([...byte.values], [0, Math.fround(0.2), 1]);
});

test("numbers that do not fill the shape or cannot unpack are refused", async () => {
  const dims = ["key"];
  const broken = [
    { dims, shape: [3], values: [1, 2] },
    { dims, shape: [1], encoding: "f32-deflate-base64", data: "AAAA" },
    { dims, shape: [1], encoding: "f32-deflate-base64", data: "no base64!" },
    { dims, shape: [1], encoding: "gzip", data: packed(Uint8Array.of(1)) },
  ];
  for (const stored of broken) {
    await assert.rejects(decodeTensor(stored), TraceError);
  }
});

test("a tensor is decoded once, and a missing one is refused by name", async () => {
  const tensors = { q: { dims: ["key"], shape: [1], values: [1] } };
  const trace = parseTrace(JSON.stringify({ format_major: 1, tensors }));
  assert.equal(await readTensor(trace, "q"), await readTensor(trace, "q"));
  await assert.rejects(readTensor(trace, "k"), /no k/);
});
