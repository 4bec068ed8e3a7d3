import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changedFragment, countIn, formatFragment, parseFragment,
} from "../../static/js/lib/fragment.js";

test("a state is read back as it was written", () => {
  const state = new Map([["layer", "0"], ["step", "scores & more"], ["tokens", "1,2"]]);
  assert.deepEqual(parseFragment(formatFragment(state)), state);
});

test("the documented form is read", () => {
  const state = parseFragment("#~layer=0&head=2&query=2&key=0&compare=1");
  assert.deepEqual([...state.keys()], ["layer", "head", "query", "key", "compare"]);
  assert.equal(countIn(state, "head"), 2);
});

test("an id is no state", () => {
  assert.equal(parseFragment("#L12").size, 0);
  assert.equal(parseFragment("#layer=1").size, 0);
  assert.equal(parseFragment("").size, 0);
});

test("a change leaves what others wrote, and null takes a key away", () => {
  assert.equal(changedFragment("#~step=q&compare=1", { head: 3, compare: null }),
    "#~step=q&head=3");
  assert.equal(changedFragment("#L12", { head: 3 }), "#~head=3");
  assert.equal(changedFragment("#~head=3", { head: null }), "");
});

test("only whole numbers from zero are counts", () => {
  for (const text of ["-1", "1.5", "1e3", "", " 1", "x", "99999999999", "٣"]) {
    assert.equal(countIn(new Map([["head", text]]), "head"), undefined, text);
  }
  assert.equal(countIn(new Map(), "head"), undefined);
  assert.equal(countIn(new Map([["head", "0"]]), "head"), 0);
});

test("broken percent signs throw nothing", () => {
  assert.equal(parseFragment("#~head=%E0%A4%A&layer=1").get("layer"), "1");
});
