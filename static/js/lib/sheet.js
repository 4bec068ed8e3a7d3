/**
 * Where the small pictures of a sheet stand, and how a matrix becomes a small one.
 *
 * Head h of layer l is picture l * heads + h.  By layer, the longer of both counts runs
 * from left to right, in as many bands as the width asks for; in any other order the
 * pictures run like text.  Lengths are in pixels of the screen.
 *
 * @typedef {object} Sheet
 * @property {number} columns
 * @property {number} rows     of all bands
 * @property {number} cell     from one picture to the next
 * @property {number} side     of a picture
 * @property {number} height
 * @property {Int32Array} at   [rows * columns], the picture there, or -1
 * @property {(row: number) => number} top  where a row begins
 * @property {number} left     where the first column begins
 * @property {number} inBand   how many rows a band has
 *
 * @typedef {object} SheetWish
 * @property {number} layers
 * @property {number} heads
 * @property {number} width
 * @property {number} smallest  the smallest cell that a finger finds
 * @property {number} margin    room for the numbers of layers and heads
 * @property {number[] | null} order  pictures, the first one first; null: by layer
 */

const LARGEST = 4; // times the smallest cell: few heads make no posters

/**
 * @param {SheetWish} wish
 * @returns {Sheet}
 */
export function layOut(wish) {
  const { layers, heads, width, smallest, order } = wish;
  const left = order ? 0 : wish.margin;
  const most = Math.max(1, Math.floor((width - left) / smallest));
  const long = order ? order.length : Math.max(layers, heads);
  const inBand = order ? 1 : Math.min(layers, heads);
  const bands = Math.ceil(long / most);
  const columns = order ? most : Math.ceil(long / bands);
  const cell = Math.min(Math.floor((width - left) / columns), LARGEST * smallest);
  const gap = Math.max(1, Math.round(cell / 16));
  const at = order
    ? inOrder(order, columns) : inBands({ layers, heads, columns, bands, inBand });
  const rows = at.length / columns;
  /** @param {number} row */
  const top = (row) => cell * row + left * (Math.floor(row / inBand) + 1);
  return {
    columns, rows, cell, side: cell - gap, left, at, inBand, top,
    height: top(rows - 1) + cell,
  };
}

/**
 * @param {number[]} order
 * @param {number} columns
 */
function inOrder(order, columns) {
  const at = new Int32Array(Math.ceil(order.length / columns) * columns).fill(-1);
  at.set(order);
  return at;
}

/**
 * @param {{layers: number, heads: number, columns: number, bands: number,
 *   inBand: number}} shape
 */
function inBands({ layers, heads, columns, bands, inBand }) {
  const at = new Int32Array(bands * inBand * columns).fill(-1);
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      const [along, across] = layers > heads ? [layer, head] : [head, layer];
      const row = Math.floor(along / columns) * inBand + across;
      at[row * columns + along % columns] = layer * heads + head;
    }
  }
  return at;
}

/**
 * Return the pictures, the one with the largest number first.
 * @param {number[]} numbers
 */
export function largestNumbersFirst(numbers) {
  return [...numbers.keys()].sort((a, b) => numbers[b] - numbers[a] || a - b);
}

/**
 * Return a matrix in fewer pixels, each the largest number of the cells that it covers,
 * so that a thin line stays; -1 where the mask forbids all of them.
 * @param {import("./matrix.js").Matrix} matrix
 * @param {Uint8Array} forbidden  [queries * keys]
 * @param {number} side
 * @returns {Float32Array}  [side * side]
 */
export function shrink({ queries, keys, values }, forbidden, side) {
  const narrow = new Float32Array(queries * side).fill(-1);
  const across = Array.from({ length: keys }, (_, key) => covered(key, keys, side));
  for (let i = 0; i < values.length; i++) {
    if (forbidden[i]) continue;
    const [from, to] = across[i % keys];
    const row = Math.floor(i / keys) * side;
    for (let x = row + from; x <= row + to; x++) {
      if (values[i] > narrow[x]) narrow[x] = values[i];
    }
  }
  const small = new Float32Array(side * side).fill(-1);
  for (let query = 0; query < queries; query++) {
    const [from, to] = covered(query, queries, side);
    for (let i = from * side; i < (to + 1) * side; i++) {
      small[i] = Math.max(small[i], narrow[query * side + i % side]);
    }
  }
  return small;
}

/**
 * Return the first and the last of `side` pixels that one of `count` cells touches.
 * @param {number} cell
 * @param {number} count
 * @param {number} side
 */
function covered(cell, count, side) {
  return [
    Math.floor(cell * side / count),
    Math.max(Math.ceil((cell + 1) * side / count), 1) - 1,
  ];
}
