/**
 * Arrays of float64 numbers with a shape, and the few operations that a decoder needs.
 * Every operation returns a new tensor.
 *
 * @typedef {object} Tensor
 * @property {number[]} shape
 * @property {Float64Array} values  row-major
 */

/**
 * Return how many numbers a shape holds.
 * @param {number[]} shape
 */
export function sizeOf(shape) {
  return shape.reduce((product, length) => product * length, 1);
}

/**
 * Return a tensor of zeros.
 * @param {number[]} shape
 * @returns {Tensor}
 */
export function zeros(shape) {
  return { shape, values: new Float64Array(sizeOf(shape)) };
}

/**
 * Return where a tensor's flat values hold an index.  Throws RangeError for an index
 * that the shape has no room for.
 * @param {number[]} shape
 * @param {number[]} index  one number an axis
 */
export function offsetOf(shape, index) {
  const inside = index.length === shape.length && index.every((place, axis) =>
    Number.isInteger(place) && place >= 0 && place < shape[axis]);
  if (!inside) throw new RangeError(`no [${index}] in a tensor [${shape}]`);
  return index.reduce((offset, place, axis) => offset * shape[axis] + place, 0);
}

/**
 * Return the index of a flat offset, one number an axis.
 * @param {number[]} shape
 * @param {number} offset
 */
export function indexOf(shape, offset) {
  const index = new Array(shape.length).fill(0);
  let rest = offset;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    index[axis] = rest % shape[axis];
    rest = Math.floor(rest / shape[axis]);
  }
  return index;
}

/**
 * Return one number of a tensor.  Throws RangeError.
 * @param {Tensor} tensor
 * @param {number[]} index
 */
export function valueAt({ shape, values }, index) {
  return values[offsetOf(shape, index)];
}

/**
 * Return the same numbers, not copied, in another shape; one length may be -1.
 * @param {Tensor} tensor
 * @param {number[]} shape
 * @returns {Tensor}
 */
export function reshape({ values }, shape) {
  const known = sizeOf(shape.filter((length) => length >= 0));
  const filled = shape.map((length) => length < 0 ? values.length / known : length);
  if (sizeOf(filled) !== values.length || !filled.every(Number.isInteger)) {
    throw new RangeError(`${values.length} numbers do not fill [${shape}]`);
  }
  return { shape: filled, values };
}

/**
 * Return a function's results, number by number.
 * @param {Tensor} tensor
 * @param {(value: number, offset: number) => number} change
 * @returns {Tensor}
 */
export function mapValues({ shape, values }, change) {
  const changed = new Float64Array(values.length);
  for (let i = 0; i < changed.length; i++) changed[i] = change(values[i], i);
  return { shape, values: changed };
}

/**
 * @param {Tensor} left
 * @param {Tensor} right  of the same shape
 * @returns {Tensor}
 */
export function add(left, right) {
  return mapValues(left, (value, i) => value + right.values[i]);
}

/**
 * @param {Tensor} left
 * @param {Tensor} right  of the same shape
 * @returns {Tensor}
 */
export function multiply(left, right) {
  return mapValues(left, (value, i) => value * right.values[i]);
}

/**
 * Add left @ right to out, all of them flat.  Four rows of the right are taken at a
 * time, so that a number of out is read and written once for four products: that is
 * twice as fast.
 * @param {Float64Array} left   [rows, inner]
 * @param {Float64Array} right  [inner, columns]
 * @param {Float64Array} out    [rows, columns]
 * @param {number} inner
 */
function addProduct(left, right, out, inner) {
  const columns = right.length / inner;
  const whole = inner - inner % 4;
  for (let at = 0, to = 0; at < left.length; at += inner, to += columns) {
    for (let i = 0; i < whole; i += 4) {
      const from = at + i;
      const a = left[from], b = left[from + 1], c = left[from + 2], d = left[from + 3];
      let cell = i * columns;
      for (let j = to; j < to + columns; j++, cell++) {
        out[j] += a * right[cell] + b * right[cell + columns]
          + c * right[cell + 2 * columns] + d * right[cell + 3 * columns];
      }
    }
    for (let i = whole; i < inner; i++) {
      const factor = left[at + i];
      const from = i * columns;
      for (let j = 0; j < columns; j++) out[to + j] += factor * right[from + j];
    }
  }
}

/**
 * Return rows @ matrix.
 * @param {Tensor} rows    [..., in]
 * @param {Tensor} matrix  [in, out]
 * @returns {Tensor}       [..., out]
 */
export function matmul(rows, matrix) {
  const [inner, columns] = matrix.shape;
  if (rows.shape[rows.shape.length - 1] !== inner) {
    throw new RangeError(`[${rows.shape}] @ [${matrix.shape}]`);
  }
  const product = zeros([...rows.shape.slice(0, -1), columns]);
  addProduct(rows.values, matrix.values, product.values, inner);
  return product;
}

/**
 * Return left @ right, head by head; neighbouring heads of the left share one of the
 * right.  Throws RangeError unless they divide evenly.
 * @param {Tensor} left   [B, H, rows, inner]
 * @param {Tensor} right  [B, Hkv, inner, columns]
 * @returns {Tensor}      [B, H, rows, columns]
 */
export function groupedMatmul(left, right) {
  const [batch, heads, rows, inner] = left.shape;
  const [, shared, , columns] = right.shape;
  const groupSize = heads / shared;
  if (!Number.isInteger(groupSize)) {
    throw new RangeError(`${heads} heads cannot share ${shared} evenly`);
  }
  const product = zeros([batch, heads, rows, columns]);
  for (let head = 0; head < batch * heads; head++) {
    addProduct(blockOf(left, head), blockOf(right, Math.floor(head / groupSize)),
      blockOf(product, head), inner);
  }
  return product;
}

/**
 * Return the n-th matrix of a tensor's last two axes, a view.
 * @param {Tensor} tensor
 * @param {number} n
 */
export function blockOf({ shape, values }, n) {
  const size = shape[shape.length - 2] * shape[shape.length - 1];
  return values.subarray(n * size, (n + 1) * size);
}

/**
 * Return a tensor with its last two axes exchanged.
 * @param {Tensor} tensor
 * @returns {Tensor}
 */
export function transpose({ shape, values }) {
  const [rows, columns] = shape.slice(-2);
  const turned = zeros([...shape.slice(0, -2), columns, rows]);
  for (let i = 0; i < values.length; i++) {
    const column = i % columns;
    const row = Math.floor(i / columns) % rows;
    const start = i - row * columns - column;
    turned.values[start + column * rows + row] = values[i];
  }
  return turned;
}

/**
 * Return [B, X, Y, Z] as [B, Y, X, Z].
 * @param {Tensor} tensor
 * @returns {Tensor}
 */
export function swapMiddleAxes({ shape: [batch, rows, columns, depth], values }) {
  const swapped = zeros([batch, columns, rows, depth]);
  for (let i = 0; i < values.length; i += depth) {
    const [item, row, column] = indexOf([batch, rows, columns], i / depth);
    const to = ((item * columns + column) * rows + row) * depth;
    swapped.values.set(values.subarray(i, i + depth), to);
  }
  return swapped;
}

/**
 * Return chosen rows of a matrix, in the order chosen.
 * @param {Tensor} matrix  [rows, columns]
 * @param {number[]} rows
 * @returns {Tensor}
 */
export function takeRows({ shape: [, width], values }, rows) {
  const taken = zeros([rows.length, width]);
  rows.forEach((row, i) =>
    taken.values.set(values.subarray(row * width, (row + 1) * width), i * width));
  return taken;
}

/**
 * Return chosen columns of a matrix, in the order chosen.
 * @param {Tensor} matrix     [rows, columns]
 * @param {number[]} columns
 * @returns {Tensor}
 */
export function takeColumns({ shape: [rows, width], values }, columns) {
  const taken = zeros([rows, columns.length]);
  return mapValues(taken, (_, i) => {
    const row = Math.floor(i / columns.length);
    return values[row * width + columns[i % columns.length]];
  });
}
