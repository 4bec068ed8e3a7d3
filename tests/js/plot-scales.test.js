import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  downwards, powers, shareOf, spread, ticks,
} from "../../static/js/lib/plot-scales.js";

const file = new URL("../cases/configurations.json", import.meta.url);
const cases = JSON.parse(readFileSync(file, "utf8"));

test("a value has its place on the axis, and none beyond its ends", () => {
  for (const [low, high, value, share] of cases.shares) {
    assert.equal(shareOf({ low, high }, value), share, `${value}`);
  }
});

test("powers enclose the values, and are two at least", () => {
  for (const [values, base, expected] of cases.powers) {
    assert.deepEqual(powers(values, base), expected);
  }
});

test("names keep apart, in order, within the drawing", () => {
  for (const [places, expected] of cases.spread) {
    assert.deepEqual(spread(places), expected);
  }
});

test("ticks stand at their values, each second one minor", () => {
  const made = ticks({ low: 1, high: 16 }, [1, 4, 16], String, 2);
  assert.deepEqual(made, [
    { at: 0, text: "1", minor: false }, { at: 50, text: "4", minor: true },
    { at: 100, text: "16", minor: false }]);
  assert.equal(downwards(made[0].at), 100);
});
