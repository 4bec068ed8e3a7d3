"""The named changes of content/changes.json, made of tiny_llama.py's own functions.

static/js/lib/changes.js has their twins.  A change gets a module of its own, whose
functions it may replace, and describes what runs in it.
"""

import math
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from tests.model.loading import load_model

OTHER_BASE = 100.0
ROUNDING = 1e-12            # of the largest value: below it nothing has moved


@dataclass(frozen=True)
class Described:
    """What a run is made of; `tap` is told each tensor, and what it returns goes on."""

    llama: ModuleType
    config: object
    weights: dict
    tokens: list
    tap: object


@dataclass(frozen=True)
class Place:
    """The position that a change is about, and the token that it puts there."""

    at: int
    to: int


def another(name):
    """Return the change that gives layer 0 another layer's matrix."""
    def change(described, place):
        other = described.weights[f"layers.1.{name}"]
        return replace(described, weights={**described.weights,
                                           f"layers.0.{name}": other})
    return change


def negated(name):
    """Return the change that turns one token's vector around, in layer 0."""
    def change(described, place):
        def tap(made, value):
            if made != f"layers.0.{name}":
                return value
            turned = value.copy()
            turned[:, :, place.at] *= -1.0
            return turned
        return replace(described, tap=tap)
    return change


def token(described, place):
    tokens = list(described.tokens)
    tokens[place.at] = place.to
    return replace(described, tokens=tokens)


def rope_off(described, place):
    def angles(position_ids, head_dim, theta):
        return np.zeros((len(position_ids), head_dim // 2))
    described.llama.rotary_angles = angles
    return described


def rope_base(described, place):
    return replace(described, config=replace(described.config, rope_theta=OTHER_BASE))


def pairs_unmatched(described, place):
    """Channels 2i and 2i + 1 are brought to where rotate() looks, and back."""
    halves = described.llama.rotate

    def adjacent(heads, cos, sin):
        sides = np.concatenate([heads[..., 0::2], heads[..., 1::2]], axis=-1)
        left, right = np.split(halves(sides, cos, sin), 2, axis=-1)
        return np.stack([left, right], axis=-1).reshape(heads.shape)
    described.llama.rotate = adjacent
    return described


def pairs_matching(described, place):
    half = described.config.head_dim // 2
    order = np.arange(2 * half).reshape(2, half).T.ravel()   # 0, half, 1, half + 1, …

    def reordered(matrix):
        heads = matrix.reshape(len(matrix), -1, 2 * half)
        return heads[..., order].reshape(matrix.shape)
    return pairs_unmatched(with_matrices(described, ("wq", "wk"), reordered), place)


def with_matrices(described, names, change):
    """Return a description with some of each layer's matrices changed."""
    weights = {name: change(matrix) if name.split(".")[-1] in names else matrix
               for name, matrix in described.weights.items()}
    return replace(described, weights=weights)


def key_heads(described, heads):
    """Return a description that reads keys and values from chosen KV heads."""
    def chosen(matrix):
        split = matrix.reshape(len(matrix), -1, described.config.head_dim)
        return split[:, heads].reshape(len(matrix), -1)
    config = replace(described.config, num_key_value_heads=len(heads))
    return replace(with_matrices(described, ("wk", "wv"), chosen), config=config)


def mha(described, place):
    c = described.config
    group_size = c.num_attention_heads // c.num_key_value_heads
    return key_heads(described, np.arange(c.num_attention_heads) // group_size)


def mqa(described, place):
    return key_heads(described, [0])


def scale_one(described, place):
    """Queries are scaled up before attention_weights() scales the scores down."""
    scaled = described.llama.attention_weights

    def unscaled(q, k, allowed, tap):
        return scaled(q * math.sqrt(q.shape[-1]), k, allowed, tap)
    described.llama.attention_weights = unscaled
    return described


def mask_off(described, place):
    masked = described.llama.attention_weights

    def unmasked(q, k, allowed, tap):
        return masked(q, k, np.ones_like(allowed), tap)
    described.llama.attention_weights = unmasked
    return described


CHANGES = {
    "another-wq": another("wq"), "another-wk": another("wk"),
    "another-wv": another("wv"), "token-q": negated("q"), "token-k": negated("k"),
    "token-v": negated("v"), "token": token, "rope-off": rope_off,
    "rope-base": rope_base, "pairs-matching": pairs_matching,
    "pairs-unmatched": pairs_unmatched, "mha": mha, "mqa": mqa,
    "scale-one": scale_one, "mask-off": mask_off,
}


def run_changed(config, weights, tokens, change=None, place=None):
    """Return every tensor of a run, by name; of a named change of it, where one is."""
    llama = load_model()
    described = Described(llama, llama.Config(**vars(config)), weights, tokens,
                          llama.pass_through)
    if change:
        described = CHANGES[change](described, place)
    made = {}

    def tap(name, value):
        made[name] = described.tap(name, value)
        return made[name]
    model = llama.TinyLlama(described.config, described.weights)
    logits = model([described.tokens], None, tap)
    made["next_token_probs"] = llama.next_token_probs(logits)
    return made


def moved_rows(before, after):
    """Return the positions of a tensor whose numbers moved; None for another shape.

    before, after  [batch, …]; positions are axis 1 of three axes and axis 2 of four,
                   and a tensor of two is about the last position, called -1
    """
    if before.shape != after.shape:
        return None
    finite = np.abs(before[np.isfinite(before)])
    unequal = before != after
    apart = np.zeros(before.shape)
    apart[unequal] = np.abs(after[unequal] - before[unequal])
    moved = apart > ROUNDING * finite.max()
    if moved.ndim == 2:
        return [-1] if moved.any() else []
    axis = 2 if moved.ndim == 4 else 1
    others = tuple(i for i in range(moved.ndim) if i != axis)
    return np.flatnonzero(moved.any(axis=others)).tolist()
