/**
 * Return positions as ranges: "0, 2–4".
 * @param {number[]} positions  ascending
 */
export function rangesOf(positions) {
  /** @type {number[][]} */
  const ranges = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last?.at(-1) === position - 1) last[1] = position;
    else ranges.push([position]);
  }
  return ranges.map((range) => range.join("–")).join(", ");
}
