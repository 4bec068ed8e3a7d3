import assert from "node:assert/strict";
import { test } from "node:test";

import { fill } from "../../static/js/lib/sentences.js";

test("braces are filled in, each by its name", () => {
  assert.equal(fill("Line {line} of {step}, {line}.", { line: 12, step: "scores" }),
    "Line 12 of scores, 12.");
});

test("what is filled in is not read again", () => {
  assert.equal(fill("{role}", { role: "{line} $& $1", line: 3 }), "{line} $& $1");
});

test("a brace without a value stays, a prototype's name included", () => {
  assert.equal(fill("{role} {constructor}", { line: 3 }), "{role} {constructor}");
});
