import { setAttributes, svgElement } from "../../lib/svg.js";

/**
 * A rotated pair as an arrow that turns: the left channel to the right, the right one
 * upwards, both arrows as long as the circle's radius.
 *
 * @typedef {import("../../lib/terms.js").Opened} Opened
 * @typedef {import("./opened-words.js").Words} Words
 */

const RADIUS = 100;
const ARC_RADIUS = 36;
const HEAD = 12;
const HEAD_ANGLE = 0.08;
const NAME_RADIUS = 62;
const LABEL_RADIUS = 112;
const WHOLE_TURN = 2 * Math.PI;

/**
 * @param {SVGElement} svg
 * @param {Opened} opened  a rotation
 * @param {Words} words
 */
export function drawArrow(svg, { parts }, words) {
  const number = (/** @type {string} */ name) => Number(parts[name]);
  const before = Math.atan2(number("right"), number("left"));
  const after = before + number("angle");
  const axes = [
    svgElement("circle", { r: RADIUS, class: "circle" }),
    svgElement("path", { d: `M${-RADIUS} 0H${RADIUS}M0 ${-RADIUS}V${RADIUS}`,
      class: "axis" }),
    label(RADIUS, 0, words.axis("channel", number("left_channel")), "axis-x"),
    label(0, -LABEL_RADIUS, words.axis("channel", number("right_channel")), "axis-y"),
  ];
  const turned = number("angle") % WHOLE_TURN;
  const arc = svgElement("path", { d: arcPath(before, turned), class: "arc" });
  svg.replaceChildren(...axes, arc,
    ...arrow(before, words.say("before"), "before"),
    ...arrow(after, words.say("after"), "after"));
}

/**
 * @param {number} angle
 * @param {string} text
 * @param {string} kind
 */
function arrow(angle, text, kind) {
  const [x, y] = at(angle, RADIUS);
  const [from, to] = [HEAD_ANGLE, -HEAD_ANGLE].map((aside) =>
    at(angle + aside, RADIUS - HEAD).join(" "));
  return [
    svgElement("path", { d: `M0 0L${x} ${y}M${from}L${x} ${y}L${to}`,
      class: `arrow ${kind}` }),
    label(...at(angle, NAME_RADIUS), text, kind),
  ];
}

/**
 * @param {number} from
 * @param {number} angle  between -2π and 2π
 */
function arcPath(from, angle) {
  const [start, end] = [from, from + angle].map((turn) =>
    at(turn, ARC_RADIUS).join(" "));
  const large = Number(Math.abs(angle) > Math.PI);
  const clockwise = Number(angle < 0);
  const radii = `${ARC_RADIUS} ${ARC_RADIUS}`;
  return `M${start}A${radii} 0 ${large} ${clockwise} ${end}`;
}

/**
 * Return a point of the picture, whose y runs downwards.
 * @param {number} angle
 * @param {number} radius
 * @returns {[number, number]}
 */
function at(angle, radius) {
  return [radius * Math.cos(angle), -radius * Math.sin(angle)];
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 * @param {string} kind
 */
function label(x, y, text, kind) {
  const node = svgElement("text", { class: `name ${kind}` });
  setAttributes(node, { x, y });
  node.textContent = text;
  return node;
}
