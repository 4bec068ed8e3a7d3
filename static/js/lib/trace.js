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
 * @property {(number | string)[]} [values]  row-major
 * @property {string} [encoding]
 * @property {string} [data]  base64
 *
 * @typedef {object} Trace
 * @property {string} format
 * @property {number} format_major
 * @property {Record<string, any>} model
 * @property {{token_ids: any, token_labels: any, position_ids: any}} input
 * @property {Record<string, StoredTensor>} tensors
 *
 * @typedef {object} Tensor
 * @property {number[]} shape
 * @property {Float64Array | Float32Array} values  row-major
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
  const tensor = decodeTensor(stored);
  decoded.set(stored, tensor);
  return tensor;
}

/**
 * Return a stored tensor's numbers, whichever way they are written.
 * @param {StoredTensor} stored
 * @returns {Promise<Tensor>}
 */
export async function decodeTensor(stored) {
  const values = stored.values
    ? Float64Array.from(stored.values, restored)
    : unpacked(stored.encoding || "", await inflate(stored.data || ""));
  const expected = stored.shape.reduce((product, length) => product * length, 1);
  if (values.length !== expected) {
    const message = `${values.length} numbers for [${stored.shape}]`;
    throw new TraceError("unreadable", message);
  }
  return { shape: stored.shape, values };
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
async function inflate(base64) {
  try {
    const packed = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const stream = new Blob([packed]).stream()
      .pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw new TraceError("unreadable", `the numbers cannot be unpacked: ${error}`);
  }
}
