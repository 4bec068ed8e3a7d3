/**
 * Matrices of attention: one head's [query, key] numbers, and what is read off them.
 *
 * @typedef {object} Matrix
 * @property {number} queries
 * @property {number} keys
 * @property {Float64Array | Float32Array} values  [queries * keys], row-major
 */

/**
 * Return one head's matrix of a tensor [batch, head, query, key], first batch item.
 * It is a view: nothing is copied.
 * @param {{shape: number[], values: Float64Array | Float32Array}} tensor
 * @param {number} head
 * @returns {Matrix}
 */
export function headMatrix(tensor, head) {
  const [, , queries, keys] = tensor.shape;
  const size = queries * keys;
  const values = tensor.values.subarray(head * size, (head + 1) * size);
  return { queries, keys, values };
}

/**
 * Return first minus second.
 * @param {Matrix} first
 * @param {Matrix} second
 * @returns {Matrix}
 */
export function differenceOf(first, second) {
  const { queries, keys } = first;
  const values = new Float64Array(queries * keys);
  for (let i = 0; i < values.length; i++) {
    values[i] = first.values[i] - second.values[i];
  }
  return { queries, keys, values };
}

/**
 * Return what a trace's input has for the first item of its batch.
 * @param {any} perItem  numbers or words of a sequence, or of each sequence of a batch
 * @returns {any[]}
 */
export function firstItem(perItem) {
  return Array.isArray(perItem[0]) ? perItem[0] : perItem;
}

/**
 * Return which cells the mask forbids, [queries * keys], 1 where the key's position
 * comes after the query's.  The queries are the last of the positions: with a cache
 * there are more keys.
 * @param {number[]} positions
 * @param {number} queries
 * @param {number} keys
 */
export function forbiddenCells(positions, queries, keys) {
  const first = keys - queries;
  const forbidden = new Uint8Array(queries * keys);
  for (let query = 0; query < queries; query++) {
    for (let key = 0; key < keys; key++) {
      forbidden[query * keys + key] = Number(positions[key] > positions[first + query]);
    }
  }
  return forbidden;
}

/**
 * @template {Float64Array | Float32Array | Uint8Array} Numbers
 * @param {{keys: number, values: Numbers}} matrix
 * @param {number} query
 * @returns {Numbers}
 */
export function rowOf(matrix, query) {
  const from = query * matrix.keys;
  return /** @type {Numbers} */ (matrix.values.subarray(from, from + matrix.keys));
}

/**
 * Return what the mask forbids in the followed row of a picture, [keys].
 * @param {{matrix: Matrix, forbidden: Uint8Array, query: number}} picture
 */
export function forbiddenIn({ matrix, forbidden, query }) {
  return rowOf({ keys: matrix.keys, values: forbidden }, query);
}

/** @param {Iterable<number>} numbers */
export function sumOf(numbers) {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

/**
 * Return the allowed keys of a row, the one with the largest absolute number first.
 * @param {Float64Array | Float32Array} row
 * @param {Uint8Array} forbidden  of the same row
 * @returns {number[]}
 */
export function largestFirst(row, forbidden) {
  return [...row.keys()].filter((key) => !forbidden[key])
    .sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
}

/**
 * Return the next head of the same group of query heads, which shares its keys and
 * values, or null where every head has its own.
 * @param {number} head
 * @param {number} groupSize
 */
export function partnerOf(head, groupSize) {
  if (groupSize < 2) return null;
  const first = head - (head % groupSize);
  return first + ((head - first + 1) % groupSize);
}

/**
 * Return a matrix without key 0, what is left of each row scaled up to a sum of one.
 * A row that took all from key 0 is zero throughout.
 * @param {Matrix} matrix
 * @returns {Matrix}
 */
export function withoutFirstKey({ queries, keys, values }) {
  const scaled = new Float64Array(values.length);
  for (let first = 0; first < scaled.length; first += keys) {
    let left = 0;
    for (let i = first + 1; i < first + keys; i++) left += values[i];
    for (let i = first + 1; left && i < first + keys; i++) scaled[i] = values[i] / left;
  }
  return { queries, keys, values: scaled };
}
