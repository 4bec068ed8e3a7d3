import { fetchTensor } from "./second-channel.js";
import { sizeOf } from "./tensors.js";
import { TraceError, inflate } from "./trace.js";

/**
 * What the page's model needs of a trace, and the first view does not: the parameters,
 * and the whole recording to compare with.  Each is a script beside the page, written
 * by sitegen/islands.py.
 *
 * @typedef {import("./tensors.js").Tensor} Tensor
 * @typedef {import("./trace.js").Trace} Trace
 *
 * @typedef {object} StoredParameters
 * @property {string} file      all of them, float32, one after another
 * @property {Record<string, number[]>} shapes  in the order of the file
 * @property {string} recorded  the file of the recording
 * @property {string} address   what stands before the trace's names in the address
 */

/**
 * @param {Trace} trace
 * @returns {StoredParameters}
 */
export function storedParameters(trace) {
  const { parameters } = /** @type {any} */ (trace);
  if (parameters) return parameters;
  throw new TraceError("unreadable", `the page has no parameters of ${trace.id}`);
}

/**
 * Return a trace's parameters by name.  Rejects with TraceError.
 * @param {Trace} trace
 * @returns {Promise<Record<string, Tensor>>}
 */
export async function readParameters(trace) {
  const { file, shapes } = storedParameters(trace);
  const bytes = bytesOf(await fetchOrRefuse(trace.id, "parameters", file));
  return parametersIn(bytes, shapes);
}

/**
 * Return the parameters in the bytes of their file.  Throws TraceError.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {Record<string, number[]>} shapes
 * @returns {Record<string, Tensor>}
 */
export function parametersIn(bytes, shapes) {
  const view = new DataView(bytes.buffer);
  const expected = Object.values(shapes).reduce((sum, shape) => sum + sizeOf(shape), 0);
  if (bytes.length !== 4 * expected) {
    throw new TraceError("unreadable", `${bytes.length} bytes, not ${4 * expected}`);
  }
  let at = 0;
  return Object.fromEntries(Object.entries(shapes).map(([name, shape]) => {
    const values = Float64Array.from({ length: sizeOf(shape) }, () =>
      view.getFloat32(4 * at++, true));
    return [name, { shape, values }];
  }));
}

/**
 * Return every tensor's numbers as the trace has them, by name.  Rejects with
 * TraceError.
 * @param {Trace} trace
 * @returns {Promise<Record<string, Tensor>>}
 */
export async function readRecorded(trace) {
  const { recorded } = storedParameters(trace);
  const bytes = await inflate(await fetchOrRefuse(trace.id, "recorded", recorded));
  const stored = JSON.parse(new TextDecoder().decode(bytes));
  return Object.fromEntries(Object.entries(stored).map(([name, tensor]) =>
    [name, { shape: tensor.shape, values: Float64Array.from(tensor.values, Number) }]));
}

/**
 * @param {string} id
 * @param {string} name
 * @param {string} file
 */
async function fetchOrRefuse(id, name, file) {
  try {
    return await fetchTensor(id, name, file);
  } catch (error) {
    throw new TraceError("unreadable", String(error));
  }
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
}
