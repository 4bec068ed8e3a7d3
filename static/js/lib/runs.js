import {
  computeRun, possibleChoice, recordedChoice, runWith,
} from "./computed-run.js";
import { largestDifference } from "./differences.js";
import {
  comingFragment, countIn, isPlace, parseFragment, rememberInAddress,
} from "./fragment.js";
import { readParameters, readRecorded, storedParameters } from "./parameters.js";
import { tellRun } from "./run-events.js";
import { readTrace } from "./trace.js";

/**
 * What the page shows of each trace now: its recording, or what the page's model
 * computes for the reader's choice.  The choice lives in the address.
 *
 * @typedef {import("./computed-run.js").Choice} Choice
 * @typedef {import("./computed-run.js").Run} Run
 * @typedef {import("./tensors.js").Tensor} Tensor
 *
 * @typedef {object} Start  how the recording compares with its recomputation
 * @property {number} difference  the largest
 * @property {number} numbers     compared
 * @property {number} tensors     compared
 * @property {boolean} agrees
 *
 * @typedef {object} Loaded
 * @property {import("./computed-run.js").RunTrace} trace
 * @property {Record<string, Tensor>} parameters
 * @property {Start} start
 * @property {Run} recording  computed where it agrees, else as it was recorded
 */

const ROUNDING = 0.5e-6 + 1e-9; // half a unit of the recording's last decimal
const KEPT_RUNS = 8;

/** @type {Map<string, Promise<Loaded>>} */
const loading = new Map();
/** @type {Map<string, Loaded>} */
const loaded = new Map();
/** @type {Map<string, Run>} */
const runs = new Map();
/** @type {Map<string, Run>} what each trace shows now */
const current = new Map();

/**
 * Load a trace's parameters and recompute its recording, once.  Rejects with
 * TraceError.
 * @param {string} traceId
 * @returns {Promise<Start>}
 */
export async function loadModel(traceId) {
  if (!loading.has(traceId)) loading.set(traceId, load(traceId));
  const { start } = await /** @type {Promise<Loaded>} */ (loading.get(traceId));
  return start;
}

/** @param {string} traceId */
async function load(traceId) {
  const trace = readTrace(traceId);
  const [parameters, recorded] =
    await Promise.all([readParameters(trace), readRecorded(trace)]);
  const choice = recordedChoice(trace);
  const run = computeRun(trace, { trace, parameters }, choice);
  const start = compare(run.tensors, recorded);
  const made = { page: trace, ...run, tensors: { ...run.tensors, ...recorded } };
  const recording = start.agrees ? run : runWith(made);
  const model = { trace, parameters, start, recording };
  loaded.set(traceId, model);
  return model;
}

/**
 * Compare what was computed with what was recorded.
 * @param {Record<string, Tensor>} computed
 * @param {Record<string, Tensor>} recorded
 * @returns {Start}
 */
export function compare(computed, recorded) {
  const names = Object.keys(recorded);
  const differences = names.map((name) =>
    computed[name]?.values.length === recorded[name].values.length
      ? largestDifference(computed[name].values, recorded[name].values) : Infinity);
  const difference = Math.max(0, ...differences);
  return {
    difference, tensors: names.length, agrees: difference <= ROUNDING,
    numbers: names.reduce((sum, name) => sum + recorded[name].values.length, 0),
  };
}

/**
 * @param {string} traceId
 * @returns {Loaded}
 */
function loadedModel(traceId) {
  const model = loaded.get(traceId);
  if (!model) throw new RangeError(`the model of ${traceId} is not loaded`);
  return model;
}

/**
 * Return the run of a choice; the recording where a model that it needs does not agree
 * with its own.  Throws RangeError unless the models are loaded.
 * @param {string} traceId
 * @param {Choice} choice
 * @returns {Run}
 */
export function runOf(traceId, choice) {
  const page = loadedModel(traceId);
  const source = loadedModel(choice.weights);
  if (!page.start.agrees || !source.start.agrees) return page.recording;
  const possible = possibleChoice(choice, page.trace);
  const key = `${traceId} ${JSON.stringify(possible)}`;
  const run = runs.get(key) ?? computeRun(page.trace, source, possible);
  runs.delete(key); // the one used last stands last
  runs.set(key, run);
  if (runs.size > KEPT_RUNS) runs.delete([...runs.keys()][0]);
  return run;
}

/**
 * Return what the page shows of a trace now.  Throws RangeError unless it is loaded.
 * @param {string} traceId
 * @returns {Run}
 */
export function currentRun(traceId) {
  return current.get(traceId) ?? loadedModel(traceId).recording;
}

/**
 * Change the reader's choice; tell the page and its address.
 * @param {string} traceId
 * @param {Partial<Choice>} changes
 * @param {unknown} origin
 * @returns {Run}
 */
export function chooseRun(traceId, changes, origin) {
  const run = runOf(traceId, { ...currentRun(traceId).choice, ...changes });
  show(traceId, run, origin);
  rememberInAddress(addressOf(run.choice, loadedModel(traceId).trace));
  return run;
}

/**
 * Go back to the recording.
 * @param {string} traceId
 * @param {unknown} origin
 * @returns {Run}
 */
export function resetRun(traceId, origin) {
  return chooseRun(traceId, recordedChoice(loadedModel(traceId).trace), origin);
}

/**
 * @param {string} traceId
 * @param {Run} run
 * @param {unknown} origin
 */
function show(traceId, run, origin) {
  current.set(traceId, run);
  tellRun({ trace: traceId, run, origin });
}

/**
 * Show what the page's address says of a trace, or is about to say, loading what that
 * needs.  A place in the page says nothing of a run, and changes none.
 * @param {string} traceId
 * @returns {Promise<Run>}
 */
export async function readRunAddress(traceId) {
  await loadModel(traceId);
  const address = comingFragment();
  if (isPlace(address)) return currentRun(traceId);
  const choice = choiceIn(parseFragment(address), loadedModel(traceId).trace);
  try {
    await loadModel(choice.weights);
  } catch {
    choice.weights = traceId; // an address may name a trace that the page lacks
  }
  if (comingFragment() !== address) return readRunAddress(traceId); // chosen meanwhile
  const run = runOf(traceId, choice);
  const now = currentRun(traceId);
  if (JSON.stringify(run.choice) === JSON.stringify(now.choice)) return now;
  show(traceId, run, null);
  return run;
}

/**
 * Return the choice that an address says; what it does not say is as recorded.
 * @param {Map<string, string>} address
 * @param {import("./trace.js").Trace} trace
 * @returns {Choice}
 */
export function choiceIn(address, trace) {
  const { address: prefix } = storedParameters(trace);
  const usual = recordedChoice(trace);
  const tokens = address.get(`${prefix}tokens`)?.split("-").filter(Boolean).map(Number);
  return possibleChoice({
    weights: address.get(`${prefix}weights`) ?? usual.weights,
    tokens: tokens ?? usual.tokens,
    change: address.get(`${prefix}change`) ?? "",
    at: countIn(address, `${prefix}at`) ?? usual.at,
    to: countIn(address, `${prefix}to`) ?? usual.to,
  }, trace);
}

/**
 * Return the changes of the address that say a choice; null where it is as recorded.
 * @param {Choice} choice
 * @param {import("./trace.js").Trace} trace
 * @returns {Record<string, string | number | null>}
 */
export function addressOf(choice, trace) {
  const { address: prefix } = storedParameters(trace);
  const usual = recordedChoice(trace);
  const changed = choice.change !== "";
  /** @type {[string, string | number, string | number][]} */
  const said = [
    ["weights", choice.weights, usual.weights],
    ["tokens", choice.tokens.join("-"), usual.tokens.join("-")],
    ["change", choice.change, ""],
    ["at", changed ? choice.at : usual.at, usual.at],
    ["to", changed ? choice.to : usual.to, usual.to],
  ];
  return Object.fromEntries(said.map(([name, value, recorded]) =>
    [prefix + name, value === recorded ? null : value]));
}
