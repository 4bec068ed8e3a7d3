/** The axes and units of a decoder's tensors, as model/tiny_llama.py has them. */

const AXES = {
  "batch position channel":
    "embedding attn_norm q_flat k_flat v_flat merged attn_out resid_mid mlp_norm " +
    "gate up silu mlp_act mlp_out resid_out final_norm",
  "batch head position channel": "q q_rotated heads",
  "batch kv_head position channel": "k k_rotated v",
  "batch head query key": "scores masked_scores weights",
  "batch position vocab": "logits",
  "batch vocab": "next_token_probs",
};

const DIMS = new Map(Object.entries(AXES).flatMap(([axes, names]) =>
  names.split(" ").map((name) => [name, axes.split(" ")])));

const UNITS = new Map([
  ["scores", "score"], ["masked_scores", "score"], ["weights", "probability"],
  ["logits", "logit"], ["next_token_probs", "probability"],
]);

/**
 * Return a tensor's name without its layer.
 * @param {string} name  as in "layers.0.weights"
 */
export function kindOf(name) {
  return name.slice(name.lastIndexOf(".") + 1);
}

/**
 * Return the names of a tensor's axes.
 * @param {string} name
 */
export function dimsOf(name) {
  return DIMS.get(kindOf(name)) ?? [];
}

/**
 * Return what a tensor's numbers are: "activation", "score", "probability", "logit".
 * @param {string} name
 */
export function unitOf(name) {
  return UNITS.get(kindOf(name)) ?? "activation";
}

/**
 * Return which axis counts the positions that compute a row; -1 where none does.
 * @param {string} name
 */
export function rowAxisOf(name) {
  return dimsOf(name).findIndex((axis) => axis === "position" || axis === "query");
}
