import { svgElement } from "../../lib/svg.js";

/**
 * Draw a plot as templates/widgets/plot.html does: the same elements in the same order.
 *
 * @typedef {import("./picture.js").Picture} Picture
 * @typedef {import("./picture.js").Line} Line
 * @typedef {import("../../lib/plot-scales.js").Tick} Tick
 */

/**
 * Draw a picture into the drawing of an element, in place of what is there.
 * @param {Element} root
 * @param {Picture} picture
 */
export function drawPlot(root, picture) {
  const svg = /** @type {Element} */ (root.querySelector("svg"));
  const [title, says] = ["title", "desc"].map((name) =>
    /** @type {Element} */ (svg.querySelector(name)));
  title.textContent = picture.title;
  says.textContent = picture.says;
  const { level, chosen } = picture;
  svg.replaceChildren(title, says,
    group("x-ticks", picture.xTicks.flatMap(verticalTick)),
    group("y-ticks", picture.yTicks.flatMap(horizontalTick)),
    ...level ? [group("level", levelParts(level))] : [],
    polylines(picture.lines),
    group("names", picture.lines.map(nameOf)),
    ...chosen ? [group("chosen", chosenParts(chosen))] : []);
}

/**
 * @param {string} name
 * @param {Element[]} parts
 */
function group(name, parts) {
  const made = svgElement("g", { class: name });
  made.append(...parts);
  return made;
}

/**
 * @param {string} content
 * @param {Record<string, string | number>} attributes
 */
function text(content, attributes) {
  const made = svgElement("text", attributes);
  made.textContent = content;
  return made;
}

/** @param {Tick} tick */
function verticalTick({ at, text: words, minor }) {
  const x = `${at}%`;
  return [svgElement("line", { x1: x, x2: x, y2: "100%" }),
    text(words, { x, y: "100%", dy: "1.4em", ...minor ? { class: "minor" } : {} })];
}

/** @param {Tick} tick */
function horizontalTick({ at, text: words }) {
  const y = `${at}%`;
  return [svgElement("line", { y1: y, y2: y, x2: "100%" }),
    text(words, { x: 0, y, dx: "-.6em", dy: ".35em" })];
}

/** @param {{at: number, name: string}} level */
function levelParts({ at, name }) {
  const y = `${at}%`;
  return [svgElement("line", { y1: y, y2: y, x2: "100%" }),
    text(name, { x: 0, y, dx: ".5em", dy: "-.4em" })];
}

/** @param {Line[]} lines */
function polylines(lines) {
  const drawing = svgElement("svg",
    { class: "lines", viewBox: "0 0 100 100", preserveAspectRatio: "none" });
  drawing.append(...lines.map(({ style, points }) =>
    svgElement("polyline", { class: style, points: points.join(" ") })));
  return drawing;
}

/** @param {Line} line */
function nameOf({ style, name, points, nameAt }) {
  const [x] = points[points.length - 1];
  return text(name, {
    class: style, x: `${x}%`, y: `${nameAt}%`, dx: ".7em", dy: ".35em",
  });
}

/** @param {number[]} chosen */
function chosenParts([x, y]) {
  const [left, top] = [`${x}%`, `${y}%`];
  return [svgElement("line", { x1: left, x2: left, y1: top, y2: "100%" }),
    svgElement("circle", { cx: left, cy: top, r: 5 })];
}
