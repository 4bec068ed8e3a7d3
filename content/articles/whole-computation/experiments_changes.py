"""The numbers of "The whole computation" that tell what one change moves.

    python experiments_changes.py

Each function changes one thing of the small model and tells which tensors moved, and at
which positions.  It runs beside tiny_llama.py and needs NumPy alone.  The weights are
random: what moves follows from the arithmetic, not from what they are.
"""

import json

import numpy as np
from tiny_llama import Config, TinyLlama, draw_weights

SEED = 7
TOKENS = np.array([[1, 2, 3, 1, 4, 5]])
POSITION = 2                    # where one token's query, key, value or id is changed
TOKEN_AXES = {"q": 2, "k": 2, "v": 2, "q_rotated": 2, "k_rotated": 2, "scores": 2,
              "masked_scores": 2, "weights": 2, "heads": 2}


def run(weights, tokens=TOKENS, changes=None):
    """Return every tensor of one run by name.

    changes  name -> function that replaces this tensor on its way
    """
    tensors, changes = {}, changes or {}

    def tap(name, value):
        tensors[name] = changes[name](value) if name in changes else value
        return tensors[name]

    TinyLlama(Config(), weights)(tokens, None, tap)
    return tensors


def moved_rows(before, after, name):
    """Return the positions at which a tensor is not what it was, bit for bit.

    For scores and weights these are query positions, for all others token positions.
    """
    axis = TOKEN_AXES.get(name.split(".")[-1], 1)
    differs = before[name] != after[name]
    others = tuple(n for n in range(differs.ndim) if n != axis)
    return [int(row) for row in np.flatnonzero(differs.any(axis=others))]


def negated(value):
    """Return a tensor [1, H, T, dh] with the vectors at POSITION turned round."""
    changed = value.copy()
    changed[:, :, POSITION] *= -1
    return changed


def exchange(weights, name):
    """Return weights whose layer 0 has layer 1's matrix of that name."""
    return {**weights, f"layers.0.{name}": weights[f"layers.1.{name}"]}


def in_words(rows):
    """Return "2, 3, 4, 5", or "none"."""
    return ", ".join(map(str, rows)) or "none"


def rows_in_words(before, after, *names):
    """Return in_words of the rows that moved in each tensor."""
    return [in_words(moved_rows(before, after, name)) for name in names]


def moved_columns(before, after, name):
    """Return the key positions at which a table [1, H, T, S] moved."""
    return [int(key) for key in np.flatnonzero(
        (before[name] != after[name]).any(axis=(0, 1, 2)))]


# ------------------------------------------------------------------- what is printed
weights = draw_weights(Config(), SEED)
plain = run(weights)

# Another matrix in layer 0, taken from layer 1.
other_wq, other_wk, other_wv = (run(exchange(weights, name))
                                for name in ("wq", "wk", "wv"))
wq_weights, wq_next = rows_in_words(plain, other_wq, "layers.0.weights",
                                    "layers.1.weights")
wk_weights, wk_next = rows_in_words(plain, other_wk, "layers.0.weights",
                                    "layers.1.weights")
wv_scores, wv_weights, wv_heads, wv_next = rows_in_words(
    plain, other_wv, "layers.0.scores", "layers.0.weights", "layers.0.heads",
    "layers.1.weights")

# One token's vector in layer 0, turned round.
turned = {name: run(weights, changes={f"layers.0.{name}": negated}) for name in "qkv"}
q_weights, q_next = rows_in_words(plain, turned["q"], "layers.0.weights",
                                  "layers.1.weights")
k_weights, k_next = rows_in_words(plain, turned["k"], "layers.0.weights",
                                  "layers.1.weights")
k_columns = in_words(moved_columns(plain, turned["k"], "layers.0.scores"))
v_weights, v_heads = rows_in_words(plain, turned["v"], "layers.0.weights",
                                   "layers.0.heads")

# One token replaced.
replaced = TOKENS.copy()
replaced[0, POSITION] = 9
token = run(weights, replaced)
token_embedding, token_weights, token_resid, token_logits = rows_in_words(
    plain, token, "embedding", "layers.0.weights", "layers.0.resid_out", "logits")

if __name__ == "__main__":
    print(json.dumps({name: value for name, value in globals().items()
                      if isinstance(value, str) and not name.startswith("_")},
                     indent=1))
