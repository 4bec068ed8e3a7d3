/**
 * What a model with a KV cache costs; sitegen/costs.py has the same formulas.
 *
 * @typedef {Record<"num_hidden_layers" | "num_attention_heads" | "num_key_value_heads"
 *   | "head_dim", number>} Sizes  config.json's names
 */

/**
 * Return the multiply-adds of a call of `fresh` positions after `stored` ones: logits
 * of all new rows; scores and mixture over the whole rectangle, masked cells too.
 * @param {Sizes & Record<"hidden_size" | "intermediate_size" | "vocab_size", number>
 *   } model
 * @param {number} fresh
 * @param {number} stored
 */
export function multiplyAdds(model, fresh, stored) {
  const { hidden_size: hidden, head_dim: headDim, num_hidden_layers: layers } = model;
  const { num_attention_heads: heads, num_key_value_heads: kvHeads } = model;
  const projections = 2 * hidden * (heads + kvHeads) * headDim;
  const feedForward = 3 * hidden * model.intermediate_size;
  const rows = layers * (projections + feedForward) + hidden * model.vocab_size;
  return fresh * rows + layers * 2 * heads * headDim * fresh * (stored + fresh);
}

/**
 * Return the bytes of the keys and values of `positions` tokens in every layer.
 * @param {Sizes} model
 * @param {number} positions
 * @param {number} itemBytes  of one number
 * @param {number} batch  sequences, each with positions of its own
 */
export function cacheBytes(model, positions, itemBytes, batch = 1) {
  return 2 * model.num_hidden_layers * model.num_key_value_heads * model.head_dim
    * positions * batch * itemBytes;
}
