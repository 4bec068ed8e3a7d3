/**
 * Run the page's model as another program asks.
 *
 *     node answers.js LIB QUESTION ANSWER
 *
 * LIB is the folder of static/js/lib, QUESTION a file of JSON; the file ANSWER gets one
 * line of JSON that names the tensors of each run, then all their float64 numbers.
 *
 *     {"models": {name: {"config": …, "weights": {name: {"shape", "values"}}}},
 *      "calls": [{"model", "chunks": [[B, T] of ids, …], "first": position}],
 *      "changes": [{"model", "tokens", "change", "at", "to"}]}
 */

import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

const lib = pathToFileURL(`${argv[2]}/`);
const read = (name) => import(new URL(name, lib));
const { Cache } = await read("cache.js");
const { computeRun, recordedChoice } = await read("computed-run.js");
const { movedTensors, properties } = await read("effects.js");
const { DERIVED, TinyLlama, recordTensors } = await read("tiny-llama.js");

const asked = JSON.parse(readFileSync(argv[3], "utf8"));
const sources = Object.fromEntries(Object.entries(asked.models).map(([name, model]) => {
  const parameters = Object.fromEntries(Object.entries(model.weights).map(
    ([weight, { shape, values }]) =>
      [weight, { shape, values: Float64Array.from(values) }]));
  return [name, { parameters, config: model.config }];
}));

/** Return the tensors of each chunk, by name, of a sequence that a cache continues. */
function calls({ model, chunks, first }) {
  const { config, parameters } = sources[model];
  const llama = new TinyLlama(config, parameters);
  const length = chunks.reduce((sum, [row]) => sum + row.length, 0);
  const cache = new Cache(llama, chunks[0].length, length, first);
  return chunks.map((chunk) => ({ tensors: recordTensors(llama, chunk, cache) }));
}

/** Return a changed run's tensors, what it moved, and which properties it has. */
function changed({ model, tokens, ...choice }) {
  const { config, parameters } = sources[model];
  const trace = {
    id: model, model: config, vocabulary: [], tensors: {},
    input: { token_ids: [tokens], token_labels: [tokens], position_ids: [tokens] },
  };
  const usual = recordedChoice(trace);
  const before = computeRun(trace, { trace, parameters }, usual);
  const after = computeRun(trace, { trace, parameters }, { ...usual, ...choice });
  return {
    tensors: after.tensors, moved: movedTensors(before, after),
    properties: properties(after),
  };
}

const answers = [...asked.calls.flatMap(calls), ...asked.changes.map(changed)];
const headers = answers.map(({ tensors, ...said }) => ({
  ...said, derived: DERIVED,
  shapes: Object.fromEntries(Object.entries(tensors).map(
    ([name, { shape }]) => [name, shape])),
}));
const numbers = answers.flatMap(({ tensors }) => Object.values(tensors).map(
  ({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)));
const head = Buffer.from(`${JSON.stringify(headers)}\n`);
writeFileSync(argv[4], Buffer.concat([head, ...numbers]));
