/**
 * A cell, a row or the whole of a matrix as text: NumPy, JSON or CSV.
 *
 * Numbers are written as they were recorded, with every digit.
 *
 * @typedef {object} CopySource
 * @property {string} trace
 * @property {string} tensor   as in "layers.0.weights"
 * @property {number} head
 * @property {number} query
 * @property {number} key
 * @property {import("./matrix.js").Matrix} matrix
 * @property {string[]} queryLabels
 * @property {string[]} keyLabels
 *
 * @typedef {"cell" | "row" | "matrix"} Extent
 */

/**
 * @param {"numpy" | "json" | "csv"} format
 * @param {Extent} extent
 * @param {CopySource} source
 */
export function matrixText(format, extent, source) {
  return { numpy: asNumpy, json: asJson, csv: asCsv }[format](extent, source);
}

/**
 * @param {Extent} extent
 * @param {CopySource} source
 */
function asNumpy(extent, source) {
  const rows = rowsOf(extent, source).map((row) => `[${row.map(python).join(", ")}]`);
  const index = `[${indexOf(extent, source).join(", ")}]`;
  const from = `# ${source.trace}: ${source.tensor}${index}`;
  if (extent === "cell") return `${python(rowsOf(extent, source)[0][0])}  ${from}\n`;
  if (extent === "row") return `${from}, a number for each key\nnp.array(${rows[0]})\n`;
  const body = rows.join(",\n    ");
  return `${from}, a row for each query\nnp.array([\n    ${body},\n])\n`;
}

/**
 * @param {Extent} extent
 * @param {CopySource} source
 */
function asJson(extent, source) {
  const rows = rowsOf(extent, source).map((row) => row.map(strict));
  const { trace, tensor } = source;
  const values = { cell: rows[0][0], row: rows[0], matrix: rows }[extent];
  const dims = { cell: [], row: ["key"], matrix: ["query", "key"] }[extent];
  const index = indexOf(extent, source);
  return `${JSON.stringify({ trace, tensor, index, dims, values })}\n`;
}

/**
 * @param {Extent} extent
 * @param {CopySource} source
 */
function asCsv(extent, source) {
  const queries = extent === "matrix" ? source.queryLabels.keys() : [source.query];
  const keys = extent === "cell" ? [source.key] : source.keyLabels.keys();
  const head = ["query", ...[...keys].map((key) => `${key} ${source.keyLabels[key]}`)];
  const names = [...queries].map((query) => `${query} ${source.queryLabels[query]}`);
  const rows = rowsOf(extent, source).map((row, i) => [quoted(names[i]), ...row]);
  return [head.map(quoted), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}

/**
 * @param {Extent} extent
 * @param {CopySource} source
 * @returns {number[][]}
 */
function rowsOf(extent, { matrix, query, key }) {
  const row = (/** @type {number} */ at) =>
    [...matrix.values.subarray(at * matrix.keys, (at + 1) * matrix.keys)];
  if (extent === "cell") return [[row(query)[key]]];
  if (extent === "row") return [row(query)];
  return Array.from({ length: matrix.queries }, (_, at) => row(at));
}

/**
 * Where the numbers stand in the tensor [batch, head, query, key].
 * @param {Extent} extent
 * @param {CopySource} source
 */
function indexOf(extent, { head, query, key }) {
  return [0, head, query, key].slice(0, { cell: 4, row: 3, matrix: 2 }[extent]);
}

/** @param {number} value */
export function python(value) {
  if (Number.isNaN(value)) return "np.nan";
  if (!Number.isFinite(value)) return value < 0 ? "-np.inf" : "np.inf";
  return Number.isSafeInteger(value) ? `${value}.0` : String(value);
}

/** JSON has no infinities: a trace writes them as strings, and so do we.
    @param {number} value */
function strict(value) {
  return Number.isFinite(value) ? value : String(value);
}

/** @param {string} text */
function quoted(text) {
  return `"${text.replaceAll('"', '""')}"`;
}
