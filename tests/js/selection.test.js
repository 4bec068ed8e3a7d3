import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { hearSelections, tellSelection } from "../../static/js/lib/selection.js";

beforeEach(() => {
  globalThis.document = new EventTarget();
});

test("a figure hears what others choose in its trace", () => {
  const heard = [];
  hearSelections("demo", "me", (selection) => heard.push(selection.head));
  tellSelection({ trace: "demo", head: 2, origin: "other" });
  assert.deepEqual(heard, [2]);
});

test("it hears neither itself nor another trace", () => {
  const heard = [];
  hearSelections("demo", "me", (selection) => heard.push(selection));
  tellSelection({ trace: "demo", head: 2, origin: "me" });
  tellSelection({ trace: "chat", head: 2, origin: "other" });
  assert.deepEqual(heard, []);
});

test("a figure that left the page hears nothing", () => {
  const heard = [];
  const stop = hearSelections("demo", "me", (selection) => heard.push(selection));
  stop();
  tellSelection({ trace: "demo", head: 2, origin: "other" });
  assert.deepEqual(heard, []);
});
