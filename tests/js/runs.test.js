import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { deflateSync } from "node:zlib";
import { parametersIn } from "../../static/js/lib/parameters.js";
import { hearRuns } from "../../static/js/lib/run-events.js";
import {
  chooseRun, currentRun, loadModel, readRunAddress, resetRun, runOf,
} from "../../static/js/lib/runs.js";
import { kindOf } from "../../static/js/lib/tensor-axes.js";
import { TraceError } from "../../static/js/lib/trace.js";
import { DERIVED, TinyLlama, recordTensors } from "../../static/js/lib/tiny-llama.js";
import { demoSource, otherSource } from "./models.js";

/** A page: its islands, the scripts beside it, its address and what was told in it. */
const page = { islands: {}, scripts: {}, told: [] };

beforeEach(() => {
  Object.assign(page, { islands: {}, scripts: {}, told: [] });
  globalThis.location = { hash: "", pathname: "/", search: "" };
  globalThis.history = {
    replaceState: (_state, _title, address) => {
      location().hash = address.startsWith("#") ? address : "";
    },
  };
  globalThis.window = { setTimeout: (write) => write() };
  globalThis.document = Object.assign(new EventTarget(), {
    getElementById: (id) => page.islands[id],
    createElement: () => new EventTarget(),
    head: { append: (script) => loadScript(script) },
  });
});

const location = () => globalThis.location;

async function loadScript(script) {
  await null;
  if (page.scripts[script.src]) globalThis.receiveTensor(...page.scripts[script.src]);
  script.dispatchEvent(new globalThis.Event("load"));
}

function bytesOf(parameters) {
  return Buffer.concat(Object.values(parameters).map(({ values }) =>
    Buffer.from(Float32Array.from(values).buffer)));
}

/** Put a trace into the page, as sitegen/islands.py does; spoil its recording. */
function publish(id, { trace, parameters }, { address = "", spoil = () => {} } = {}) {
  const model = new TinyLlama(trace.model, parameters);
  const recorded = Object.fromEntries(
    Object.entries(recordTensors(model, trace.input.token_ids))
      .filter(([name]) => !DERIVED.includes(kindOf(name)))
      .map(([name, { shape, values }]) => [name, {
        shape, values: Array.from(values, (value) =>
          value === -Infinity ? "-Infinity" : Number(value.toFixed(6))),
      }]));
  spoil(recorded);
  const shapes = Object.fromEntries(
    Object.entries(parameters).map(([name, { shape }]) => [name, shape]));
  const said = { file: `${id}/p.js`, recorded: `${id}/r.js`, shapes, address };
  const island = { ...trace, parameters: said };
  page.islands[`trace-${id}`] = { textContent: JSON.stringify(island) };
  page.scripts[said.file] = [id, "parameters", bytesOf(parameters).toString("base64")];
  page.scripts[said.recorded] =
    [id, "recorded", deflateSync(JSON.stringify(recorded)).toString("base64")];
  hearRuns(id, "the test", (change) => page.told.push(change));
}

test("the recording is recomputed, to half a unit of its last decimal", async () => {
  publish("first", demoSource());
  const start = await loadModel("first");
  assert.deepEqual([start.tensors, start.numbers, start.agrees], [42, 9344, true]);
  assert.ok(start.difference > 1e-8 && start.difference <= 0.5e-6 + 1e-9);
  assert.equal(currentRun("first").recorded, true);
});

test("a recording that differs is kept to, and nothing else is computed", async () => {
  publish("spoiled", demoSource(), {
    spoil: ({ logits }) => { logits.values[3] += 1.2e-6; },
  });
  const { agrees, difference } = await loadModel("spoiled");
  assert.equal(agrees, false);
  assert.ok(difference > 0.5e-6);
  const run = chooseRun("spoiled", { tokens: [9] }, "me");
  assert.deepEqual(run.tokens, [1, 2, 3, 1, 4, 5]);
  const recorded = run.tensors["layers.0.q"].values[0];
  assert.equal(recorded, Number(recorded.toFixed(6)));
});

test("a tensor that is missing or has another shape disagrees", async () => {
  publish("reshaped", demoSource(), {
    spoil: ({ logits }) => { logits.values.pop(); },
  });
  assert.equal((await loadModel("reshaped")).difference, Infinity);
  publish("unknown", demoSource(), {
    spoil: (recorded) => { recorded.other = recorded.logits; },
  });
  assert.equal((await loadModel("unknown")).agrees, false);
});

test("a page without the parameters refuses, as it does damaged ones", async () => {
  page.islands["trace-bare"] = { textContent: JSON.stringify(demoSource().trace) };
  await assert.rejects(loadModel("bare"), TraceError);
  publish("absent", demoSource());
  delete page.scripts["absent/p.js"];
  await assert.rejects(loadModel("absent"), TraceError);
  assert.throws(() => parametersIn(new Uint8Array(7), { w: [2] }), TraceError);
  assert.throws(() => currentRun("bare"), RangeError);
});

test("parameters are float32, low byte first, one after another", () => {
  const bytes = new Uint8Array(Buffer.from(Float32Array.of(0.1, -2, 3).buffer));
  const { w, gain } = parametersIn(bytes, { w: [1, 2], gain: [1] });
  assert.deepEqual([...w.values, ...gain.values], [Math.fround(0.1), -2, 3]);
});

test("a choice is told and stands in the address; a reset clears it", async () => {
  publish("chosen", demoSource());
  await loadModel("chosen");
  const choice = { tokens: [4, 5], change: "token", at: 1, to: 7 };
  const run = chooseRun("chosen", choice, "me");
  assert.deepEqual(run.tokens, [4, 7]);
  assert.equal(location().hash, "#~tokens=4-5&change=token&at=1&to=7");
  assert.equal(currentRun("chosen"), run);
  assert.deepEqual(page.told.map(({ origin }) => origin), ["me"]);
  assert.equal(page.told[0].run, run);
  resetRun("chosen", "me");
  assert.equal(location().hash, "");
  assert.equal(currentRun("chosen").recorded, true);
});

test("the same choice is the same run, computed once", async () => {
  publish("same", demoSource());
  await loadModel("same");
  const choose = (change) => chooseRun("same", { change }, "me");
  assert.equal(choose("rope-off"), (choose("mask-off"), choose("rope-off")));
});

test("an address says the state of another trace under its own names", async () => {
  location().hash = "#~layer=1&twin.tokens=9-99-8&twin.change=token-q&twin.at=1";
  publish("twin", otherSource(), { address: "twin." });
  const run = await readRunAddress("twin");
  assert.deepEqual(run.tokens, [9, 8]);
  assert.deepEqual([run.choice.change, run.choice.at], ["token-q", 1]);
  assert.equal(page.told.length, 1);
  chooseRun("twin", { change: "" }, "me");
  assert.equal(location().hash, "#~layer=1&twin.tokens=9-8");
});

test("several figures that read one address tell it once", async () => {
  location().hash = "#~change=scale-one";
  publish("read", demoSource());
  const found = await Promise.all([readRunAddress("read"), readRunAddress("read")]);
  assert.equal(found[0], found[1]);
  assert.equal(page.told.length, 1);
});

test("an address that says nothing tells nothing", async () => {
  location().hash = "#~layer=1&tokens=&weights=no-such&change=no-such&at=x";
  publish("silent", demoSource());
  assert.equal((await readRunAddress("silent")).recorded, true);
  assert.equal(page.told.length, 0);
});

test("a choice that has not reached the address yet stays", async () => {
  publish("hasty", demoSource());
  await readRunAddress("hasty");
  globalThis.window.setTimeout = () => 0;
  const run = chooseRun("hasty", { tokens: [7] }, "me");
  assert.equal(location().hash, "");
  assert.equal(await readRunAddress("hasty"), run);
});

test("the weights of another trace run under the page's tokens and names", async () => {
  const other = demoSource();
  other.trace.model.trained = true;
  for (const weight of Object.values(other.parameters)) weight.values.reverse();
  publish("random", demoSource());
  publish("trained", other, { address: "trained." });
  await loadModel("random");
  assert.throws(() => chooseRun("random", { weights: "trained" }, "me"), RangeError);
  await loadModel("trained");
  const run = chooseRun("random", { weights: "trained" }, "me");
  assert.deepEqual([run.trace.id, run.origin, run.recorded],
    ["random", "trained", false]);
  assert.deepEqual(run.tensors, currentRun("trained").tensors);
  assert.equal(location().hash, "#~weights=trained");
  const anew = runOf("random", { ...run.choice, weights: "random" });
  assert.equal(anew.origin, "random");
});
