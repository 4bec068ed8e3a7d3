"""A decoder for one sequence, written a second time for the tests of the article.

It shares no function with tiny_llama.py: every head has keys and values of its own,
every query its own loop, and a pair of channels is turned as one complex number.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Changes:
    """What an experiment changes in a run.

    positions   integers, one for each token, or None for 0, 1, 2, …
    allowed     function (query, key) -> bool
    factor      what the embeddings are multiplied by
    silenced    (layer, head) whose output is zero, or None
    replaced    {(layer, "q" | "k" | "v"): (position, vectors [heads, head_dim])}
    """

    positions: list | None = None
    allowed: object = lambda query, key: key <= query
    factor: float = 1.0
    silenced: tuple | None = None
    replaced: dict = field(default_factory=dict)


def forward(config, weights, token_ids, changes=None):
    """Return name -> tensor without the batch axis, named as in the trace.

    token_ids  T integers
    """
    changes = changes or Changes()
    made = {"embedding": changes.factor * np.array(
        [weights["embedding"][i] for i in token_ids], float)}
    state = made["embedding"]
    for layer in range(config.num_hidden_layers):
        w = {name.split(".")[2]: np.asarray(value, float)
             for name, value in weights.items() if name.startswith(f"layers.{layer}.")}
        new = attention(config, w, normalize(state, w["attn_norm"], config), changes,
                        layer)
        new["resid_mid"] = state + new["attn_out"]
        normed = normalize(new["resid_mid"], w["mlp_norm"], config)
        gate = normed @ w["w_gate"]
        state = new["resid_out"] = new["resid_mid"] + (
            gate / (1 + np.exp(-gate)) * (normed @ w["w_up"])) @ w["w_down"]
        made.update({f"layers.{layer}.{name}": value for name, value in new.items()})
    head = weights.get("lm_head", np.transpose(weights["embedding"]))
    made["logits"] = normalize(state, weights["final_norm"], config) @ head
    return made


def normalize(state, gain, config):
    """Return state [T, D] with each row divided by its root mean square."""
    return np.array([row / (row @ row / len(row) + config.rms_norm_eps) ** 0.5
                     for row in state]) * gain


def attention(config, w, normed, changes, layer):
    """Return q, k, v, scores, weights, heads and attn_out of one layer, by name."""
    length, dh = len(normed), config.head_dim
    positions = changes.positions or list(range(length))
    made = {"attn_norm": normed}
    for name in "qkv":
        flat = normed @ w["w" + name]
        heads = [flat[:, h * dh:(h + 1) * dh] for h in range(flat.shape[1] // dh)]
        made[name] = np.array(heads)                                 # [H, T, dh]
        if (layer, name) in changes.replaced:
            position, vectors = changes.replaced[layer, name]
            made[name][:, position] = vectors
    turned = {n: np.array([[turn(made[n][h, t], positions[t], config.rope_theta)
                            for t in range(length)] for h in range(len(made[n]))])
              for n in "qk"}
    count = config.num_attention_heads
    made["scores"] = np.empty((count, length, length))
    made["weights"] = np.zeros((count, length, length))
    made["heads"] = np.zeros((count, length, dh))
    for h in range(count):
        shared = h // (count // config.num_key_value_heads)
        made["scores"][h] = turned["q"][h] @ turned["k"][shared].T / dh ** 0.5
        for t in range(length):
            made["weights"][h, t] = shares(made["scores"][h, t], t, changes.allowed)
            made["heads"][h, t] = made["weights"][h, t] @ made["v"][shared]
        if changes.silenced == (layer, h):
            made["heads"][h] = 0.0
    merged = np.concatenate(list(made["heads"]), axis=1)             # [T, H * dh]
    made["attn_out"] = merged @ w["wo"]
    return made


def turn(vector, position, theta):
    """Return vector [dh] with (i, i + dh/2) turned, by complex multiplication."""
    half = len(vector) // 2
    pairs = vector[:half] + 1j * vector[half:]
    turned = pairs * np.exp(1j * position * theta ** (-np.arange(half) / half))
    return np.concatenate([turned.real, turned.imag])


def shares(scores, query, allowed):
    """Return softmax of the allowed scores of one row, zero for the others."""
    seen = [key for key in range(len(scores)) if allowed(query, key)]
    powers = {key: np.exp(scores[key] - max(scores[seen])) for key in seen}
    return np.array([powers.get(key, 0.0) / sum(powers.values())
                     for key in range(len(scores))])
