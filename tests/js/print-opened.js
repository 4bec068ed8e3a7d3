/**
 * Print opened numbers of runs that another program describes, as JSON:
 *
 *     node tests/js/print-opened.js RUNS.json
 *
 * RUNS.json is a list of {config, parameters, tokens, change}.  Of some cells of every
 * tensor and parameter it prints: run (its number in the list), name, index, parameter,
 * kind, value and total as text, size (of the largest number that is added up), and
 * program (NumPy).
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { computeRun, recordedChoice } from "../../static/js/lib/computed-run.js";
import { numpyOf } from "../../static/js/lib/terms-numpy.js";
import { openCell } from "../../static/js/lib/terms.js";
import { randomNumbers } from "./models.js";
import { sampleOf } from "./opened-runs.js";

function runOf({ config, parameters, tokens, change }) {
  const input = { token_ids: [tokens] };
  const trace = { id: "demo", model: config, input, tensors: {} };
  const choice = { ...recordedChoice(trace), change, at: tokens.length >> 1, to: 3 };
  const weights = Object.entries(parameters).map(([name, { shape, values }]) =>
    [name, { shape, values: Float64Array.from(values) }]);
  return computeRun(trace,
    { trace, parameters: Object.fromEntries(weights) }, choice);
}

function printed(run, cell, number) {
  const opened = openCell(run, cell);
  const sizes = [opened.value, ...opened.terms.map(({ value }) => value)].map(Math.abs);
  return {
    ...cell, run: number, kind: opened.kind,
    value: String(opened.value), total: String(opened.total),
    size: Math.max(...sizes.filter(Number.isFinite), 0), program: numpyOf(opened),
  };
}

const described = JSON.parse(readFileSync(process.argv[2], "utf8"));
const lines = described.flatMap((description, number) => {
  const run = runOf(description);
  const next = randomNumbers(number + 1);
  const cells = Object.entries(run.tensors).flatMap(([name, tensor]) =>
    sampleOf(name, tensor, next));
  const parameters = Object.entries(run.model.weights).flatMap(([name, tensor]) =>
    sampleOf(name, tensor, next).slice(0, 2).map((cell) =>
      ({ ...cell, parameter: true })));
  return [...cells, ...parameters].map((cell) => printed(run, cell, number));
});
process.stdout.write(JSON.stringify(lines));
