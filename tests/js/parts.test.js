import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { unpackRows } from "../../static/js/lib/parts.js";
import { decodeTensor } from "../../static/js/lib/trace.js";

const file = new URL("../cases/parts.json", import.meta.url);
const { forbidden, cases } = JSON.parse(readFileSync(file, "utf8"));
const masked = Uint8Array.from(forbidden);

test("the bytes that Python writes are read, forbidden cells by their position", () => {
  for (const { bytes, heads, counts } of cases) {
    const found = unpackRows(Buffer.from(bytes, "hex"), masked, heads);
    assert.deepEqual([...found], counts);
  }
});

test("bytes that are too many or too few for the allowed cells are refused", () => {
  const bytes = Buffer.from(cases[0].bytes, "hex");
  assert.equal(unpackRows(bytes.subarray(0, -1), masked, 2), null);
  assert.equal(unpackRows(bytes, masked, 1), null);
  assert.equal(unpackRows(bytes, masked, 3), null);
});

test("a tensor of rows knows its parts, and each row sums to one", async () => {
  const { bytes, heads, parts } = cases[0];
  const data = deflateSync(Buffer.from(bytes, "hex")).toString("base64");
  const dims = ["batch", "head", "query", "key"];
  const encoding = `rows-${parts}-deflate-base64`;
  const tensor = await decodeTensor(
    { dims, shape: [1, heads, 3, 3], encoding, data }, () => masked);
  assert.equal(tensor.parts, parts);
  for (let row = 0; row < heads * 3; row++) {
    const [a, b, c] = tensor.values.subarray(3 * row, 3 * row + 3);
    const whole = [a, b, c].map((number) => Math.round(number * parts));
    assert.equal(whole[0] + whole[1] + whole[2], parts);
    assert.ok(Math.abs(a + b + c - 1) < 1e-6);
  }
});

test("rows that do not fit the shape are refused", async () => {
  const data = deflateSync(Buffer.from(cases[0].bytes, "hex")).toString("base64");
  const encoding = "rows-4095-deflate-base64";
  const stored = { dims: [], shape: [1, 3, 3, 3], encoding, data };
  await assert.rejects(decodeTensor(stored, () => masked), /0 numbers/);
});
