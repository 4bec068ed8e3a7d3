/**
 * Return the row and column of a picture that a pointer is on, the nearest where it is
 * beside it.
 * @param {MouseEvent} event
 * @param {Element} picture  one cell after another, all alike
 * @param {number} rows
 * @param {number} columns
 */
export function pointed(event, picture, rows, columns) {
  const { left, top, width, height } = picture.getBoundingClientRect();
  return {
    row: nearest((event.clientY - top) / height, rows),
    column: nearest((event.clientX - left) / width, columns),
  };
}

/**
 * @param {number} share  of the way across
 * @param {number} count
 */
function nearest(share, count) {
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1);
}
