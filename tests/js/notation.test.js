import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visible } from "../../static/js/lib/labels.js";
import { fixed, signed } from "../../static/js/lib/numbers.js";
import { signedClass, signedStop, weightClass } from "../../static/js/lib/ramp.js";

const file = new URL("../cases/notation.json", import.meta.url);
const cases = JSON.parse(readFileSync(file, "utf8"));

function holds(name, write) {
  for (const [...given] of cases[name]) {
    const text = given.pop();
    assert.equal(write(...given), text, `${name}(${given})`);
  }
}

test("numbers have the asked decimals, and no sign where they round to zero", () => {
  holds("fixed", fixed);
});

test("differences say their sign", () => {
  holds("signed", signed);
});

test("what is not finite is said in words of its own", () => {
  assert.equal(fixed(-Infinity, 6), "−∞");
  assert.equal(fixed(Infinity, 2), "∞");
  assert.equal(fixed(NaN, 2), "NaN");
});

test("a weight's colour is the nearest of seventeen stops", () => {
  holds("weight_class", weightClass);
  holds("root_class", (weight) => weightClass(weight, true));
});

test("a difference's colour has a side and a stop, and zero has no side", () => {
  holds("signed_class", signedClass);
  assert.ok(Object.is(signedStop(-0.01), 0));
});

test("invisible characters of a label become visible, and scripts stay whole", () => {
  holds("visible", visible);
});
