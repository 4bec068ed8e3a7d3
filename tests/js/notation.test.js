import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { visible } from "../../static/js/lib/labels.js";
import { fixed, signed } from "../../static/js/lib/numbers.js";
import { signedClass, signedStop, weightClass } from "../../static/js/lib/ramp.js";

const cases = JSON.parse(readFileSync(new URL("../cases/notation.json", import.meta.url), "utf8"));

test("numbers have the asked decimals, and no sign where they round to zero", () => {
  for (const [number, digits, text] of cases.fixed) assert.equal(fixed(number, digits), text);
});

test("differences say their sign", () => {
  for (const [number, digits, text] of cases.signed) assert.equal(signed(number, digits), text);
});

test("what is not finite is said in words of its own", () => {
  assert.equal(fixed(-Infinity, 6), "−∞");
  assert.equal(fixed(Infinity, 2), "∞");
  assert.equal(fixed(NaN, 2), "NaN");
});

test("a weight's colour is the nearest of seventeen stops", () => {
  for (const [weight, name] of cases.weight_class) assert.equal(weightClass(weight), name);
  for (const [weight, name] of cases.root_class) assert.equal(weightClass(weight, true), name);
});

test("a difference's colour has a side and a stop, and zero has no side", () => {
  for (const [number, name] of cases.signed_class) assert.equal(signedClass(number), name);
  assert.ok(Object.is(signedStop(-0.01), 0));
});

test("invisible characters of a label become visible, and scripts stay whole", () => {
  for (const [label, text] of cases.visible) assert.equal(visible(label), text);
});
