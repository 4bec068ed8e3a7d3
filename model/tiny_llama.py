"""A Llama-style decoder in NumPy, written to be read from top to bottom.

Token ids go in; for each position a score of every possible next token comes
out.  On the way stand RMSNorm, rotary position embeddings, grouped-query
attention with a key/value cache, SwiGLU and residual additions.

    python tiny_llama.py --verify --export-trace trace.json

The weights are random: this calculates what a Llama calculates, and has
learned no language.  Token labels are reading aids, and the seed was picked
for legible pictures; neither proves anything.

Axes, as the notes at the right edge name them:

    B    batch items                      D    hidden_size
    T    query positions of this call     F    intermediate_size
    S    key positions, cached and new    V    vocab_size
    Hq   num_attention_heads              dh   head_dim
    Hkv  num_key_value_heads              G    group_size = Hq / Hkv

A comment "step: name — what it does" opens a step, which runs to the next
such comment or to the first line that is indented less.  A step that makes a
tensor of the trace has its name.
"""

import argparse
import base64
import hashlib
import json
import math
import os
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

SEED = 7
TOKENS = "1,2,3,1,4,5"
CAPACITY = 64                   # positions in the command line's cache
LABELS = ("a the river meets quiet sea and of in to stone light wind rain "
          "cloud hill road boat bird tree leaf night day warm cold slow deep "
          "blue sings falls waits home").split()


# -------------------------------------------------------------- configuration
@dataclass(frozen=True)
class Config:
    """The sizes of a decoder, under the names of Hugging Face's config.json."""

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

# ----------------------------------------------------------------- operations
def rms_norm(hidden, gain, eps):
    """Return each position's channels over their root mean square, times gain.

    hidden   [B, T, D]
    gain     [D]          learned
    returns  [B, T, D]    the mean is not subtracted; Zhang and Sennrich 2019
    """
    # step: rms_norm — divide by the root mean square, then scale each channel
    mean_square = np.mean(hidden * hidden, axis=-1, keepdims=True)
    return hidden / np.sqrt(mean_square + eps) * gain


def softmax(scores):
    """Return positive numbers in the ratio of exp(scores), last axis sums to 1.

    Subtracting the largest score keeps exp in range and changes no ratio.
    """
    # step: softmax — exponentials over their sum, along the last axis
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def rotary_angles(position_ids, head_dim, theta):
    """Return the angle in radians by which a position turns each pair.

    position_ids  [T] of int
    returns       [T, dh/2]    float64, whatever the dtype of the run: at large
                               positions a narrower angle is a wrong one

    Pair 0 turns one radian per position, later pairs less.  Su et al. 2021.
    """
    # step: angles — position times frequency, one frequency for each pair
    pair = np.arange(head_dim // 2)
    frequencies = theta ** (-2.0 * pair / head_dim)
    return position_ids[:, None] * frequencies


def rotate(heads, cos, sin):
    """Return heads with channels i and i + dh/2 turned as a pair.

    heads     [B, H, T, dh]
    cos, sin  [T, dh/2]
    returns   [B, H, T, dh]

    A checkpoint that pairs neighbours (2i, 2i + 1) needs the columns of its wq
    and wk reordered first.
    """
    # step: rotate — turn the pairs (0, dh/2), (1, dh/2 + 1), …
    left, right = np.split(heads, 2, axis=-1)
    return np.concatenate(
        [left * cos - right * sin, right * cos + left * sin], axis=-1)


def split_heads(flat, head_dim):
    """Return [B, T, H·dh] as [B, H, T, dh]."""
    # step: split_heads — reshape names the head axis, swapaxes moves it
    batch, length, _ = flat.shape
    return flat.reshape(batch, length, -1, head_dim).swapaxes(1, 2)


# ------------------------------------------------------------------ attention
def pass_through(name, value):
    """Return value: the tap of a call that records nothing."""
    return value


def layer_tap(tap, layer):
    """Return tap with the layer's prefix put before every name."""
    return lambda name, value: tap(f"layers.{layer}.{name}", value)


def attention_weights(q, k, allowed, tap=pass_through):
    """Return how much each query position takes from each key position.

    q        [B, Hq, T, dh]     rotated
    k        [B, Hkv, S, dh]    rotated
    allowed  [T, S] of bool     True where the query may look
    returns  [B, Hq, T, S]      probabilities, each row sums to 1

    Raises ValueError, as reshape does, unless Hq is a multiple of Hkv.
    Vaswani et al. 2017, section 3.2.1; Ainslie et al. 2023.
    """
    # step: scores — compare each query with every key of its key/value head
    batch, heads, length, head_dim = q.shape
    grouped = q.reshape(batch, k.shape[1], -1, length, head_dim)
    products = grouped @ k[:, :, None].swapaxes(-1, -2)     # [B, Hkv, G, T, S]
    scores = products.reshape(batch, heads, length, -1)     # [B, Hq, T, S]
    scores = tap("scores", scores * head_dim ** -0.5)
    # step: masked_scores — a key that may not be seen scores minus infinity
    masked = tap("masked_scores", np.where(allowed, scores, -np.inf))
    # step: weights — softmax along the keys, so that each row sums to one
    return tap("weights", softmax(masked))


def mix_values(weights, v, tap=pass_through):
    """Return each query's sum of the values, each times its weight.

    weights  [B, Hq, T, S]
    v        [B, Hkv, S, dh]    not rotated
    returns  [B, Hq, T, dh]
    """
    # step: heads — weigh the values of the shared key/value head and add up
    batch, heads, length, keys = weights.shape
    grouped = weights.reshape(batch, v.shape[1], -1, length, keys)
    mixed = grouped @ v[:, :, None]                         # [B, Hkv, G, T, dh]
    return tap("heads", mixed.reshape(batch, heads, length, -1))


# --------------------------------------------------------------- feed-forward
def feed_forward(normed, weights, tap=pass_through):
    """Return the SwiGLU update: channels are mixed, positions are not.

    normed   [B, T, D]
    weights  w_gate and w_up [D, F], w_down [F, D]
    returns  [B, T, D]    Shazeer 2020
    """
    # step: gate — two expansions of the same state, from D to F channels
    gate = tap("gate", normed @ weights["w_gate"])          # [B, T, F]
    up = tap("up", normed @ weights["w_up"])                # [B, T, F]
    # step: mlp_act — SiLU, x / (1 + exp(-x)), of one branch gates the other
    with np.errstate(over="ignore"):        # x / infinity is the zero we want
        silu = gate / (1.0 + np.exp(-gate))                 # [B, T, F]
    gated = tap("mlp_act", silu * up)                       # [B, T, F]
    # step: mlp_out — back to D channels
    return tap("mlp_out", gated @ weights["w_down"])       # [B, T, D]


# ---------------------------------------------------------------------- cache
class Cache:
    """Keys and values of the positions so far, in arrays that are made once.

    keys, values  [layers, B, Hkv, capacity, dh]    keys rotated, values not
    length        filled positions, the same in every layer

    All position ids come from here: first_position, then one after the other.
    """

    def __init__(self, model, batch, capacity, first_position=0):
        c = model.config
        shape = (c.num_hidden_layers, batch, c.num_key_value_heads, capacity,
                 c.head_dim)
        self.keys = np.zeros(shape, model.dtype)
        self.values = np.zeros(shape, model.dtype)
        self.length, self.first_position = 0, first_position

    def positions(self, count):
        """Return the ids of the next count positions, and of all keys by then.

        Raises ValueError if they do not fit.
        """
        end, capacity = self.length + count, self.keys.shape[3]
        if end > capacity:
            raise ValueError(f"{count} tokens after {self.length} do not fit a "
                             f"cache of {capacity} positions")
        key_positions = self.first_position + np.arange(end)
        return key_positions[self.length:], key_positions

    def write(self, layer, k, v):
        """Store new keys and values, [B, Hkv, T, dh]; return views of all.

        Raises ValueError if the batch is not the cache's: NumPy would repeat
        a single item without a word.
        """
        if len(k) != self.keys.shape[1]:
            raise ValueError(f"a batch of {len(k)} does not fit a cache for a "
                             f"batch of {self.keys.shape[1]}")
        end = self.length + k.shape[2]
        self.keys[layer, :, :, self.length:end] = k
        self.values[layer, :, :, self.length:end] = v
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]

    def payload_bytes(self):
        """Return the bytes of the filled part, counted from the arrays."""
        filled = np.s_[:, :, :, :self.length]
        return self.keys[filled].nbytes + self.values[filled].nbytes


# ---------------------------------------------------------------------- model
class TinyLlama:
    """A decoder with given weights; parameter_shapes has their names."""

    def __init__(self, config, weights, dtype=np.float64):
        self.config, self.dtype = config, np.dtype(dtype)
        self.weights = {name: np.asarray(weight, dtype)
                        for name, weight in weights.items()}

    def __call__(self, token_ids, cache=None, tap=pass_through):
        """Return the logits: row t scores the candidates for position t + 1.

        token_ids  [B, T] of int    they follow the tokens of the cache
        cache      gets filled; without one the tokens are a whole sequence
        tap        called as tap(name, tensor) for each tensor on the way
        returns    [B, T, V]

        Raises ValueError for ids outside the vocabulary and for a full cache.
        """
        token_ids = np.asarray(token_ids)
        if token_ids.ndim != 2 or token_ids.size == 0:
            raise ValueError(f"token ids {token_ids.shape}, expected [B, T]")
        for token in token_ids.flat:
            if token not in range(self.config.vocab_size):
                raise ValueError(f"token {token} is outside "
                                 f"0..{self.config.vocab_size - 1}")
        if cache is None:
            cache = Cache(self, *token_ids.shape)
        # step: positions — count on from the cache; nothing later may be seen
        query_positions, key_positions = cache.positions(token_ids.shape[1])
        allowed = key_positions <= query_positions[:, None] # [T, S]
        angles = rotary_angles(query_positions, self.config.head_dim,
                               self.config.rope_theta)      # [T, dh/2]
        shared = {"cos": np.cos(angles).astype(self.dtype),
                  "sin": np.sin(angles).astype(self.dtype),
                  "allowed": allowed, "cache": cache}
        # step: embedding — look up one row of the table for each token
        hidden = tap("embedding", self.weights["embedding"][token_ids])
        # step: layers — each layer reads the states that the last one left
        for layer in range(self.config.num_hidden_layers):
            hidden = self.decoder_layer(
                layer, hidden, tap=layer_tap(tap, layer), **shared)
        cache.length += token_ids.shape[1]
        # step: final_norm — one more norm, with a gain of its own
        normed = tap("final_norm", rms_norm(
            hidden, self.weights["final_norm"], self.config.rms_norm_eps))
        # step: logits — compare each state with every row of the embedding
        tied = self.config.tie_word_embeddings
        head = self.weights["embedding"].T if tied else self.weights["lm_head"]
        return tap("logits", normed @ head)                 # [B, T, V]

    def decoder_layer(self, layer, hidden, *, cos, sin, allowed, cache, tap):
        """Return hidden, [B, T, D], with the layer's two updates added."""
        head_dim, eps = self.config.head_dim, self.config.rms_norm_eps
        weights = {name: self.weights[f"layers.{layer}.{name}"]
                   for name in LAYER_WEIGHTS}
        # step: attn_norm — bring each state to a root mean square near one
        normed = tap("attn_norm", rms_norm(hidden, weights["attn_norm"], eps))
        # step: projections — three linear maps of the same normalized state
        q = tap("q", split_heads(normed @ weights["wq"], head_dim))
        k = tap("k", split_heads(normed @ weights["wk"], head_dim))
        v = tap("v", split_heads(normed @ weights["wv"], head_dim))
        # step: q_rotated — turn queries and keys by position; values stay
        q = tap("q_rotated", rotate(q, cos, sin))           # [B, Hq, T, dh]
        k = tap("k_rotated", rotate(k, cos, sin))           # [B, Hkv, T, dh]
        # step: cache — keep the new keys and values, go on with old and new
        k, v = cache.write(layer, k, v)                     # [B, Hkv, S, dh]
        # step: attention — how much from where, then the mixture
        heads = mix_values(attention_weights(q, k, allowed, tap), v, tap)
        # step: merged — lay the heads of a position side by side
        merged = heads.swapaxes(1, 2).reshape(*hidden.shape[:2], -1)
        merged = tap("merged", merged)                      # [B, T, Hq·dh]
        # step: attn_out — mix the heads into an update of the stream
        update = tap("attn_out", merged @ weights["wo"])    # [B, T, D]
        # step: resid_mid — add it to the state as it was before the norm
        hidden = tap("resid_mid", hidden + update)
        # step: mlp_norm — the second norm, with a gain of its own
        normed = tap("mlp_norm", rms_norm(hidden, weights["mlp_norm"], eps))
        # step: resid_out — add the feed-forward update to the same stream
        return tap("resid_out", hidden + feed_forward(normed, weights, tap))


def next_token_probs(logits):
    """Return the distribution of the next token, [B, V], from [B, T, V].

    Choosing a token from it is a separate step; attention has no part in it.
    """
    # step: next_token_probs — softmax over the vocabulary, last position only
    return softmax(logits[:, -1])


# -------------------------------------------------------------------- weights
LAYER_WEIGHTS = ("attn_norm", "wq", "wk", "wv", "wo",
                 "mlp_norm", "w_gate", "w_up", "w_down")


def parameter_shapes(config):
    """Return the shape of each weight by name; matrices are [in, out]."""
    D, F, V = config.hidden_size, config.intermediate_size, config.vocab_size
    queries = config.num_attention_heads * config.head_dim
    keys = config.num_key_value_heads * config.head_dim
    of_layer = ((D,), (D, queries), (D, keys), (D, keys), (queries, D),
                (D,), (D, F), (D, F), (F, D))
    shapes = {"embedding": (V, D), "final_norm": (D,)}
    if not config.tie_word_embeddings:
        shapes["lm_head"] = (D, V)
    for layer in range(config.num_hidden_layers):
        for name, shape in zip(LAYER_WEIGHTS, of_layer):
            shapes[f"layers.{layer}.{name}"] = shape
    return shapes


def draw_weights(config, seed):
    """Return random float32 weights by name, always the same for a seed.

    Matrices are normal with standard deviation 1 / sqrt(fan_in).  The
    embedding's fan_in is hidden_size: tied, it is the output matrix too.
    Gains lie around one: gains of exactly one would hide a forgotten gain.
    """
    rng, weights = np.random.default_rng(seed), {}
    for name, shape in parameter_shapes(config).items():
        noise = rng.normal(size=shape)
        fan_in = config.hidden_size if name == "embedding" else shape[0]
        is_gain = len(shape) == 1
        weight = 1.0 + 0.1 * noise if is_gain else noise * fan_in ** -0.5
        weights[name] = weight.astype(np.float32)
    return weights


# ------------------------------------------- reference: each number on its own
def table(number, *sizes):
    """Return nested lists with number(i, j, …) at [i][j]…"""
    if not sizes:
        return number()
    return [table(partial(number, i), *sizes[1:]) for i in range(sizes[0])]


def plain_product(rows, matrix):
    """Return rows @ matrix."""
    return table(lambda t, j: sum(a * row[j] for a, row in zip(rows[t], matrix)),
                 len(rows), len(matrix[0]))


def plain_norm(rows, gain, eps):
    """Return the rows over their root mean squares, times gain."""
    squares = [sum(a * a for a in row) / len(row) for row in rows]
    return table(lambda t, d: rows[t][d] / math.sqrt(squares[t] + eps) * gain[d],
                 len(rows), len(gain))


def plain_shares(scores):
    """Return each score's share of the sum of exponentials."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def plain_turn(heads, theta, h, t, i):
    """Return channel i of head h at position t after its pair was turned."""
    half = len(heads[h][t]) // 2
    a, b = heads[h][t][i % half], heads[h][t][i % half + half]
    angle = t / theta ** (i % half / half)
    return (a * math.cos(angle) - b * math.sin(angle) if i < half
            else a * math.sin(angle) + b * math.cos(angle))


def plain_layer(c, w, x):
    """Return one layer's tensors by name, from its input rows [T][D]."""
    T, D, F, dh = len(x), c.hidden_size, c.intermediate_size, c.head_dim
    Hq, Hkv = c.num_attention_heads, c.num_key_value_heads
    G, eps, m = Hq // Hkv, c.rms_norm_eps, {}
    m["attn_norm"] = plain_norm(x, w["attn_norm"], eps)
    for name, heads in ("q", Hq), ("k", Hkv), ("v", Hkv):
        flat = plain_product(m["attn_norm"], w["w" + name])
        m[name] = table(lambda h, t, i: flat[t][h * dh + i], heads, T, dh)
    m["q_rotated"] = table(partial(plain_turn, m["q"], c.rope_theta), Hq, T, dh)
    m["k_rotated"] = table(partial(plain_turn, m["k"], c.rope_theta), Hkv, T, dh)
    m["scores"] = table(
        lambda h, t, s: sum(m["q_rotated"][h][t][i] * m["k_rotated"][h // G][s][i]
                            for i in range(dh)) / math.sqrt(dh), Hq, T, T)
    m["masked_scores"] = table(
        lambda h, t, s: m["scores"][h][t][s] if s <= t else -math.inf, Hq, T, T)
    m["weights"] = table(
        lambda h, t: plain_shares(m["masked_scores"][h][t]), Hq, T)
    m["heads"] = table(
        lambda h, t, i: sum(m["weights"][h][t][s] * m["v"][h // G][s][i]
                            for s in range(T)), Hq, T, dh)
    m["merged"] = table(lambda t, j: m["heads"][j // dh][t][j % dh], T, Hq * dh)
    m["attn_out"] = plain_product(m["merged"], w["wo"])
    m["resid_mid"] = table(lambda t, d: x[t][d] + m["attn_out"][t][d], T, D)
    m["mlp_norm"] = plain_norm(m["resid_mid"], w["mlp_norm"], eps)
    m["gate"] = plain_product(m["mlp_norm"], w["w_gate"])
    m["up"] = plain_product(m["mlp_norm"], w["w_up"])
    m["mlp_act"] = table(lambda t, j: m["gate"][t][j] * m["up"][t][j]
                         / (1 + math.exp(-m["gate"][t][j])), T, F)
    m["mlp_out"] = plain_product(m["mlp_act"], w["w_down"])
    m["resid_out"] = table(
        lambda t, d: m["resid_mid"][t][d] + m["mlp_out"][t][d], T, D)
    return m


def reference_tensors(config, weights, token_ids):
    """Return all tensors of one sequence, calculated number by number.

    It shares no function with the model and knows no cache, so that a mistake
    in the one is not repeated in the other.

    token_ids  T integers
    returns    name -> float64 array without the batch axis
    """
    w = {name: weight.tolist() for name, weight in weights.items()}
    x = [w["embedding"][token] for token in token_ids]
    m = {"embedding": x}
    for layer in range(config.num_hidden_layers):
        at = f"layers.{layer}."
        here = {name: w[at + name] for name in LAYER_WEIGHTS}
        tensors = plain_layer(config, here, x)
        m.update({at + name: rows for name, rows in tensors.items()})
        x = tensors["resid_out"]
    m["final_norm"] = plain_norm(x, w["final_norm"], config.rms_norm_eps)
    head = w.get("lm_head") or list(zip(*w["embedding"]))
    m["logits"] = plain_product(m["final_norm"], head)
    m["next_token_probs"] = plain_shares(m["logits"][-1])
    return {name: np.array(rows) for name, rows in m.items()}


# --------------------------------------------------------------------- checks
LIMITS = {"float64": 1e-11, "float32": 5e-6}
RELATIVE = "of the largest value"
CLAIMS = {
    "shapes": ("wrong tensors", "every tensor has the shape its axes say"),
    "dtype": ("wrong tensors", "no tensor leaves the dtype of the run"),
    "reference": (RELATIVE, "every tensor equals loops over single numbers"),
    "rows": (RELATIVE, "every row of weights sums to one"),
    "first_row": ("wrong weights", "the first row of weights is 1, 0, 0, ..."),
    "forbidden": ("wrong weights", "no query gives weight to a later position"),
    "grouped": (RELATIVE, "shared keys and values equal repeated ones"),
    "einsum": (RELATIVE, "attention equals the article's einsum"),
    "cached": (RELATIVE, "one token at a time equals one call"),
    "chunks": (RELATIVE, "chunks of several sizes equal one call"),
    "future": (RELATIVE, "changed tokens move no earlier logits"),
    "batch": (RELATIVE, "an item alone equals the item in its batch"),
    "shift": (RELATIVE, "positions moved by 7 or 100 leave the logits"),
    "repeat": ("wrong logits", "the same call gives the same bits twice"),
    "cache_bytes": ("bytes apart", "the cache holds 2·L·B·Hkv·T·dh numbers"),
}
ARTICLE = Config(), [[1, 2, 3, 1, 4, 5], [6, 5, 6, 7, 31, 0]]
# The article's sizes coincide (hidden = heads · head_dim = vocabulary, group
# size = KV heads), and what coincides can be exchanged unseen.  Not so here.
ALL_DIFFERENT = Config(
    hidden_size=28, intermediate_size=44, num_hidden_layers=4, head_dim=10,
    num_attention_heads=6, num_key_value_heads=2, vocab_size=37,
    rope_theta=500.0, rms_norm_eps=1e-3, tie_word_embeddings=False), [
    [(3 * item * t + 5 * item + t * t) % 37 for t in range(7)]
    for item in range(5)]


def record_tensors(model, token_ids, cache=None):
    """Return every tensor of one call by name, in order of making."""
    made = {}
    logits = model(token_ids, cache, made.setdefault)   # stores, then returns
    made["next_token_probs"] = next_token_probs(logits)
    return made


def largest_difference(found, expected):
    """Return the largest difference over the largest finite expected size."""
    if found.shape != expected.shape:
        return math.inf
    different = found != expected              # equal infinities differ by zero
    if not different.any():
        return 0.0
    apart = np.abs(found[different].astype(np.float64) - expected[different])
    return np.max(apart) / np.max(np.abs(expected[np.isfinite(expected)]))


def measure_tensors(model, token_ids, expected):
    """Yield (check id, measured value) for the tensors of one call.

    expected  the reference's tensors, for each batch item
    """
    made = record_tensors(model, token_ids)
    pairs = [(made[name], np.stack([item[name] for item in expected]))
             for name in expected[0]]
    yield "shapes", sum(found.shape != wanted.shape for found, wanted in pairs)
    yield "reference", np.max([largest_difference(*pair) for pair in pairs])
    cache = Cache(model, *token_ids.shape)
    model(token_ids[:, :-1], cache)
    last = record_tensors(model, token_ids[:, -1:], cache)
    arrays = [*made.values(), *last.values(), cache.keys, cache.values]
    yield "dtype", sum(array.dtype != model.dtype for array in arrays)
    layers = [[made[f"layers.{layer}.{name}"]
               for layer in range(model.config.num_hidden_layers)]
              for name in ("q_rotated", "k_rotated", "v", "weights", "heads")]
    yield from measure_attention(*map(np.concatenate, layers))


def measure_attention(q, k, v, weights, heads):
    """Yield (check id, measured value); batch items and layers on one axis."""
    (B, Hq, T, dh), Hkv = q.shape, k.shape[1]
    sums, allowed = weights.sum(axis=-1), np.tri(T, dtype=bool)
    yield "rows", largest_difference(sums, np.ones_like(sums))
    yield "first_row", np.sum(weights[:, :, 0] != np.eye(T)[0])
    yield "forbidden", np.sum(weights[..., ~allowed] != 0)

    repeated_k, repeated_v = (a.repeat(Hq // Hkv, axis=1) for a in (k, v))
    shares = attention_weights(q, repeated_k, allowed)
    yield "grouped", max(
        largest_difference(weights, shares),
        largest_difference(heads, mix_values(shares, repeated_v)))

    grouped = q.reshape(B, Hkv, -1, T, dh)
    scores = np.einsum("bgrtd,bgsd->bgrts", grouped, k) / math.sqrt(dh)
    powers = np.exp(np.where(allowed, scores, -np.inf))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    mixed = np.einsum("bgrts,bgsd->bgrtd", shares, v)
    yield "einsum", max(
        largest_difference(weights, shares.reshape(weights.shape)),
        largest_difference(heads, mixed.reshape(heads.shape)))


def measure_calls(model, token_ids):
    """Yield (check id, measured value) for ways to call that must agree."""
    (B, T), logits, c = token_ids.shape, model(token_ids), model.config

    def worst(ways):
        return np.max([largest_difference(way, logits[:, :way.shape[1]])
                       for way in ways])

    def chunks(*sizes, first=0):
        cache, ends = Cache(model, B, T, first), np.cumsum(sizes)
        return np.concatenate([model(token_ids[:, end - size:end], cache)
                               for end, size in zip(ends, sizes)], axis=1)

    yield "cached", worst([chunks(*[1] * T)])
    yield "chunks", worst([chunks(1, T - 1), chunks(T - 1, 1),
                           chunks(2, T - 2), chunks(T - 3, 1, 2)])
    other = (token_ids + 1) % c.vocab_size
    yield "future", worst(
        model(np.concatenate([token_ids[:, :t], other[:, t:]], axis=1))[:, :t]
        for t in range(1, T))
    yield "batch", worst([np.concatenate(
        [model(token_ids[item:item + 1]) for item in range(B)])])
    yield "shift", worst([chunks(T, first=7), chunks(T, first=100)])
    yield "repeat", np.sum(model(token_ids) != logits)
    cache = Cache(model, B, T + 3)
    model(token_ids, cache)
    numbers = 2 * c.num_hidden_layers * B * c.num_key_value_heads * T * c.head_dim
    yield "cache_bytes", abs(cache.payload_bytes() - numbers * logits.itemsize)


def run_checks(seed):
    """Return a record per claim and dtype, with the worst of both sizes.

    What is counted must hold exactly and has one record; what rounding touches
    has a second one for float32.  measured has one digit: the next ones differ
    from machine to machine.
    """
    measured = {}
    for config, rows in (ARTICLE, ALL_DIFFERENT):
        weights, token_ids = draw_weights(config, seed), np.array(rows)
        expected = [reference_tensors(config, weights, row) for row in rows]
        for dtype in LIMITS:
            model = TinyLlama(config, weights, dtype)
            for check_id, value in [*measure_tensors(model, token_ids, expected),
                                    *measure_calls(model, token_ids)]:
                counted = CLAIMS[check_id][0] != RELATIVE
                key = check_id, "any" if counted else dtype
                measured.setdefault(key, []).append(value)
    records = []
    for (check_id, dtype), values in measured.items():
        worst, limit = float(np.max(values)), LIMITS.get(dtype, 0.0)
        suffix = "-float32" if dtype == "float32" else ""
        unit, claim = CLAIMS[check_id]
        records.append({
            "id": check_id + suffix, "claim": claim, "dtype": dtype,
            "measured": json_number(float(f"{worst:.0e}")), "limit": limit,
            "unit": unit, "passed": worst <= limit})
    return records


# ---------------------------------------------------------------------- trace
AXES = {
    "attn_norm": "B T D", "q": "B Hq T dh", "k": "B Hkv T dh",
    "v": "B Hkv T dh", "q_rotated": "B Hq T dh", "k_rotated": "B Hkv T dh",
    "scores": "B Hq T S", "masked_scores": "B Hq T S", "weights": "B Hq T S",
    "heads": "B Hq T dh", "merged": "B T Hq·dh", "attn_out": "B T D",
    "resid_mid": "B T D", "mlp_norm": "B T D", "gate": "B T F", "up": "B T F",
    "mlp_act": "B T F", "mlp_out": "B T D", "resid_out": "B T D",
    "embedding": "B T D", "final_norm": "B T D", "logits": "B T V",
    "next_token_probs": "B V"}
AXIS_NAMES = {"B": "batch", "Hq": "head", "Hkv": "kv_head", "T": "position",
              "S": "key", "V": "vocab"}        # the other axes: channel
UNITS = {"scores": "score", "masked_scores": "score", "weights": "probability",
         "logits": "logit", "next_token_probs": "probability"}


def json_number(value):
    """Return value, or its name where JSON has no such number."""
    names = {math.inf: "Infinity", -math.inf: "-Infinity"}
    return value if math.isfinite(value) else names.get(value, "NaN")


def tensor_record(name, array):
    """Return a tensor with its axes, shape, unit and flat values."""
    short = name.split(".")[-1]
    axes = AXES[short].split()
    names = {**AXIS_NAMES, "T": "query"} if "S" in axes else AXIS_NAMES
    rounded = np.round(array.astype(np.float64), 6) + 0.0    # -0.0 becomes 0.0
    return {"dims": [names.get(axis, "channel") for axis in axes],
            "shape": list(array.shape), "unit": UNITS.get(short, "activation"),
            "values": [json_number(value) for value in rounded.ravel().tolist()]}


def build_trace(options, weights, made, checks):
    """Return what the article shows of a run: no time, no host, no folder."""
    ids, source = options.tokens, Path(__file__)
    return {
        "format": "attention-trace", "format_major": 1, "format_minor": 0,
        "producer": {
            "script": source.name,
            "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
            "arguments": ["--tokens", ",".join(map(str, ids)), "--seed",
                          str(options.seed), "--dtype", options.dtype]},
        "model": {"name": "TinyLlama", "revision": f"seed {options.seed}",
                  **asdict(Config()), "dtype": options.dtype,
                  "rope_pairing": "half-split", "trained": False},
        "input": {"token_ids": [ids], "position_ids": [list(range(len(ids)))],
                  "token_labels": [[LABELS[token] for token in ids]]},
        "vocabulary": LABELS,
        "checks": checks,
        "tensors": {name: tensor_record(name, array)
                    for name, array in made.items()},
        # What is drawn is float32, so four bytes a number lose nothing.
        "parameters": {name: {
            "shape": list(weight.shape), "encoding": "f32-base64",
            "data": base64.b64encode(weight.astype("<f4")).decode()}
            for name, weight in weights.items()}}


def write_whole(path, content):
    """Write bytes to path, all or nothing: an old file stays until the end.

    Raises OSError, also for what is no regular file and for read-only ones.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
        raise OSError(f"cannot write {path}: not a file that may be replaced")
    partial_file = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        partial_file.write_bytes(content)
        os.replace(partial_file, target)
    finally:
        partial_file.unlink(missing_ok=True)


# --------------------------------------------------------------- command line
def token_ids(text):
    """Return [1, 2, 3] for "1,2,3"; raise ValueError for anything else."""
    return [int(word) for word in text.split(",")]


def parse_arguments(arguments):
    """Return the command line's options; a mistake is one line and status 2."""
    parser = argparse.ArgumentParser(
        prog="tiny_llama.py", allow_abbrev=False,
        description="A Llama-style decoder in NumPy, with random weights.")
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}\n")
    parser.add_argument("--verify", action="store_true",
                        help="print all checks; the status is 1 if one fails")
    parser.add_argument("--export-trace", metavar="PATH",
                        help="write all tensors and checks as JSON, - to print")
    parser.add_argument("--tokens", metavar="IDS", default=TOKENS, type=token_ids,
                        help="ids in 0..31, separated by commas (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED,
                        help="of the random weights (%(default)s)")
    parser.add_argument("--dtype", choices=LIMITS, default="float64",
                        help="of the exported run (%(default)s)")
    options = parser.parse_args(arguments)
    if not options.verify and options.export_trace is None:
        parser.error("nothing to do: give --verify or --export-trace PATH")
    return options


def print_checks(checks, file):
    """Print each claim with what was measured and its limit."""
    for check in checks:
        print(f"{'pass' if check['passed'] else 'FAIL'}  {check['claim']}: "
              f"{check['measured']} {check['unit']}, limit {check['limit']:g}"
              f" ({check['dtype']})", file=file)
    passed = sum(check["passed"] for check in checks)
    print(f"{passed} of {len(checks)} checks passed", file=file, flush=True)


def run(options):
    """Do what the options ask; return 1 if a check failed, otherwise 0."""
    weights = draw_weights(Config(), options.seed)
    model = TinyLlama(Config(), weights, options.dtype)
    made = record_tensors(model, [options.tokens], Cache(model, 1, CAPACITY))
    checks = run_checks(options.seed)
    to_stdout = options.export_trace == "-"
    if options.verify:
        print_checks(checks, sys.stderr if to_stdout else sys.stdout)
    if options.export_trace is not None:
        trace = build_trace(options, weights, made, checks)
        text = json.dumps(trace, allow_nan=False, separators=(",", ":"))
        # One tensor, weight or check on a line: a change can be read as a diff.
        content = text.replace("},", "},\n").encode() + b"\n"
        if to_stdout:
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        else:
            write_whole(options.export_trace, content)
    return 0 if all(check["passed"] for check in checks) else 1


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
