const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
export function svgElement(name, attributes) {
  return setAttributes(document.createElementNS(SVG, name), attributes);
}

/**
 * @template {Element} Node
 * @param {Node} node
 * @param {Record<string, string | number>} attributes
 */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, String(value));
  }
  return node;
}
