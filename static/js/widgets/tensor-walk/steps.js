/**
 * The steps of a walk, as the page lists them: those of a layer are taken in each.
 *
 * @typedef {object} Step
 * @property {string} id       as in the address: "scores"
 * @property {number | null} layer
 * @property {string} source   the mark of its lines in the model's file
 * @property {HTMLElement} element
 * @property {string[]} outputs  names of the tensors that it makes
 */

const STATE = "{state}"; // what a layer, or what follows the last one, begins with

/**
 * Return the name of a tensor in a layer.
 * @param {string} pattern  "layers.{layer}.scores", "{state}", "logits"
 * @param {number} layer    as many as there are, for what follows the last one
 */
export function nameIn(pattern, layer) {
  if (pattern !== STATE) return pattern.replace("{layer}", String(layer));
  return layer ? `layers.${layer - 1}.resid_out` : "embedding";
}

export class Steps {
  /**
   * @param {ParentNode} root
   * @param {number} layers
   */
  constructor(root, layers) {
    this.layers = layers;
    this.elements = /** @type {HTMLElement[]} */ (
      [...root.querySelectorAll(".walk-step")]);
    const inLayers = [...Array(layers).keys()].flatMap((layer) =>
      this.ofScope("layer", layer));
    this.all = [...this.ofScope("before", null), ...inLayers,
      ...this.ofScope("after", null)];
  }

  /**
   * @param {string} scope
   * @param {number | null} layer
   * @returns {Step[]}
   */
  ofScope(scope, layer) {
    const elements = this.elements.filter((element) => element.dataset.scope === scope);
    return elements.map((element) => ({
      id: element.dataset.step || "", layer, source: element.dataset.source || "",
      element, outputs: outputsOf(element).map((name) => nameIn(name, layer ?? 0)),
    }));
  }

  /**
   * Return the step of a state; its layer counts where the step is of a layer.
   * @param {{step: string, layer: number}} state
   */
  of({ step, layer }) {
    return this.all.find((found) =>
      found.id === step && (found.layer ?? layer) === layer);
  }

  /** @param {Step} step */
  numberOf(step) {
    return this.all.indexOf(step) + 1;
  }

  /**
   * Return the step before or after one, or undefined where the walk ends.
   * @param {Step} step
   * @param {number} by  1 or −1
   * @returns {Step | undefined}
   */
  beside(step, by) {
    return this.all[this.all.indexOf(step) + by];
  }

  /**
   * Return the step that makes a tensor.
   * @param {string} name
   */
  making(name) {
    return this.all.find((step) => step.outputs.includes(name));
  }

  /**
   * Return the id of the step that a name means: its own, or the mark of its lines.
   * @param {string} name
   */
  idOf(name) {
    const found = this.all.find((step) => step.id === name)
      ?? this.all.find((step) => step.source === name);
    return found?.id;
  }

  /** Return the names of all tensors that the steps make. */
  names() {
    return this.all.flatMap((step) => step.outputs);
  }

  /**
   * Return the layer that the names in a step's element are of.
   * @param {Step} step
   */
  layerOf(step) {
    const after = step.element.dataset.scope === "after";
    return after ? this.layers : step.layer ?? 0;
  }
}

/** @param {HTMLElement} element */
function outputsOf(element) {
  const boxes = element.querySelectorAll('[data-role="output"]');
  return [...boxes].map((box) => /** @type {HTMLElement} */ (box).dataset.tensor || "");
}
