import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cacheBytes, multiplyAdds } from "../../static/js/lib/costs.js";

const file = new URL("../cases/costs.json", import.meta.url);
const cases = JSON.parse(readFileSync(file, "utf8"));

test("multiply-adds are those calculated by hand", () => {
  for (const [model, fresh, stored, count, why] of cases.multiply_adds) {
    assert.equal(multiplyAdds(cases.models[model], fresh, stored), count, why);
  }
});

test("bytes of a cache are those calculated by hand", () => {
  for (const [model, positions, itemBytes, batch, bytes] of cases.cache_bytes) {
    assert.equal(cacheBytes(cases.models[model], positions, itemBytes, batch), bytes);
  }
});

test("a batch has one sequence unless more are said", () => {
  const { demo } = cases.models;
  assert.equal(cacheBytes(demo, 3, 2), cacheBytes(demo, 3, 2, 1));
});
