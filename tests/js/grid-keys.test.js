import assert from "node:assert/strict";
import { test } from "node:test";
import { nextCell } from "../../static/js/lib/grid-keys.js";

const size = { queries: 20, keys: 5 };

function press(key, modifiers = {}) {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  return { key, ...none, ...modifiers };
}

test("arrows move by one cell and stop at the edges", () => {
  const from = { query: 0, key: 4 };
  assert.deepEqual(nextCell(press("ArrowDown"), from, size), { query: 1, key: 4 });
  assert.deepEqual(nextCell(press("ArrowUp"), from, size), from);
  assert.deepEqual(nextCell(press("ArrowRight"), from, size), from);
  assert.deepEqual(nextCell(press("ArrowLeft"), from, size), { query: 0, key: 3 });
});

test("Home and End stay in the row, with Ctrl they go to the corners", () => {
  const from = { query: 7, key: 2 };
  assert.deepEqual(nextCell(press("Home"), from, size), { query: 7, key: 0 });
  assert.deepEqual(nextCell(press("End"), from, size), { query: 7, key: 4 });
  const ctrl = { ctrlKey: true };
  assert.deepEqual(nextCell(press("Home", ctrl), from, size), { query: 0, key: 0 });
  assert.deepEqual(nextCell(press("End", ctrl), from, size), { query: 19, key: 4 });
});

test("Page Up and Page Down move by eight rows", () => {
  const from = { query: 3, key: 1 };
  assert.deepEqual(nextCell(press("PageDown"), from, size), { query: 11, key: 1 });
  assert.deepEqual(nextCell(press("PageUp"), from, size), { query: 0, key: 1 });
});

test("in a mirrored table the left arrow leads to the next key", () => {
  assert.deepEqual(nextCell(press("ArrowLeft"), { query: 0, key: 1 }, size, true),
    { query: 0, key: 2 });
});

test("other keys, and those the browser has for itself, are left alone", () => {
  const from = { query: 1, key: 1 };
  assert.equal(nextCell(press("Tab"), from, size), null);
  assert.equal(nextCell(press("a"), from, size), null);
  assert.equal(nextCell(press("ArrowDown", { ctrlKey: true }), from, size), null);
  assert.equal(nextCell(press("ArrowLeft", { altKey: true }), from, size), null);
  assert.equal(nextCell(press("ArrowLeft", { shiftKey: true }), from, size), null);
});
