"""A Llama-style decoder in NumPy, written to be read from top to bottom.

    python tiny_llama.py --verify --export-trace trace.json

Token ids go in; a score of every possible next token comes out.  The weights
are random, of a seed picked for legible pictures, or a file's that are trained
to repeat.  Neither knows any language, and token labels aid reading, no more.

Axes, as the notes at the right edge name them:

    B    batch items                      D    hidden_size
    T    query positions of this call     F    intermediate_size
    S    key positions, cached and new    V    vocab_size
    Hq   num_attention_heads              dh   head_dim
    Hkv  num_key_value_heads              G    group_size = Hq / Hkv

A comment "step: name — what it does" opens a step, which ends before the next
one or before a line that is indented less.  A tensor's step has its name.
"""

import argparse
import base64
import cmath
import hashlib
import json
import math
import os
import sys
import zipfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

SEED, TOKENS = 7, "1,2,3,1,4,5"
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
    """Return exp(scores), divided by its sum along the last axis."""
    # step: softmax — without the largest score, so that exp stays in range
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


def rotary_angles(position_ids, head_dim, theta):
    """Return the angle by which each position turns each pair of channels.

    position_ids  [T] of int
    returns       [T, dh/2]    radians, pair 0 turns fastest; Su et al. 2021
    """
    # step: angles — position times frequency, with one frequency for each pair
    pair = np.arange(head_dim // 2)
    frequencies = theta ** (-2.0 * pair / head_dim)
    return position_ids[:, None] * frequencies


def rotate(heads, cos, sin):
    """Return heads with channels i and i + dh/2 turned as a pair.

    heads     [B, H, T, dh]    as is the result
    cos, sin  [T, dh/2]

    A checkpoint that pairs 2i with 2i + 1 needs reordered columns in wq and wk.
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
    grouped = weights.reshape(len(v), v.shape[1], -1, *weights.shape[2:])
    mixed = grouped @ v[:, :, None]                         # [B, Hkv, G, T, dh]
    return tap("heads", mixed.reshape(*weights.shape[:3], -1))


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
    return tap("mlp_out", gated @ weights["w_down"])        # [B, T, D]


# ---------------------------------------------------------------------- cache
class Cache:
    """Keys and values of the positions so far, in arrays that are made once.

    keys, values  [layers, B, Hkv, capacity, dh]    keys rotated, values not
    length        positions filled, and first_position + length is the next
    """

    def __init__(self, model, batch, capacity, first_position=0):
        c = model.config
        self.keys, self.values = np.zeros(
            (2, c.num_hidden_layers, batch, c.num_key_value_heads, capacity,
             c.head_dim), model.dtype)
        self.length, self.first_position = 0, first_position

    def positions(self, batch, count):
        """Return the next position ids, and all keys'; ValueError if full."""
        _, items, _, capacity, _ = self.keys.shape
        end = self.length + count
        if batch != items or end > capacity:
            raise ValueError(f"{batch} x {count} tokens after {self.length} do "
                             f"not fit a cache for {items} x {capacity}")
        key_positions = self.first_position + np.arange(end)
        return key_positions[self.length:], key_positions

    def write(self, layer, k, v):
        """Store new keys and values, [B, Hkv, T, dh]; return views of all."""
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
        outside = (token_ids < 0) | (token_ids >= self.config.vocab_size)
        if outside.any():
            raise ValueError(f"token {token_ids[outside][0]} is outside "
                             f"0..{self.config.vocab_size - 1}")
        if token_ids.dtype.kind not in "iu":
            raise ValueError(f"token ids are {token_ids.dtype}, not integers")
        batch, length = token_ids.shape
        cache = cache or Cache(self, batch, length)
        # step: positions — count on from the cache; nothing later may be seen
        query_positions, key_positions = cache.positions(batch, length)
        allowed = key_positions <= query_positions[:, None] # [T, S]
        # Angles are float64 in every run: large ones would lose their digits.
        angles = rotary_angles(query_positions, self.config.head_dim,
                               self.config.rope_theta)      # [T, dh/2]
        cos, sin = (f(angles).astype(self.dtype) for f in (np.cos, np.sin))
        # step: embedding — look up one row of the table for each token
        hidden = tap("embedding", self.weights["embedding"][token_ids])
        # step: layers — each layer reads the states that the last one left
        for layer in range(self.config.num_hidden_layers):
            hidden = self.decoder_layer(layer, hidden, cos=cos, sin=sin,
                                        allowed=allowed, cache=cache, tap=tap)
        cache.length += length
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
        weights = {n: self.weights[f"layers.{layer}.{n}"] for n in PER_LAYER}

        def keep(name, value):
            return tap(f"layers.{layer}.{name}", value)

        # step: attn_norm — bring each state to a root mean square near one
        normed = keep("attn_norm", rms_norm(hidden, weights["attn_norm"], eps))
        # step: projections — three linear maps of the same normalized state
        q = keep("q", split_heads(normed @ weights["wq"], head_dim))
        k = keep("k", split_heads(normed @ weights["wk"], head_dim))
        v = keep("v", split_heads(normed @ weights["wv"], head_dim))
        # step: q_rotated — turn queries and keys by position; values stay
        q = keep("q_rotated", rotate(q, cos, sin))          # [B, Hq, T, dh]
        k = keep("k_rotated", rotate(k, cos, sin))          # [B, Hkv, T, dh]
        # step: cache — keep the new keys and values, go on with old and new
        k, v = cache.write(layer, k, v)                     # [B, Hkv, S, dh]
        # step: attention — how much from where, then the mixture
        heads = mix_values(attention_weights(q, k, allowed, keep), v, keep)
        # step: merged — lay the heads of a position side by side
        merged = heads.swapaxes(1, 2).reshape(*hidden.shape[:2], -1)
        merged = keep("merged", merged)                     # [B, T, Hq·dh]
        # step: attn_out — mix the heads into an update of the stream
        update = keep("attn_out", merged @ weights["wo"])   # [B, T, D]
        # step: resid_mid — add it to the state as it was before the norm
        hidden = keep("resid_mid", hidden + update)
        # step: mlp_norm — the second norm, with a gain of its own
        normed = keep("mlp_norm", rms_norm(hidden, weights["mlp_norm"], eps))
        # step: resid_out — add the feed-forward update to the same stream
        return keep("resid_out", hidden + feed_forward(normed, weights, keep))


def next_token_probs(logits):
    """Return the next token's probabilities, [B, V]; choosing comes later."""
    # step: next_token_probs — softmax over the vocabulary, last position only
    return softmax(logits[:, -1])


# -------------------------------------------------------------------- weights
PER_LAYER = "attn_norm wq wk wv wo mlp_norm w_gate w_up w_down".split()


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
        for name, shape in zip(PER_LAYER, of_layer):
            shapes[f"layers.{layer}.{name}"] = shape
    return shapes


def draw_weights(config, seed):
    """Return random float32 weights by name, always the same for a seed.

    Matrices are normal with standard deviation 1 / sqrt(fan_in); as an output
    matrix the embedding has hidden_size.  Gains of one hide a forgotten gain.
    """
    if seed < 0:
        raise ValueError(f"seed {seed} is negative, expected 0 or more")
    rng, weights = np.random.default_rng(seed), {}
    for name, shape in parameter_shapes(config).items():
        noise = rng.normal(size=shape)
        fan_in = config.hidden_size if name == "embedding" else shape[0]
        weight = noise * fan_in ** -0.5 if len(shape) > 1 else 1.0 + 0.1 * noise
        weights[name] = weight.astype(np.float32)
    return weights


def read_weights(path):
    """Return an npz file's float32 weights by name, and its revision and task.

    Raises ValueError for what train_twin.py does not write, pickles included.
    """
    shapes = parameter_shapes(Config())
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            weights = {name: file[name] for name in shapes}
        if Config(**about["config"]) != Config():
            raise ValueError(f"{about['config']}, expected {Config()}")
        for (name, shape), weight in zip(shapes.items(), weights.values()):
            found = f"{weight.dtype} {weight.shape}"
            if found != f"float32 {shape}" or not np.isfinite(weight).all():
                raise ValueError(f"{name}: {found}, not finite float32 {shape}")
        return weights, {key: about[key] for key in ("revision", "task")}
    except (AttributeError, EOFError, KeyError, TypeError, ValueError,
            zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} holds no weights: {error}") from None


# ------------------------------------------- reference: each number on its own
def plain_product(rows, matrix):
    """Return rows @ matrix."""
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*matrix)]
            for row in rows]


def plain_norm(rows, gain, eps):
    """Return the rows over their root mean squares, times gain."""
    rms = [math.sqrt(sum(a * a for a in row) / len(row) + eps) for row in rows]
    return [[a / r * g for a, g in zip(row, gain)] for row, r in zip(rows, rms)]


def plain_shares(scores):
    """Return each score's share of the sum of exponentials."""
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def plain_turn(head, theta):
    """Return one head's rows, each pair turned as a complex number."""
    half = len(head[0]) // 2
    turned = [[complex(row[i], row[i + half])
               * cmath.rect(1.0, t / theta ** (i / half)) for i in range(half)]
              for t, row in enumerate(head)]
    return [[z.real for z in row] + [z.imag for z in row] for row in turned]


def plain_layer(c, w, x):
    """Return one layer's tensors by name, from its input rows [T][D]."""
    dh, eps, m = c.head_dim, c.rms_norm_eps, {}
    G = c.num_attention_heads // c.num_key_value_heads
    m["attn_norm"] = plain_norm(x, w["attn_norm"], eps)
    for name in "qkv":
        flat = plain_product(m["attn_norm"], w["w" + name])
        m[name] = [[row[i:i + dh] for row in flat]
                   for i in range(0, len(flat[0]), dh)]
    for name in "qk":
        m[name + "_rotated"] = [plain_turn(h, c.rope_theta) for h in m[name]]
    m["scores"] = [[[sum(a * b for a, b in zip(q, k)) / math.sqrt(dh)
                     for k in m["k_rotated"][h // G]] for q in head]
                   for h, head in enumerate(m["q_rotated"])]
    m["masked_scores"] = [[row[:t + 1] + [-math.inf] * (len(row) - t - 1)
                           for t, row in enumerate(h)] for h in m["scores"]]
    m["weights"] = [[*map(plain_shares, head)] for head in m["masked_scores"]]
    m["heads"] = [plain_product(head, m["v"][h // G])
                  for h, head in enumerate(m["weights"])]
    m["merged"] = [[a for row in t for a in row] for t in zip(*m["heads"])]
    m["attn_out"] = plain_product(m["merged"], w["wo"])
    m["resid_mid"] = np.add(x, m["attn_out"]).tolist()
    m["mlp_norm"] = plain_norm(m["resid_mid"], w["mlp_norm"], eps)
    m["gate"] = plain_product(m["mlp_norm"], w["w_gate"])
    m["up"] = plain_product(m["mlp_norm"], w["w_up"])
    m["mlp_act"] = [[g / (1 + math.exp(-g)) * u for g, u in zip(*pair)]
                    for pair in zip(m["gate"], m["up"])]
    m["mlp_out"] = plain_product(m["mlp_act"], w["w_down"])
    m["resid_out"] = np.add(m["resid_mid"], m["mlp_out"]).tolist()
    return m


def reference_tensors(config, weights, token_ids):
    """Return one sequence's tensors; no function is shared with the model."""
    w = {name: weight.tolist() for name, weight in weights.items()}
    x = [w["embedding"][token] for token in token_ids]
    m = {"embedding": x}
    for layer in range(config.num_hidden_layers):
        at = f"layers.{layer}."
        tensors = plain_layer(config, {n: w[at + n] for n in PER_LAYER}, x)
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
    "generation": (RELATIVE, "each call's tensors equal those of one call")}
ARTICLE = Config(), [[1, 2, 3, 1, 4, 5], [6, 5, 6, 7, 31, 0]]
# The article's sizes coincide (hidden = heads · head_dim = vocabulary, group
# size = KV heads), and what coincides can be exchanged unseen.  Not so here.
ALL_DIFFERENT = Config(
    hidden_size=28, intermediate_size=44, num_hidden_layers=4, head_dim=10,
    num_attention_heads=6, num_key_value_heads=2, vocab_size=37,
    rope_theta=500.0, rms_norm_eps=1e-3, tie_word_embeddings=False), [
    [(3 * i * t + 5 * i + t * t) % 37 for t in range(7)] for i in range(5)]


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
    unequal = found != expected                 # equal infinities are 0 apart
    apart = np.abs(found[unequal].astype(np.float64) - expected[unequal])
    size = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    return np.max(apart, initial=0.0) / size


def generate(model, prompt, sizes):
    """Return all token ids, their tensors by one call, and how calls differ.

    sizes  tokens per call; with none left of the prompt, the likeliest goes in
    """
    # step: generation — read the prompt, then feed back what is likeliest
    ids, cache, made, calls = [*prompt], Cache(model, 1, CAPACITY), {}, []
    for stored, size in zip(np.cumsum([0, *sizes]).tolist(), sizes):
        if stored == len(ids):
            ids.append(int(np.argmax(made["next_token_probs"])))
        made = record_tensors(model, [ids[stored:stored + size]], cache)
        whole = record_tensors(model, [ids[:stored + size]])    # no cache
        apart = np.max([largest_difference(made[name], tensor[..., -size:, :])
                        for name, tensor in whole.items()])
        calls.append({"stored": stored, "new": size,
                      "difference": json_number(float(f"{apart:.0e}"))})
    return ids, whole, calls


def measure_tensors(model, token_ids, expected):
    """Yield (check id, measured value) for the tensors of one call."""
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
    q, k, v, weights, heads = (
        np.concatenate([made[f"layers.{layer}.{name}"]
                        for layer in range(model.config.num_hidden_layers)])
        for name in ("q_rotated", "k_rotated", "v", "weights", "heads"))
    (B, Hq, T, dh), Hkv = q.shape, k.shape[1]       # B: items of every layer
    sums, allowed = weights.sum(axis=-1), np.tri(T, dtype=bool)
    yield "rows", largest_difference(sums, np.ones_like(sums))
    yield "first_row", np.sum(weights[:, :, 0] != np.eye(T)[0])
    yield "forbidden", np.sum(weights[..., ~allowed] != 0)
    shares = attention_weights(q, k.repeat(Hq // Hkv, axis=1), allowed)
    mixed = mix_values(shares, v.repeat(Hq // Hkv, axis=1))
    yield "grouped", largest_difference(weights, shares)
    yield "grouped", largest_difference(heads, mixed)
    grouped = q.reshape(B, Hkv, -1, T, dh)
    scores = np.einsum("bgrtd,bgsd->bgrts", grouped, k) / math.sqrt(dh)
    powers = np.exp(np.where(allowed, scores, -np.inf))
    shares = powers / powers.sum(axis=-1, keepdims=True)
    mixed = np.einsum("bgrts,bgsd->bgrtd", shares, v)
    yield "einsum", largest_difference(weights, shares.reshape(weights.shape))
    yield "einsum", largest_difference(heads, mixed.reshape(heads.shape))


def measure_calls(model, token_ids):
    """Yield (check id, measured value) for ways to call that must agree."""
    (B, T), logits, c = token_ids.shape, model(token_ids), model.config

    def chunks(*sizes, first=0):
        cache, cuts = Cache(model, B, T, first), np.cumsum(sizes[:-1])
        parts = [model(p, cache) for p in np.split(token_ids, cuts, axis=1)]
        return largest_difference(np.concatenate(parts, axis=1), logits)

    yield "cached", chunks(*[1] * T)
    for sizes in ((1, T - 1), (T - 1, 1), (2, T - 2), (T - 3, 1, 2)):
        yield "chunks", chunks(*sizes)
    other = (token_ids + 1) % c.vocab_size
    for t in range(1, T):
        changed = np.where(np.arange(T) < t, token_ids, other)
        yield "future", largest_difference(model(changed)[:, :t], logits[:, :t])
    alone = np.vstack([model(row[None]) for row in token_ids])
    yield "batch", largest_difference(alone, logits)
    yield "shift", np.max([chunks(T, first=7), chunks(T, first=100)])
    yield "repeat", np.sum(model(token_ids) != logits)
    cache = Cache(model, B, T + 3)
    model(token_ids, cache)
    count = 2 * c.num_hidden_layers * B * c.num_key_value_heads * T * c.head_dim
    yield "cache_bytes", abs(cache.payload_bytes() - count * logits.itemsize)


def run_checks(seed, trained=None, generation=()):
    """Yield a record per claim, the worst of both sizes, limits per dtype."""
    measured = {}
    for (config, rows), known in zip((ARTICLE, ALL_DIFFERENT), (trained, None)):
        weights, ids = known or draw_weights(config, seed), np.array(rows)
        expected = [reference_tensors(config, weights, row) for row in rows]
        for dtype in LIMITS:
            model = TinyLlama(config, weights, dtype)
            for check_id, value in [*measure_tensors(model, ids, expected),
                                    *measure_calls(model, ids)]:
                limit_of = dtype if CLAIMS[check_id][0] == RELATIVE else "any"
                measured.setdefault((check_id, limit_of), []).append(value)
    measured.update(generation)
    for (check_id, dtype), values in measured.items():
        (unit, claim), worst = CLAIMS[check_id], float(np.max(values))
        limit = LIMITS.get(dtype, 0.0)
        yield {"id": check_id + ("-float32" if dtype == "float32" else ""),
               "claim": claim, "measured": json_number(float(f"{worst:.0e}")),
               "limit": limit, "unit": unit, "dtype": dtype,
               "passed": worst <= limit}


# ---------------------------------------------------------------------- trace
AXES = {                        # of the others: batch position channel
    "batch head position channel": "q q_rotated heads",
    "batch kv_head position channel": "k k_rotated v",
    "batch head query key": "scores masked_scores weights",
    "batch position vocab": "logits", "batch vocab": "next_token_probs"}
UNITS = {"scores": "score", "masked_scores": "score", "weights": "probability",
         "logits": "logit", "next_token_probs": "probability"}


def json_number(value):
    """Return value, or its name where JSON has no such number."""
    return float(value) if math.isfinite(value) else json.dumps(float(value))


def tensor_record(name, array):
    """Return a tensor with its axes, shape, unit and flat values."""
    short = name.split(".")[-1]
    axes = next((axes for axes in AXES if short in AXES[axes].split()),
                "batch position channel")
    rounded = np.round(array.astype(np.float64), 6) + 0.0    # -0.0 becomes 0.0
    return {"dims": axes.split(), "shape": list(array.shape),
            "unit": UNITS.get(short, "activation"),
            "values": [json_number(value) for value in rounded.flat]}


def build_trace(options, weights, made, checks):
    """Return what the article shows of a run: no time, no host, no folder."""
    ids, source, about = options.ids, Path(__file__), options.about
    origin, minor, more, steps = ["--seed", str(options.seed)], 0, {}, []
    if about:
        origin, minor = ["--weights", Path(options.weights).name], 2
    tokens, chunks = (",".join(map(str, sizes))
                      for sizes in (options.tokens, options.chunks))
    if len(options.calls) > 1:
        minor = 3
        steps = ["--chunks", chunks, "--generate", str(options.generate)]
        more["generation"] = {"prompt": len(options.tokens),
                              "calls": options.calls}
    return {
        "format": "attention-trace", "format_major": 1, "format_minor": minor,
        "producer": {"script": source.name,
                     "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
                     "arguments": ["--tokens", tokens, *origin,
                                   "--dtype", options.dtype, *steps]},
        "model": {"name": "TinyLlama", "revision": f"seed {options.seed}",
                  **about, **asdict(Config()), "dtype": options.dtype,
                  "rope_pairing": "half-split", "trained": bool(about)},
        "input": {"token_ids": [ids], "position_ids": [list(range(len(ids)))],
                  "token_labels": [[LABELS[token] for token in ids]]},
        "vocabulary": LABELS, "checks": checks, **more,
        "tensors": {name: tensor_record(name, made[name]) for name in made},
        "parameters": {name: {
            "shape": list(weight.shape), "encoding": "f32-base64",
            "data": base64.b64encode(weight.astype("<f4")).decode()}
            for name, weight in weights.items()}}


def write_whole(path, content):
    """Write bytes to path, all of them or none; raise OSError if that fails."""
    if path == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    file = Path(os.path.realpath(path))
    if file.exists() and not (file.is_file() and os.access(file, os.W_OK)):
        raise OSError(f"{path} is not a file that may be replaced")
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror}") from None
    finally:
        unfinished.unlink(missing_ok=True)


# --------------------------------------------------------------- command line
def numbers(text):
    """Return [1, 2, 3] for "1,2,3"; raise ValueError for anything else."""
    return [int(word) for word in text.split(",")]


def parse_arguments(arguments):
    """Return the command line's options; a mistake is one line and status 2."""
    parser = argparse.ArgumentParser(prog="tiny_llama.py", allow_abbrev=False)
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}\n")
    add = parser.add_argument
    add("--verify", action="store_true", help="print all checks")
    add("--export-trace", metavar="PATH", help="write it as JSON; - prints it")
    add("--tokens", type=numbers, default=TOKENS, help="0..31 (%(default)s)")
    add("--chunks", type=numbers, help="how many of them each call reads")
    add("--generate", type=int, default=0, metavar="N", help="further tokens")
    either = parser.add_mutually_exclusive_group().add_argument
    either("--seed", type=int, default=str(SEED), help="(%(default)s)")
    either("--weights", metavar="FILE", help="trained ones, such as twin.npz")
    add("--dtype", choices=LIMITS, default="float64", help="of the run")
    options = parser.parse_args(arguments)
    if not options.verify and options.export_trace is None:
        parser.error("nothing to do: give --verify or --export-trace PATH")
    length = len(options.tokens)
    options.chunks = options.chunks or [length]
    if min(options.chunks) < 1 or sum(options.chunks) != length:
        parser.error(f"--chunks: expected sizes above 0, together {length}")
    if not 0 <= options.generate <= CAPACITY:
        parser.error(f"--generate: expected 0..{CAPACITY}")
    return options


def print_checks(checks, file):
    """Print each claim with what was measured and its limit."""
    for check in checks:
        print("pass " if check["passed"] else "FAIL ", f"{check['claim']}: "
              f"{float(check['measured']):g} {check['unit']}, limit "
              f"{check['limit']:g} ({check['dtype']})", file=file)
    passed = sum(check["passed"] for check in checks)
    print(f"{passed} of {len(checks)} checks passed", file=file, flush=True)


def main(arguments=None):
    """Do what the command line asks; return 1 if a check failed, else 0."""
    options = parse_arguments(arguments)
    weights, options.about = draw_weights(Config(), options.seed), {}
    if options.weights is not None:
        weights, options.about = read_weights(options.weights)
    model = TinyLlama(Config(), weights, options.dtype)
    options.ids, made, options.calls = generate(
        model, options.tokens, options.chunks + [1] * options.generate)
    apart = [float(call["difference"]) for call in options.calls]
    checks = list(run_checks(options.seed, weights, {
        ("generation", options.dtype): apart} if len(apart) > 1 else {}))
    if options.verify:
        to_stdout = options.export_trace == "-"
        print_checks(checks, sys.stderr if to_stdout else sys.stdout)
    if options.export_trace is not None:
        text = json.dumps(build_trace(options, weights, made, checks),
                          allow_nan=False, separators=(",", ":")) + "\n"
        # A tensor, a weight, a check to a line: changes can be read as a diff.
        write_whole(options.export_trace, text.replace("},", "},\n").encode())
    return 0 if all(check["passed"] for check in checks) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        print(f"tiny_llama.py: {error}", file=sys.stderr)
        os._exit(2)      # sys.exit would try a full standard output once more
