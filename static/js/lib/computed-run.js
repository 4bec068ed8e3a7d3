import { CHANGES } from "./changes.js";
import { OPERATIONS, allowedCells } from "./decoder-operations.js";
import { firstItem } from "./matrix.js";
import { dimsOf, unitOf } from "./tensor-axes.js";
import { TinyLlama, recordTensors } from "./tiny-llama.js";

/**
 * Runs: what the page's model computes of a trace's parameters, for tokens and a change
 * that the reader chose.  Nothing here knows the page.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {import("./trace.js").Trace} Trace
 * @typedef {Trace & {vocabulary?: string[], forbidden?: Uint8Array}} RunTrace
 *   forbidden: cells of [query, key], 1 where this run's mask forbids
 *
 * @typedef {object} Choice
 * @property {string} weights  the id of the trace whose parameters run
 * @property {number[]} tokens
 * @property {string} change   an id of content/changes.json, or ""
 * @property {number} at       the position that a change is about
 * @property {number} to       the token that a change puts there
 *
 * @typedef {object} Source  a trace and its parameters
 * @property {RunTrace} trace
 * @property {Record<string, Tensor>} parameters
 *
 * @typedef {object} Run
 * @property {RunTrace} trace    of this run, under the id of the page's trace
 * @property {Choice} choice
 * @property {boolean} recorded  it is the recording: nothing was chosen
 * @property {TinyLlama} model
 * @property {Record<string, Tensor>} tensors  in order of making
 * @property {number[]} tokens   that ran, the changed one included
 * @property {string[]} labels   of the tokens
 * @property {string[]} vocabulary
 * @property {"random" | "trained"} origin  of the weights
 */

export const LONGEST = 32; // tokens

/**
 * Return the choice that is the recording itself.
 * @param {Trace} trace
 * @returns {Choice}
 */
export function recordedChoice(trace) {
  const tokens = firstItem(trace.input.token_ids);
  return { weights: trace.id, tokens, change: "", at: 0, to: tokens[0] };
}

/**
 * Return a choice with what cannot be run put right: unknown tokens and changes are
 * left out, a sequence is at most LONGEST tokens, a position lies in it.
 * @param {Choice} choice
 * @param {Trace} trace  the page's
 * @returns {Choice}
 */
export function possibleChoice(choice, trace) {
  const usual = recordedChoice(trace);
  /** @param {number} token */
  const known = (token) =>
    Number.isInteger(token) && token >= 0 && token < trace.model.vocab_size;
  const tokens = choice.tokens.filter(known).slice(0, LONGEST);
  if (!tokens.length) tokens.push(...usual.tokens);
  return {
    weights: choice.weights, tokens,
    change: Object.hasOwn(CHANGES, choice.change) ? choice.change : "",
    at: Math.max(0, Math.min(Math.trunc(choice.at) || 0, tokens.length - 1)),
    to: known(choice.to) ? choice.to : usual.to,
  };
}

/**
 * Return the run of a possible choice.
 * @param {RunTrace} page   the page's trace: its id, its recording, its words
 * @param {Source} source   whose parameters run
 * @param {Choice} choice
 * @returns {Run}
 */
export function computeRun(page, source, choice) {
  const described = CHANGES[choice.change]?.(describe(source, choice), choice)
    ?? describe(source, choice);
  const model =
    new TinyLlama(described.config, described.weights, described.operations);
  const tensors = recordTensors(model, [described.tokens]);
  return runWith({ page, choice, model, tensors, tokens: described.tokens });
}

/**
 * @param {Source} source
 * @param {Choice} choice
 * @returns {import("./changes.js").Described}
 */
function describe({ trace, parameters }, { tokens }) {
  const config = /** @type {any} */ (trace.model);
  return { config, weights: parameters, operations: OPERATIONS, tokens };
}

/**
 * Return the run that holds given tensors.
 * @param {{page: RunTrace, choice: Choice, model: TinyLlama,
 *   tensors: Record<string, Tensor>, tokens: number[]}} made
 * @returns {Run}
 */
export function runWith({ page, choice, model, tensors, tokens }) {
  const vocabulary = page.vocabulary ?? [];
  const labels = tokens.map((token) => vocabulary[token] ?? String(token));
  const config = /** @type {Record<string, any>} */ (model.config);
  return {
    trace: traceOf({ page, config, tensors, tokens, labels, model }),
    choice, recorded: isRecorded(choice, page), model, tensors, tokens, labels,
    vocabulary, origin: config.trained ? "trained" : "random",
  };
}

/**
 * @param {Choice} choice
 * @param {Trace} page
 */
function isRecorded({ weights, tokens, change }, page) {
  const usual = recordedChoice(page);
  return weights === usual.weights && change === ""
    && String(tokens) === String(usual.tokens);
}

/**
 * @param {{page: RunTrace, config: Record<string, any>, model: TinyLlama,
 *   tensors: Record<string, Tensor>, tokens: number[], labels: string[]}} made
 * @returns {RunTrace}
 */
function traceOf({ page, config, tensors, tokens, labels, model }) {
  const positions = tokens.map((_, position) => position);
  const { sees } = model.operations;
  return {
    id: page.id, format: page.format, format_major: page.format_major, model: config,
    vocabulary: page.vocabulary,
    input: { token_ids: [tokens], token_labels: [labels], position_ids: [positions] },
    forbidden: allowedCells(positions, positions, sees).map((seen) => 1 - seen),
    tensors: Object.fromEntries(Object.entries(tensors).map(([name, tensor]) =>
      [name, { ...tensor, dims: dimsOf(name), unit: unitOf(name) }])),
  };
}
