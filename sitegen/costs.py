"""What a model with a KV cache costs: multiply-adds of a call, bytes of the cache.

model is a dict with config.json's names.  static/js/lib/costs.js has the same formulas;
tests/cases/costs.json holds both to them.
"""


def multiply_adds(model, new, stored):
    """Return the multiply-adds of a call of `new` positions after `stored` ones.

    Logits of all new rows; scores and mixture over the whole rectangle, masked cells
    too, as tiny_llama.py does.
    """
    hidden, head_dim = model["hidden_size"], model["head_dim"]
    heads, kv_heads = model["num_attention_heads"], model["num_key_value_heads"]
    projections = 2 * hidden * (heads + kv_heads) * head_dim
    feed_forward = 3 * hidden * model["intermediate_size"]
    layers = model["num_hidden_layers"]
    rows = layers * (projections + feed_forward) + hidden * model["vocab_size"]
    return new * rows + layers * 2 * heads * head_dim * new * (stored + new)


def cache_bytes(model, positions, item_bytes, batch=1):
    """Return the bytes of the keys and values of `positions` tokens in every layer.

    item_bytes  bytes of one number
    batch       sequences, each with positions of its own
    """
    return (2 * model["num_hidden_layers"] * model["num_key_value_heads"]
            * model["head_dim"] * positions * batch * item_bytes)
