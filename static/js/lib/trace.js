import { firstItem, forbiddenCells } from "./matrix.js";
import { unpackRows } from "./parts.js";
import { fetchTensor } from "./second-channel.js";

/**
 * Traces: what one model computed, as the page carries it.
 *
 * A page holds each trace once, as `<script type="application/json" id="trace-…">`,
 * with just the tensors that its figures read.  content/notes/architecture.md and
 * static/schema/trace.v1.schema.json describe the format.
 */

export const FORMAT_MAJOR = 1;

const NOT_FINITE = { "-Infinity": -Infinity, "Infinity": Infinity, "NaN": NaN };

/**
 * @typedef {object} StoredTensor
 * @property {string[]} dims
 * @property {number[]} shape
 * @property {ArrayLike<number | string>} [values]  row-major
 * @property {string} [encoding]
 * @property {string} [data]  base64
 * @property {string} [file]  of a script that brings the data
 *
 * @typedef {object} Trace
 * @property {string} id  of the page's own
 * @property {string} format
 * @property {number} format_major
 * @property {Record<string, any>} model
 * @property {{token_ids: any, token_labels: any, position_ids: any}} input
 * @property {Record<string, StoredTensor>} tensors
 *
 * @typedef {object} Tensor
 * @property {number[]} shape
 * @property {Float64Array | Float32Array} values  row-major
 * @property {number} [parts]  each row was written as so many whole parts of one
 */

/** Why a trace cannot be shown: "newer", where the page's script is too old for it, or
    "unreadable". */
export class TraceError extends Error {
  /**
   * @param {"newer" | "unreadable"} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.name = "TraceError";
    this.kind = kind;
  }
}

/**
 * Return the trace in an island's text.  Throws TraceError.
 * @param {string} text
 * @returns {Trace}
 */
export function parseTrace(text) {
  let trace;
  try {
    trace = JSON.parse(text);
  } catch (error) {
    throw new TraceError("unreadable", String(error));
  }
  if (!Number.isInteger(trace?.format_major) || typeof trace.tensors !== "object") {
    throw new TraceError("unreadable", "the data are not a trace");
  }
  if (trace.format_major > FORMAT_MAJOR) {
    const message = `format ${trace.format_major}, known is ${FORMAT_MAJOR}`;
    throw new TraceError("newer", message);
  }
  return trace;
}

/** @type {Map<string, Trace>} */
const traces = new Map();

/**
 * Return the page's trace with that id; its island is parsed once.  Throws TraceError.
 * @param {string} id
 * @returns {Trace}
 */
export function readTrace(id) {
  const known = traces.get(id);
  if (known) return known;
  const island = document.getElementById(`trace-${id}`);
  if (!island) throw new TraceError("unreadable", `this page has no trace '${id}'`);
  const trace = parseTrace(island.textContent || "");
  trace.id = id;
  traces.set(id, trace);
  return trace;
}

/** @type {WeakMap<StoredTensor, Promise<Tensor>>} */
const decoded = new WeakMap();

/**
 * Return a tensor of a trace, decoded once.  Rejects with TraceError.
 * @param {Trace} trace
 * @param {string} name  as in "layers.0.weights"
 * @returns {Promise<Tensor>}
 */
export function readTensor(trace, name) {
  const stored = trace.tensors[name];
  if (!stored) {
    return Promise.reject(new TraceError("unreadable", `the trace has no ${name}`));
  }
  const known = decoded.get(stored);
  if (known) return known;
  const tensor = withData(trace, name).then((full) =>
    decodeTensor(full, () => forbiddenOf(trace, stored.shape)));
  decoded.set(stored, tensor);
  return tensor;
}

/**
 * Return a stored tensor with its data, brought by a script where the page has none.
 * @param {Trace} trace
 * @param {string} name
 * @returns {Promise<StoredTensor>}
 */
async function withData(trace, name) {
  const stored = trace.tensors[name];
  if (!stored.file) return stored;
  try {
    return { ...stored, data: await fetchTensor(trace.id, name, stored.file) };
  } catch (error) {
    throw new TraceError("unreadable", String(error));
  }
}

/**
 * @param {Trace} trace
 * @param {number[]} shape  ending with queries, keys
 */
function forbiddenOf(trace, shape) {
  const [queries, keys] = shape.slice(-2);
  return forbiddenCells(firstItem(trace.input.position_ids), queries, keys);
}

/**
 * Return a stored tensor's numbers, whichever way they are written.
 * @param {StoredTensor} stored
 * @param {() => Uint8Array} [forbidden]  cells of [query, key]
 * @returns {Promise<Tensor>}
 */
export async function decodeTensor(stored, forbidden = () => new Uint8Array()) {
  const { shape, encoding = "" } = stored;
  const parts = Number(/^rows-(\d+)-deflate-base64$/.exec(encoding)?.[1]) || undefined;
  const values = await numbersOf(stored, parts, forbidden);
  const expected = shape.reduce((product, length) => product * length, 1);
  if (values.length !== expected) {
    throw new TraceError("unreadable", `${values.length} numbers for [${shape}]`);
  }
  return parts ? { shape, values, parts } : { shape, values };
}

/**
 * @param {StoredTensor} stored
 * @param {number | undefined} parts
 * @param {() => Uint8Array} masked
 */
async function numbersOf({ shape, values, encoding = "", data = "" }, parts, masked) {
  if (values) return Float64Array.from(values, restored);
  const bytes = await inflate(data);
  if (!parts) return unpacked(encoding, bytes);
  const [heads] = shape.slice(-3);
  const counts = unpackRows(bytes, masked(), heads);
  return Float32Array.from(counts || [], (count) => count / parts);
}

/** @param {number | string} value */
function restored(value) {
  return typeof value === "number" ? value : NOT_FINITE[/** @type {"NaN"} */ (value)];
}

/**
 * @param {string} encoding
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function unpacked(encoding, bytes) {
  if (encoding === "f32-deflate-base64") return littleEndianFloats(bytes);
  const parts = Number(/^parts-(\d+)-deflate-base64$/.exec(encoding)?.[1]);
  if (!parts) throw new TraceError("unreadable", `unknown encoding '${encoding}'`);
  return parts < 256
    ? Float32Array.from(bytes, (count) => count / parts)
    : Float32Array.from(littleEndianShorts(bytes), (count) => count / parts);
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function littleEndianFloats(bytes) {
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) =>
    view.getFloat32(4 * i, true));
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function littleEndianShorts(bytes) {
  const view = new DataView(bytes.buffer);
  return Uint16Array.from({ length: bytes.length >> 1 }, (_, i) =>
    view.getUint16(2 * i, true));
}

/**
 * @param {string} base64
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function inflate(base64) {
  try {
    const packed = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const stream = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw new TraceError("unreadable", `the numbers cannot be unpacked: ${error}`);
  }
}
