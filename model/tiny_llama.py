"""A Llama-style decoder in NumPy, written to be read from top to bottom.

Token ids go in; for every position a score for each possible next token comes
out.  On the way there the file shows RMSNorm, rotary position embeddings,
grouped-query attention with a key/value cache, SwiGLU and residual additions.

    python tiny_llama.py --verify --export-trace trace.json

The weights are random.  The file calculates what a Llama calculates, but it
has learned no language: the token labels are reading aids, and the seed was
picked for legible pictures.  Neither proves anything.

Axes, in the notes at the right edge (the trace spells their names out):

    B    batch items                     D    hidden_size
    T    query positions of this call    F    intermediate_size
    S    key positions, cached and new   V    vocab_size
    Hq   num_attention_heads             dh   head_dim
    Hkv  num_key_value_heads             G    group_size = Hq / Hkv

A comment "step: name — what it does" opens a step.  The step's lines run from
that comment to the next such comment, or to the first line that is indented
less.  Where a tensor of the trace carries the same name, the step makes it.
"""

import argparse
import base64
import cmath
import hashlib
import json
import math
import os
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Callable

import numpy as np

SEED = 7
TOKENS = (1, 2, 3, 1, 4, 5)
CAPACITY = 64                    # positions that the command line's cache holds
LABELS = (
    "a the river meets quiet sea and of in to stone light wind rain cloud hill "
    "road boat bird tree leaf night day warm cold slow deep blue sings falls "
    "waits home"
).split()


# ---------------------------------------------------------------- configuration

@dataclass(frozen=True)
class Config:
    """The sizes of a decoder, under the names of a Hugging Face config.json."""

    hidden_size: int = 32
    intermediate_size: int = 96
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 8
    vocab_size: int = 32
    rope_theta: float = 10000.0
    rms_norm_eps: float = 1e-6
    tie_word_embeddings: bool = True

    def __post_init__(self):
        """Raise ValueError for sizes with which attention is not defined."""
        for field in fields(self):
            if field.type is not bool and not getattr(self, field.name) > 0:
                raise ValueError(
                    f"{field.name} is {getattr(self, field.name)}, expected > 0")
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"{self.num_attention_heads} query heads do not divide evenly "
                f"among {self.num_key_value_heads} key/value heads")
        if self.head_dim % 2:
            raise ValueError(f"head_dim is {self.head_dim}: RoPE turns pairs")

    @property
    def group_size(self):
        """The number of query heads that share one key/value head."""
        return self.num_attention_heads // self.num_key_value_heads

    @classmethod
    def from_dict(cls, settings):
        """Return the Config of a parsed config.json; other keys are ignored.

        Older files leave out head_dim and num_key_value_heads; they mean
        hidden_size / num_attention_heads and num_attention_heads.
        """
        heads = settings["num_attention_heads"]
        derived = {"head_dim": settings["hidden_size"] // heads,
                   "num_key_value_heads": heads}
        known = {field.name for field in fields(cls)}
        given = {key: value for key, value in settings.items()
                 if key in known and value is not None}
        return cls(**{**derived, **given})


# ------------------------------------------------------------------- operations

def rms_norm(hidden, gain, eps):
    """Return each position's channels divided by their root mean square.

    hidden   [B, T, D]
    gain     [D]           learned, one factor per channel
    returns  [B, T, D]     the mean is not subtracted

    Zhang and Sennrich 2019.
    """
    # step: rms_norm — divide by the root mean square, then apply the gain
    mean_square = np.mean(hidden * hidden, axis=-1, keepdims=True)# [B, T, 1]
    return hidden / np.sqrt(mean_square + eps) * gain


def softmax(scores):
    """Return positive numbers that sum to one along the last axis.

    Subtracting the largest score changes no result and keeps exp in range.
    """
    # step: softmax — exponentials, divided by their sum over the keys
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def silu(hidden):
    """Return x / (1 + exp(-x)) for every number x of hidden."""
    # exp may overflow to infinity here: x / infinity is the 0 that we want.
    with np.errstate(over="ignore"):
        return hidden / (1.0 + np.exp(-hidden))


def rotary_angles(position_ids, head_dim, theta):
    """Return the angle by which each position turns each pair of channels.

    position_ids  [T] of int
    returns       [T, dh/2]     radians, float64: large positions need it

    Pair 0 turns by one radian per position, later pairs ever more slowly.
    Su et al. 2021, section 3.2.2.
    """
    # step: angles — position times frequency, one frequency for each pair
    pair = np.arange(head_dim // 2)
    frequencies = theta ** (-2.0 * pair / head_dim)        # [dh/2]
    return position_ids[:, None] * frequencies             # [T, dh/2]


def rotate(heads, cos, sin):
    """Return heads with channel i and channel i + dh/2 turned as a pair.

    heads     [B, H, T, dh]
    cos, sin  [T, dh/2]
    returns   [B, H, T, dh]

    Checkpoints trained with neighbours (2i, 2i + 1) as pairs need their
    columns of wq and wk reordered first.
    """
    # step: rotate — turn pairs (0, dh/2), (1, dh/2 + 1), … in their planes
    left, right = np.split(heads, 2, axis=-1)              # [B, H, T, dh/2]
    return np.concatenate(
        [left * cos - right * sin, right * cos + left * sin], axis=-1)


def split_heads(flat, head_dim):
    """Return [B, T, H·dh] as [B, H, T, dh].

    reshape names the head axis and moves nothing; swapaxes moves it.
    """
    # step: split_heads — cut the channels into heads, heads before positions
    batch, length, _ = flat.shape
    return flat.reshape(batch, length, -1, head_dim).swapaxes(1, 2)


def merge_heads(heads):
    """Return [B, H, T, dh] as [B, T, H·dh], the way back from split_heads."""
    # step: merge_heads — positions before heads, then one row of channels
    batch, _, length, _ = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, length, -1)


# -------------------------------------------------------------------- attention

def pass_through(name, value):
    """Return value: the tap of a run that records nothing."""
    return value


def attention_weights(q, k, allowed, tap=pass_through):
    """Return how much each query position takes from each key position.

    q        [B, Hq, T, dh]     rotated
    k        [B, Hkv, S, dh]    rotated
    allowed  [T, S] of bool     True where the query may look
    returns  [B, Hq, T, S]      probabilities, each row sums to 1

    Raises ValueError unless Hq is a multiple of Hkv.  Vaswani et al. 2017,
    section 3.2.1; Ainslie et al. 2023.
    """
    batch, heads, length, head_dim = q.shape
    kv_heads = k.shape[1]
    if heads % kv_heads:
        raise ValueError(f"{heads} query heads cannot share {kv_heads} "
                         "key/value heads evenly")
    # step: scores — compare each query with every key of its key/value head
    grouped = q.reshape(batch, kv_heads, -1, length, head_dim)
    products = grouped @ k[:, :, None].swapaxes(-1, -2)    # [B, Hkv, G, T, S]
    scores = products.reshape(batch, heads, length, -1)    # [B, Hq, T, S]
    scores = tap("scores", scores * head_dim ** -0.5)
    # step: masked_scores — a key that may not be seen scores minus infinity
    masked = tap("masked_scores", np.where(allowed, scores, -np.inf))
    # step: weights — softmax along the keys makes every row sum to one
    return tap("weights", softmax(masked))


def mix_values(weights, v, tap=pass_through):
    """Return for each query the sum of values, each times its weight.

    weights  [B, Hq, T, S]
    v        [B, Hkv, S, dh]    not rotated
    returns  [B, Hq, T, dh]
    """
    # step: heads — weigh the values of the shared key/value head and add them
    batch, heads, length, keys = weights.shape
    grouped = weights.reshape(batch, v.shape[1], -1, length, keys)
    mixed = grouped @ v[:, :, None]                        # [B, Hkv, G, T, dh]
    return tap("heads", mixed.reshape(batch, heads, length, -1))


# ----------------------------------------------------------------- feed-forward

def feed_forward(normed, weights, tap=pass_through):
    """Return the SwiGLU update: channels mixed, each position on its own.

    normed   [B, T, D]
    weights  w_gate and w_up [D, F], w_down [F, D]
    returns  [B, T, D]

    Shazeer 2020.
    """
    # step: gate — two expansions of the same state, from D to F channels
    gate = tap("gate", normed @ weights["w_gate"])
    up = tap("up", normed @ weights["w_up"])               # [B, T, F]
    # step: mlp_act — SiLU of one branch opens or closes the other
    active = tap("mlp_act", silu(gate) * up)               # [B, T, F]
    # step: mlp_out — back to D channels
    return tap("mlp_out", active @ weights["w_down"])


# ------------------------------------------------------------------------ cache

class Cache:
    """The keys and values of earlier positions, in arrays made once.

    keys, values  [layers, B, Hkv, capacity, dh]    keys rotated, values not
    length        positions filled so far, the same in every layer

    Position ids come from here alone: first_position plus the length.
    """

    def __init__(self, config, batch, capacity, *, dtype=np.float64,
                 first_position=0):
        shape = (config.num_hidden_layers, batch, config.num_key_value_heads,
                 capacity, config.head_dim)
        self.keys = np.zeros(shape, dtype)
        self.values = np.zeros(shape, dtype)
        self.length = 0
        self.first_position = first_position

    def positions(self, count):
        """Return the ids of the next count positions and of all keys then.

        returns  [T] of int, [S] of int

        Raises ValueError if the cache has no room for them.
        """
        end, capacity = self.length + count, self.keys.shape[3]
        if end > capacity:
            raise ValueError(f"{count} more tokens after {self.length} do not "
                             f"fit a cache of {capacity} positions")
        key_positions = self.first_position + np.arange(end)
        return key_positions[self.length:], key_positions

    def write(self, layer, k, v):
        """Store new keys and values; return views of all, old and new.

        k, v     [B, Hkv, T, dh]
        returns  [B, Hkv, S, dh], twice

        Raises ValueError if k is of another batch than the cache.
        """
        if k.shape[0] != self.keys.shape[1]:
            raise ValueError(f"a batch of {k.shape[0]} does not fit a cache for "
                             f"a batch of {self.keys.shape[1]}")
        end = self.length + k.shape[2]
        self.keys[layer, :, :, self.length:end] = k
        self.values[layer, :, :, self.length:end] = v
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]

    @property
    def payload_bytes(self):
        """The bytes of the filled part, counted from the arrays."""
        filled = np.s_[:, :, :, :self.length]
        return self.keys[filled].nbytes + self.values[filled].nbytes


# ----------------------------------------------------------------------- model

@dataclass(frozen=True)
class Call:
    """What the layers share while one call runs."""

    cos: np.ndarray
    sin: np.ndarray
    allowed: np.ndarray
    cache: Cache
    tap: Callable

    def layer_tap(self, layer):
        """Return the tap under which this layer's tensors are known."""
        return lambda name, value: self.tap(f"layers.{layer}.{name}", value)


class TinyLlama:
    """A decoder with given weights, whose names are in parameter_shapes."""

    def __init__(self, config, weights, dtype=np.float64):
        """Raises ValueError if a weight is missing or has another shape."""
        shapes = parameter_shapes(config)
        for name, shape in shapes.items():
            found = np.shape(weights[name]) if name in weights else "missing"
            if found != shape:
                raise ValueError(f"weight {name}: {found}, expected {shape}")
        self.config = config
        self.dtype = np.dtype(dtype)
        self.weights = {name: weights[name].astype(dtype) for name in shapes}

    def layer_weights(self, layer):
        """Return this layer's weights under their short names."""
        return {name: self.weights[f"layers.{layer}.{name}"]
                for name in layer_shapes(self.config)}

    def new_cache(self, batch, capacity, first_position=0):
        """Return an empty Cache that fits this model."""
        return Cache(self.config, batch, capacity, dtype=self.dtype,
                     first_position=first_position)

    def __call__(self, token_ids, cache=None, tap=pass_through):
        """Return the logits: row t scores each candidate for position t + 1.

        token_ids  [B, T] of int    what follows the tokens of the cache
        cache      gets filled; without one the tokens are a whole sequence
        tap        is called as tap(name, tensor) for each tensor on the way
        returns    [B, T, V]

        Raises ValueError for ids outside the vocabulary or a full cache.
        """
        token_ids = check_token_ids(token_ids, self.config.vocab_size)
        batch, length = token_ids.shape
        if cache is None:
            cache = self.new_cache(batch, length)
        # step: positions — count on from the cache; nothing later may be seen
        query_positions, key_positions = cache.positions(length)
        allowed = key_positions <= query_positions[:, None]
        angles = rotary_angles(query_positions, self.config.head_dim,
                               self.config.rope_theta)
        call = Call(np.cos(angles).astype(self.dtype),
                    np.sin(angles).astype(self.dtype), allowed, cache, tap)
        # step: embedding — look up one row of the table for each token
        hidden = tap("embedding", self.weights["embedding"][token_ids])
        # step: layers — each layer reads the states that the last one left
        for layer in range(self.config.num_hidden_layers):
            hidden = self.decoder_layer(layer, hidden, call)
        cache.length += length
        # step: final_norm — one more norm, with a gain of its own
        normed = tap("final_norm", rms_norm(
            hidden, self.weights["final_norm"], self.config.rms_norm_eps))
        # step: logits — compare the state with every row of the embedding
        tied = self.config.tie_word_embeddings
        head = self.weights["embedding"].T if tied else self.weights["lm_head"]
        return tap("logits", normed @ head)

    def decoder_layer(self, layer, hidden, call):
        """Return hidden, [B, T, D], with both updates of one layer added."""
        weights, tap = self.layer_weights(layer), call.layer_tap(layer)
        eps = self.config.rms_norm_eps
        # step: attn_norm — bring each state to a root mean square of one
        normed = tap("attn_norm", rms_norm(hidden, weights["attn_norm"], eps))
        update = self.attention_update(layer, normed, call)
        # step: resid_mid — add the update to the state before its norm
        hidden = tap("resid_mid", hidden + update)
        # step: mlp_norm — the second norm, with a gain of its own
        normed = tap("mlp_norm", rms_norm(hidden, weights["mlp_norm"], eps))
        update = feed_forward(normed, weights, tap)
        # step: resid_out — add the second update to the same stream
        return tap("resid_out", hidden + update)

    def attention_update(self, layer, normed, call):
        """Return what attention adds to the stream, [B, T, D]."""
        weights, tap = self.layer_weights(layer), call.layer_tap(layer)
        head_dim = self.config.head_dim
        # step: projections — three linear maps of the same normalized state
        q = tap("q", split_heads(normed @ weights["wq"], head_dim))
        k = tap("k", split_heads(normed @ weights["wk"], head_dim))
        v = tap("v", split_heads(normed @ weights["wv"], head_dim))
        # step: q_rotated — turn queries and keys by their position, not values
        q = tap("q_rotated", rotate(q, call.cos, call.sin))
        k = tap("k_rotated", rotate(k, call.cos, call.sin))
        # step: cache — keep the new keys and values, go on with all of them
        k, v = call.cache.write(layer, k, v)
        shares = attention_weights(q, k, call.allowed, tap)
        heads = mix_values(shares, v, tap)
        # step: merged — lay the heads of a position side by side again
        merged = tap("merged", merge_heads(heads))
        # step: attn_out — mix the heads into an update of the stream
        return tap("attn_out", merged @ weights["wo"])


def next_token_probs(logits):
    """Return the distribution of the next token, [B, V], from [B, T, V].

    Choosing a token from it is a separate step, which attention has no part in.
    """
    # step: next_token_probs — softmax over the vocabulary, last position only
    return softmax(logits[:, -1])


def check_token_ids(token_ids, vocab_size):
    """Return token_ids as an array [B, T] or raise ValueError."""
    token_ids = np.asarray(token_ids)
    if token_ids.ndim != 2 or token_ids.size == 0:
        raise ValueError(
            f"token ids of shape {token_ids.shape}, expected [B, T], not empty")
    if token_ids.min() < 0 or token_ids.max() >= vocab_size:
        outside = token_ids[(token_ids < 0) | (token_ids >= vocab_size)][0]
        raise ValueError(f"token {outside} is outside 0..{vocab_size - 1}")
    return token_ids


# --------------------------------------------------------------------- weights

def layer_shapes(config):
    """Return the shape of each weight of one layer; matrices are [in, out]."""
    D, F = config.hidden_size, config.intermediate_size
    queries = config.num_attention_heads * config.head_dim
    keys = config.num_key_value_heads * config.head_dim
    return {"attn_norm": (D,), "wq": (D, queries), "wk": (D, keys),
            "wv": (D, keys), "wo": (queries, D), "mlp_norm": (D,),
            "w_gate": (D, F), "w_up": (D, F), "w_down": (F, D)}


def parameter_shapes(config):
    """Return the shape of every weight of the model, by name, in order."""
    D, V = config.hidden_size, config.vocab_size
    shapes = {"embedding": (V, D)}
    for layer in range(config.num_hidden_layers):
        for name, shape in layer_shapes(config).items():
            shapes[f"layers.{layer}.{name}"] = shape
    shapes["final_norm"] = (D,)
    if not config.tie_word_embeddings:
        shapes["lm_head"] = (D, V)
    return shapes


def draw_weights(config, seed=SEED):
    """Return random weights by name, float32, the same for the same seed.

    Matrices are normal with standard deviation 1 / sqrt(fan_in).  The
    embedding counts hidden_size as its fan_in: it is the output matrix too.
    Gains lie around one, not at one, which would hide a forgotten gain.
    """
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in parameter_shapes(config).items():
        noise = rng.normal(size=shape)
        fan_in = config.hidden_size if name == "embedding" else shape[0]
        is_gain = len(shape) == 1
        value = 1.0 + 0.1 * noise if is_gain else noise * fan_in ** -0.5
        weights[name] = value.astype(np.float32)
    return weights


# -------------------------------------------------- reference: loops over scalars

def loop_product(row, matrix):
    """Return row @ matrix."""
    return [sum(a * b for a, b in zip(row, column)) for column in zip(*matrix)]


def loop_norm(row, gain, eps):
    """Return row over its root mean square, times gain."""
    root = math.sqrt(sum(a * a for a in row) / len(row) + eps)
    return [a / root * g for a, g in zip(row, gain)]


def loop_turn(head, position, theta):
    """Return a head with each pair turned as one complex number."""
    half = len(head) // 2
    turned = [complex(head[i], head[i + half])
              * cmath.exp(1j * position * theta ** (-i / half))
              for i in range(half)]
    return [z.real for z in turned] + [z.imag for z in turned]


def loop_shares(scores):
    """Return each score's share of the exponentials."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def loop_attention(config, w, normed):
    """Return the attention tensors of one layer; lists go [position][head]."""
    dh, group, T = config.head_dim, config.group_size, range(len(normed))
    made = {}
    for name in "qkv":
        rows = [loop_product(row, w["w" + name]) for row in normed]
        made[name] = [[row[i:i + dh] for i in range(0, len(row), dh)]
                      for row in rows]
    for name in "qk":
        made[name + "_rotated"] = [
            [loop_turn(head, t, config.rope_theta) for head in made[name][t]]
            for t in T]
    q, k, v = made["q_rotated"], made["k_rotated"], made["v"]
    H = range(config.num_attention_heads)
    made["scores"] = scores = [
        [[sum(a * b for a, b in zip(q[t][h], k[s][h // group])) / math.sqrt(dh)
          for s in T] for h in H] for t in T]
    made["masked_scores"] = masked = [
        [[scores[t][h][s] if s <= t else -math.inf for s in T] for h in H]
        for t in T]
    made["weights"] = weights = [[loop_shares(row) for row in heads]
                                 for heads in masked]
    made["heads"] = [
        [[sum(weights[t][h][s] * v[s][h // group][c] for s in T)
          for c in range(dh)] for h in H] for t in T]
    made["merged"] = [sum(heads, []) for heads in made["heads"]]
    made["attn_out"] = [loop_product(row, w["wo"]) for row in made["merged"]]
    return made


def loop_layer(config, w, x):
    """Return all tensors of one layer that reads the rows x."""
    eps, made = config.rms_norm_eps, {}

    def add(rows, updates):
        return [[a + b for a, b in zip(*pair)] for pair in zip(rows, updates)]

    made["attn_norm"] = [loop_norm(row, w["attn_norm"], eps) for row in x]
    made.update(loop_attention(config, w, made["attn_norm"]))
    made["resid_mid"] = add(x, made["attn_out"])
    normed = [loop_norm(row, w["mlp_norm"], eps) for row in made["resid_mid"]]
    made["mlp_norm"] = normed
    made["gate"] = [loop_product(row, w["w_gate"]) for row in normed]
    made["up"] = [loop_product(row, w["w_up"]) for row in normed]
    made["mlp_act"] = [[g / (1 + math.exp(-g)) * u for g, u in zip(*pair)]
                       for pair in zip(made["gate"], made["up"])]
    made["mlp_out"] = [loop_product(row, w["w_down"]) for row in made["mlp_act"]]
    made["resid_out"] = add(made["resid_mid"], made["mlp_out"])
    return made


def reference_tensors(config, weights, token_ids):
    """Return every tensor of one sequence, from loops over single numbers.

    It shares no function with the model and keeps no cache, so a mistake in
    one of them is not repeated in the other.

    token_ids  T integers
    returns    name -> array without the batch axis, float64
    """
    w = {name: weight.tolist() for name, weight in weights.items()}
    x = [w["embedding"][i] for i in token_ids]
    made = {"embedding": x}
    for layer in range(config.num_hidden_layers):
        at = f"layers.{layer}."
        of_layer = {name[len(at):]: weight for name, weight in w.items()
                    if name.startswith(at)}
        for name, rows in loop_layer(config, of_layer, x).items():
            made[at + name] = rows
        x = made[at + "resid_out"]
    made["final_norm"] = [loop_norm(row, w["final_norm"], config.rms_norm_eps)
                          for row in x]
    head = w.get("lm_head") or list(zip(*w["embedding"]))
    made["logits"] = [loop_product(row, head) for row in made["final_norm"]]
    made["next_token_probs"] = loop_shares(made["logits"][-1])
    arrays = {name: np.array(rows) for name, rows in made.items()}
    return {name: array.swapaxes(0, 1) if array.ndim == 3 else array
            for name, array in arrays.items()}


# --------------------------------------------------------------------- recording

LAYER_AXES = {
    "attn_norm": "B T D", "q": "B Hq T dh", "k": "B Hkv T dh", "v": "B Hkv T dh",
    "q_rotated": "B Hq T dh", "k_rotated": "B Hkv T dh", "scores": "B Hq T S",
    "masked_scores": "B Hq T S", "weights": "B Hq T S", "heads": "B Hq T dh",
    "merged": "B T Hq*dh", "attn_out": "B T D", "resid_mid": "B T D",
    "mlp_norm": "B T D", "gate": "B T F", "up": "B T F", "mlp_act": "B T F",
    "mlp_out": "B T D", "resid_out": "B T D",
}
AXIS_NAMES = {"B": "batch", "Hq": "head", "Hkv": "kv_head", "T": "position",
              "S": "key", "V": "vocab"}                  # all others: channel
UNITS = {"scores": "score", "masked_scores": "score", "weights": "probability",
         "logits": "logit", "next_token_probs": "probability"}


def tensor_axes(config):
    """Return the axis letters of every tensor by name, in order of making."""
    axes = {"embedding": "B T D"}
    for layer in range(config.num_hidden_layers):
        for name, letters in LAYER_AXES.items():
            axes[f"layers.{layer}.{name}"] = letters
    axes.update(final_norm="B T D", logits="B T V", next_token_probs="B V")
    return {name: letters.split() for name, letters in axes.items()}


def record_tensors(model, token_ids, cache=None):
    """Return every tensor of one call by name."""
    made = {}

    def tap(name, value):
        made[name] = value
        return value

    tap("next_token_probs", next_token_probs(model(token_ids, cache, tap)))
    return made


# ------------------------------------------------------------------------ checks

LIMITS = {"float64": 1e-11, "float32": 5e-6}
RELATIVE = "of the largest value"
ARTICLE = (Config(), ((1, 2, 3, 1, 4, 5), (6, 5, 6, 7, 31, 0)))
# The article's sizes coincide (32 channels, 32 = 4 x 8, 32 tokens), and what
# coincides can be exchanged by mistake.  Here no two sizes are equal.
ALL_DIFFERENT = (
    Config(hidden_size=28, intermediate_size=44, num_hidden_layers=4,
           num_attention_heads=6, num_key_value_heads=2, head_dim=10,
           vocab_size=37, rope_theta=500.0, rms_norm_eps=1e-3,
           tie_word_embeddings=False),
    tuple(tuple((3 * b * t + 5 * b + t * t) % 37 for t in range(7))
          for b in range(5)))


@dataclass(frozen=True)
class Case:
    """One model, a batch of different sequences, and what they should give."""

    model: TinyLlama
    token_ids: np.ndarray
    made: dict
    expected: list

    def layers(self, *names):
        """Yield the named tensors of each layer in turn."""
        for layer in range(self.model.config.num_hidden_layers):
            yield [self.made[f"layers.{layer}.{name}"] for name in names]


def build_cases(seed):
    """Return the cases of each dtype: article's sizes, then all different."""
    cases = {dtype: [] for dtype in LIMITS}
    for config, token_ids in (ARTICLE, ALL_DIFFERENT):
        weights = draw_weights(config, seed)
        expected = [reference_tensors(config, weights, row) for row in token_ids]
        for dtype in LIMITS:
            model, ids = TinyLlama(config, weights, dtype), np.array(token_ids)
            made = record_tensors(model, ids)
            cases[dtype].append(Case(model, ids, made, expected))
    return cases


def largest_difference(found, expected):
    """Return the largest difference over the largest finite expected value."""
    if found.shape != expected.shape:
        return math.inf
    different = found != expected               # leaves out equal infinities
    if not different.any():
        return 0.0
    difference = np.abs(found[different].astype(float) - expected[different])
    return np.max(difference) / np.max(np.abs(expected[np.isfinite(expected)]))


def logits_in_chunks(model, token_ids, chunks, first_position=0):
    """Return the logits of one sequence given piece by piece, [B, T, V]."""
    cache = model.new_cache(len(token_ids), sum(chunks), first_position)
    ends = np.cumsum(chunks)
    return np.concatenate([model(token_ids[:, end - size:end], cache)
                           for end, size in zip(ends, chunks)], axis=1)


def check_shapes(case):
    """Return how many tensors lack the shape that their axes say."""
    c, (B, T) = case.model.config, case.token_ids.shape
    sizes = {"B": B, "T": T, "S": T, "D": c.hidden_size, "dh": c.head_dim,
             "Hq": c.num_attention_heads, "Hkv": c.num_key_value_heads,
             "Hq*dh": c.num_attention_heads * c.head_dim,
             "F": c.intermediate_size, "V": c.vocab_size}
    return sum(case.made[name].shape != tuple(sizes[axis] for axis in axes)
               for name, axes in tensor_axes(c).items())


def check_dtype(case):
    """Return how many tensors, cached calls included, have another dtype."""
    cache = case.model.new_cache(*case.token_ids.shape)
    case.model(case.token_ids[:, :-1], cache)
    last = record_tensors(case.model, case.token_ids[:, -1:], cache)
    arrays = [*case.made.values(), *last.values(), cache.keys, cache.values]
    return sum(array.dtype != case.model.dtype for array in arrays)


def check_rows(case):
    """Return how far a row of weights is from summing to one."""
    return np.max([np.abs(weights.sum(axis=-1) - 1.0)
                   for weights, in case.layers("weights")])


def check_first_row(case):
    """Return how far the first query's row is from [1, 0, 0, …]."""
    first = np.eye(case.token_ids.shape[1])[0]
    return np.max([np.abs(weights[:, :, 0] - first)
                   for weights, in case.layers("weights")])


def check_forbidden(case):
    """Return the largest weight that a query gives to a later position."""
    later = ~np.tri(case.token_ids.shape[1], dtype=bool)
    return np.max([np.abs(weights[..., later])
                   for weights, in case.layers("weights")])


def check_reference(case):
    """Return the largest difference from loops over single numbers."""
    return np.max([largest_difference(case.made[name][item], tensor)
                   for item, tensors in enumerate(case.expected)
                   for name, tensor in tensors.items()])


def check_grouped(case):
    """Return the difference from keys and values repeated for every head."""
    group, differences = case.model.config.group_size, []
    allowed = np.tri(case.token_ids.shape[1], dtype=bool)
    for q, k, v, weights, heads in case.layers(
            "q_rotated", "k_rotated", "v", "weights", "heads"):
        k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
        plain = attention_weights(q, k, allowed)
        differences += [largest_difference(weights, plain),
                        largest_difference(heads, mix_values(plain, v))]
    return np.max(differences)


def check_einsum(case):
    """Return the difference from the article's einsum."""
    B, T = case.token_ids.shape
    Hkv, dh = case.model.config.num_key_value_heads, case.model.config.head_dim
    allowed, differences = np.tri(T, dtype=bool), []
    for q, k, v, weights, heads in case.layers(
            "q_rotated", "k_rotated", "v", "weights", "heads"):
        scores = np.einsum("bgrtd,bgsd->bgrts",
                           q.reshape(B, Hkv, -1, T, dh), k) / math.sqrt(dh)
        powers = np.exp(np.where(allowed, scores, -np.inf))
        plain = powers / powers.sum(axis=-1, keepdims=True)
        mixed = np.einsum("bgrts,bgsd->bgrtd", plain, v)
        differences += [largest_difference(weights, plain.reshape(weights.shape)),
                        largest_difference(heads, mixed.reshape(heads.shape))]
    return np.max(differences)


def check_cached(case):
    """Return the difference between single tokens and one call."""
    single = [1] * case.token_ids.shape[1]
    return largest_difference(
        logits_in_chunks(case.model, case.token_ids, single), case.made["logits"])


def check_chunks(case):
    """Return the largest difference between several chunkings and one call."""
    T = case.token_ids.shape[1]
    chunkings = [1, T - 1], [T - 1, 1], [2, T - 2], [T - 3, 1, 2], [1, T - 3, 2]
    return np.max([
        largest_difference(logits_in_chunks(case.model, case.token_ids, chunks),
                           case.made["logits"]) for chunks in chunkings])


def check_future(case):
    """Return how far a changed token moves the logits before it."""
    logits, differences = case.made["logits"], []
    for position in range(1, case.token_ids.shape[1]):
        changed = case.token_ids.copy()
        changed[:, position] = (changed[:, position] + 1) % 11
        differences.append(largest_difference(
            case.model(changed)[:, :position], logits[:, :position]))
    return np.max(differences)


def check_batch(case):
    """Return the difference between an item alone and in its batch."""
    return np.max([
        largest_difference(case.model(case.token_ids[item:item + 1])[0], logits)
        for item, logits in enumerate(case.made["logits"])])


def check_shift(case):
    """Return how far the logits move when all positions grow by 7 or 100."""
    T = case.token_ids.shape[1]
    return np.max([
        largest_difference(logits_in_chunks(case.model, case.token_ids, [T], first),
                           case.made["logits"]) for first in (7, 100)])


def check_repeat(case):
    """Return the difference between two calls of the same model."""
    return largest_difference(case.model(case.token_ids), case.made["logits"])


def check_cache_bytes(case):
    """Return counted bytes minus 2 · layers · B · Hkv · T · dh · itemsize."""
    c, (B, T) = case.model.config, case.token_ids.shape
    cache = case.model.new_cache(B, T + 3)
    case.model(case.token_ids, cache)
    formula = (2 * c.num_hidden_layers * B * c.num_key_value_heads * T
               * c.head_dim * case.model.dtype.itemsize)
    return abs(cache.payload_bytes - formula)


CHECKS = (
    ("shapes", check_shapes, "tensors",
     "every tensor has the shape that its axes say"),
    ("dtype", check_dtype, "tensors",
     "no tensor leaves the dtype of the run, cached calls included"),
    ("rows", check_rows, "of one", "every row of weights sums to one"),
    ("first_row", check_first_row, "weight",
     "the first query sees only itself: its row is [1, 0, 0, …]"),
    ("forbidden", check_forbidden, "weight",
     "no query gives any weight to a later position"),
    ("reference", check_reference, RELATIVE,
     "every tensor agrees with loops over single numbers"),
    ("grouped", check_grouped, RELATIVE,
     "grouped attention equals keys and values repeated for every head"),
    ("einsum", check_einsum, RELATIVE,
     "grouped attention equals the article's einsum"),
    ("cached", check_cached, RELATIVE,
     "one token at a time through the cache equals one call"),
    ("chunks", check_chunks, RELATIVE,
     "chunks of other sizes through the cache equal one call"),
    ("future", check_future, RELATIVE,
     "a changed token moves no logits at earlier positions"),
    ("batch", check_batch, RELATIVE,
     "an item alone equals the same item in a batch"),
    ("shift", check_shift, RELATIVE,
     "all positions moved by 7 or by 100 leave the logits"),
    ("repeat", check_repeat, RELATIVE,
     "the same model gives the same logits twice, to the last bit"),
    ("cache_bytes", check_cache_bytes, "bytes",
     "the bytes counted in the cache are those of the formula"),
)
EXACT = {"shapes", "dtype", "first_row", "forbidden", "repeat", "cache_bytes"}


def run_checks(seed=SEED):
    """Yield one record per claim and precision: the worst of both sizes.

    A claim that must hold exactly has the limit 0 and one record.
    """
    cases = build_cases(seed)
    for check_id, measure, unit, claim in CHECKS:
        exact = check_id in EXACT
        for dtypes in [tuple(LIMITS)] if exact else [(name,) for name in LIMITS]:
            worst = float(np.max([measure(case) for dtype in dtypes
                                  for case in cases[dtype]]))
            limit = 0.0 if exact else LIMITS[dtypes[0]]
            suffix = "-float32" if dtypes == ("float32",) else ""
            yield {"id": check_id + suffix, "claim": claim,
                   "measured": float(f"{worst:.0e}"), "limit": limit,
                   "unit": unit, "passed": worst <= limit,
                   "dtype": " and ".join(dtypes)}


# ------------------------------------------------------------------------- trace

def plain_number(value):
    """Return value with six decimals, or as text where JSON has no number."""
    if math.isfinite(value):
        return round(float(value), 6) + 0.0     # + 0.0 turns -0.0 into 0.0
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def tensor_record(name, array, letters):
    """Return a tensor as the trace has it: axes, shape, unit, flat values."""
    names = {**AXIS_NAMES, "T": "query"} if "S" in letters else AXIS_NAMES
    return {"dims": [names.get(letter, "channel") for letter in letters],
            "shape": list(array.shape),
            "unit": UNITS.get(name.split(".")[-1], "activation"),
            "values": [plain_number(value) for value in array.ravel()]}


def parameter_record(weight):
    """Return a weight as float32 in base64, little end first: nothing is lost."""
    raw = weight.astype("<f4").tobytes()
    return {"shape": list(weight.shape), "encoding": "f32-base64",
            "data": base64.b64encode(raw).decode("ascii")}


def build_trace(token_ids, seed, dtype, checks):
    """Return everything that the page shows of one run, ready for JSON.

    Only what decides the content is in it: no path, no time, no host.
    """
    config, source = Config(), Path(__file__)
    weights = draw_weights(config, seed)
    made = record_tensors(TinyLlama(config, weights, dtype), [token_ids])
    text = ",".join(str(token) for token in token_ids)
    return {
        "format": "attention-trace", "format_major": 1, "format_minor": 0,
        "producer": {
            "script": source.name,
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
            "arguments": ["--tokens", text, "--seed", str(seed),
                          "--dtype", dtype]},
        "model": {"name": "TinyLlama", "revision": f"seed {seed}",
                  **asdict(config), "dtype": dtype,
                  "rope_pairing": "half-split", "trained": False},
        "input": {"token_ids": [list(token_ids)],
                  "token_labels": [[LABELS[token] for token in token_ids]],
                  "position_ids": [list(range(len(token_ids)))]},
        "vocabulary": LABELS,
        "checks": checks,
        "tensors": {name: tensor_record(name, made[name], letters)
                    for name, letters in tensor_axes(config).items()},
        "parameters": {name: parameter_record(weight)
                       for name, weight in weights.items()},
    }


def trace_text(trace):
    """Return trace as strict JSON, one tensor, weight or check on a line."""
    def compact(value):
        return json.dumps(value, allow_nan=False, separators=(",", ":"))

    parts = []
    for key, value in trace.items():
        if key in ("tensors", "parameters"):
            lines = [f"{compact(name)}:{compact(v)}" for name, v in value.items()]
            text = "{\n" + ",\n".join(lines) + "\n}"
        elif key == "checks":
            text = "[\n" + ",\n".join(compact(v) for v in value) + "\n]"
        else:
            text = compact(value)
        parts.append(f"{compact(key)}:{text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_text(path, text):
    """Write text to path whole or not at all; an old file stays until then.

    Raises OSError, and ValueError if path is something other than a file.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"cannot write {path}: it is not a regular file")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"cannot write {path}: it is read-only")
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(text.encode("ascii"))
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


# ------------------------------------------------------------------ command line

def parse_tokens(text):
    """Return the token ids in "1,2,3", or raise ValueError."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise ValueError("no tokens: give some, such as --tokens 1,2,3")
    if len(words) > CAPACITY:
        raise ValueError(f"{len(words)} tokens, but the cache holds {CAPACITY}")
    for word in words:
        if not word.isdecimal():
            raise ValueError(f"token {word!r} is not a number in 0..31")
    tokens = tuple(int(word) for word in words)
    check_token_ids([tokens], Config().vocab_size)
    return tokens


def print_checks(records, file):
    """Print each record on a line and the verdict after them."""
    for record in records:
        verdict = "pass" if record["passed"] else "FAIL"
        print(f"{verdict}  {record['dtype']:<21}  {record['claim']}\n"
              f"      measured {record['measured']:g}, limit "
              f"{record['limit']:g} {record['unit']}", file=file)
    failed = sum(not record["passed"] for record in records)
    print(f"{len(records)} checks, {failed} failed", file=file)


def parse_arguments(arguments):
    """Return the parsed command line; a mistake ends the program, status 2."""
    parser = argparse.ArgumentParser(
        prog="tiny_llama.py", allow_abbrev=False,
        description="A Llama-style decoder in NumPy with random weights.")
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}\n")
    parser.add_argument("--verify", action="store_true",
                        help="run all checks and print them; status 1 if one fails")
    parser.add_argument("--export-trace", metavar="PATH",
                        help="write all tensors and checks as JSON; - is stdout")
    parser.add_argument("--tokens", default=",".join(map(str, TOKENS)),
                        help="token ids in 0..31 (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED,
                        help="of the random weights (default: %(default)s)")
    parser.add_argument("--dtype", choices=sorted(LIMITS, reverse=True),
                        default="float64", help="of the run (default: float64)")
    options = parser.parse_args(arguments)
    if not options.verify and options.export_trace is None:
        parser.error("nothing to do: give --verify or --export-trace PATH")
    return options


def run(options):
    """Do what the options ask; return the exit status, 1 if a check failed."""
    tokens = parse_tokens(options.tokens)
    to_stdout = options.export_trace == "-"
    records = list(run_checks(options.seed))
    failed = not all(record["passed"] for record in records)
    if options.verify or failed:
        print_checks(records, sys.stderr if to_stdout or failed else sys.stdout)
    if options.export_trace is not None:
        text = trace_text(build_trace(tokens, options.seed, options.dtype, records))
        if to_stdout:
            sys.stdout.write(text)
        else:
            write_text(options.export_trace, text)
    sys.stdout.flush()
    return int(failed)


def main(arguments=None):
    """Run the command line and return its exit status."""
    options = parse_arguments(arguments)
    try:
        return run(options)
    except (OSError, ValueError) as error:
        print(f"tiny_llama.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
