"""A decoder with a cache a second time: rows in a dictionary, einsum and complex
numbers, float64, no function of tiny_llama.py's and none of the article's scripts.

Every mistake of the article is one argument here, where it is a class of its own there.
Axes: n sequences, t new tokens, s rows, h heads, d and c channels, f inner channels,
v vocabulary.
"""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Sizes:
    """What the weights' shapes do not tell; as it stands, the twin's."""

    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 8
    theta: float = 10000.0
    eps: float = 1e-6


ARTICLE = Sizes()
ALL_DIFFERENT = Sizes(layers=4, heads=6, head_dim=10, theta=500.0, eps=1e-3)


def turned(heads, positions, theta):
    """Return heads [N, T, H, dh], channels i and i + dh/2 as one turned number."""
    half = heads.shape[-1] // 2
    angles = np.array(positions)[:, None] * theta ** (-np.arange(half) / half)
    numbers = heads[..., :half] + 1j * heads[..., half:]
    numbers = numbers * np.exp(1j * angles)[:, None]
    return np.concatenate([numbers.real, numbers.imag], axis=-1)


def shares_of(scores, allowed):
    """Return what each query takes from each row, [N, H, T, S]; NaN if from none."""
    seen = np.where(allowed, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(seen - seen.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)


@dataclass
class Reader:
    """Reads tokens call by call, counts what it multiplies, and keeps what it stored.

    position   (first new row, index in the call) → the position of RoPE
    sees       (first new row, index in the call, row) → whether the query may look
    row        (first new row, index in the call) → where its key and value are written
    layer_of   layer → whose part of the cache it uses
    unturned   keys are stored before RoPE, and only a call's own are turned
    instead    (layer, head) → mixtures [N, T, dh] that it writes in place of its own
    rows       (layer, row) → [key, value], each [N, Hkv, dh]
    scores     layer → the last call's scores, of what is hidden too, [N, Hq, T, S]
    shares     layer → the last call's weights, [N, Hq, T, S]
    mixed      layer → the last call's mixtures, [N, T, Hq, dh]
    costs      of each call, its multiply-adds and the bytes that are then stored
    """

    weights: dict
    sizes: Sizes = ARTICLE
    position: object = lambda start, i: start + i
    sees: object = lambda start, i, row: row <= start + i
    row: object = lambda start, i: start + i
    layer_of: object = lambda layer: layer
    unturned: bool = False
    instead: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)
    scores: dict = field(default_factory=dict)
    shares: dict = field(default_factory=dict)
    mixed: dict = field(default_factory=dict)
    costs: list = field(default_factory=list)
    length: int = 0
    multiply_adds: int = 0

    def product(self, letters, left, right):
        """Return an einsum; it multiplies once for each choice of all its letters."""
        factors = letters.partition("->")[0].replace(",", "")
        lengths = dict(zip(factors, left.shape + right.shape, strict=True))
        self.multiply_adds += math.prod(lengths.values())
        return np.einsum(letters, left, right)

    def normed(self, states, gain):
        """Return states [N, T, D] over their root mean square, times gain."""
        squares = np.einsum("ntd,ntd->nt", states, states)[..., None]
        return gain * states / np.sqrt(squares / states.shape[-1] + self.sizes.eps)

    def read(self, tokens):
        """Return the logits [N, T, V] of new tokens [N, T], after those read so far."""
        embedding, self.multiply_adds = self.weights["embedding"], 0
        states = embedding[tokens]
        for layer in range(self.sizes.layers):
            own = {name.rpartition(".")[2]: weight
                   for name, weight in self.weights.items()
                   if name.startswith(f"layers.{layer}.")}
            mixed = self.attend(layer, self.normed(states, own["attn_norm"]), own)
            states = states + self.product("ntc,cd->ntd", mixed, own["wo"])
            inner = self.normed(states, own["mlp_norm"])
            gate = self.product("ntd,df->ntf", inner, own["w_gate"])
            up = self.product("ntd,df->ntf", inner, own["w_up"])
            states = states + self.product(
                "ntf,fd->ntd", gate * up / (1 + np.exp(-gate)), own["w_down"])
        self.length += tokens.shape[1]
        logits = self.product("ntd,dv->ntv", self.normed(states, self.weights[
            "final_norm"]), self.weights.get("lm_head", embedding.T))
        self.costs.append((self.multiply_adds, self.stored_bytes()))
        return logits

    def attend(self, layer, states, own):
        """Return the heads' mixtures [N, T, Hq·dh], the new rows stored."""
        (batch, count), start, sizes = states.shape[:2], self.length, self.sizes
        q, k, v = (self.product("ntd,dc->ntc", states, own[name]).reshape(
            batch, count, -1, sizes.head_dim) for name in ("wq", "wk", "wv"))
        positions = [self.position(start, i) for i in range(count)]
        q, turned_k = (turned(heads, positions, sizes.theta) for heads in (q, k))
        part = self.layer_of(layer)
        for i in range(count):
            self.rows[part, self.row(start, i)] = [
                (k if self.unturned else turned_k)[:, i], v[:, i]]
        keys, values = self.stored(part, start + count, v[:, 0])
        if self.unturned:
            keys[:, start:] = turned_k
        shared = np.arange(sizes.heads) // (sizes.heads // sizes.kv_heads)
        scores = self.product("nthd,nshd->nhts", q, keys[:, :, shared])
        self.scores[layer] = scores / sizes.head_dim ** .5
        self.shares[layer] = shares_of(self.scores[layer], np.array(
            [[self.sees(start, i, row) for row in range(start + count)]
             for i in range(count)]))
        mixed = self.product("nhts,nshd->nthd", self.shares[layer],
                             values[:, :, shared])
        for head in range(sizes.heads):
            mixed[:, :, head] = self.instead.get((layer, head), mixed[:, :, head])
        self.mixed[layer] = mixed
        return mixed.reshape(batch, count, -1)

    def stored(self, part, end, like):
        """Return keys and values [N, end, Hkv, dh], zeros where no row is."""
        empty = [np.zeros_like(like)] * 2
        rows = [self.rows.get((part, row), empty) for row in range(end)]
        return [np.stack(side, axis=1) for side in zip(*rows, strict=True)]

    def side(self, layer, which):
        """Return a layer's keys (0) or values (1), [S, N, Hkv, dh]."""
        return np.stack([self.rows[layer, row][which] for row in range(self.length)])

    def stored_bytes(self):
        """Return the bytes of the rows' arrays."""
        return sum(array.nbytes for pair in self.rows.values() for array in pair)


def read_in_calls(weights, tokens, calls, fed_again=False, **ways):
    """Return (logits [N, T, V], the Reader) of tokens read in calls so long."""
    reader, parts, end = Reader(weights, **ways), [], 0
    for count in calls:
        begin, end = (0 if fed_again else end), end + count
        parts.append(reader.read(tokens[:, begin:end])[:, -count:])
    return np.concatenate(parts, axis=1), reader


def go_on(weights, prompt, calls, length, fed_again=False, **ways):
    """Return token ids [N, length]: a prompt [N, T] that is read in calls of these
    lengths, and the likeliest token at each step after it."""
    logits, reader = read_in_calls(weights, prompt, calls, fed_again, **ways)
    ids = np.hstack([prompt, logits[:, -1:].argmax(-1)])
    while ids.shape[1] < length:
        logits = reader.read(ids if fed_again else ids[:, -1:])
        ids = np.hstack([ids, logits[:, -1:].argmax(-1)])
    return ids


def told(weights, sequences, **ways):
    """Return the share of the second half that greedy steps repeat, after a prompt of
    the first half and one token, read in two calls, the second of four."""
    half, length = sequences.shape[1] // 2, sequences.shape[1]
    ids = go_on(weights, sequences[:, :half + 1], [half - 3, 4], length, **ways)
    return np.mean(ids[:, half + 1:] == sequences[:, half + 1:])


def replaced(tokens, j, token):
    """Return tokens [N, T] with this one at j, or the next where it stands already."""
    ids = tokens.copy()
    ids[:, j] = np.where(ids[:, j] == token, token + 1, token)
    return ids


def changes_between(before, after):
    """Return how far each entry is from that of another reader, [layers, T], as a share
    of the largest of the layer's keys or values, whichever is further."""
    return np.array([np.max([
        np.abs(after.side(layer, which) - kept).max(axis=(1, 2, 3)) / np.abs(kept).max()
        for which in (0, 1) for kept in [before.side(layer, which)]], axis=0)
        for layer in range(before.sizes.layers)])


def changes_by(weights, tokens, j, token, **ways):
    """Return how far each entry changes with token j, [layers, T]."""
    before, after = (read_in_calls(weights, ids, [ids.shape[1]], **ways)[1]
                     for ids in (tokens, replaced(tokens, j, token)))
    return changes_between(before, after)


def ways_to_cut(length):
    """Yield the lengths of the calls for every way to cut a length, bit by bit."""
    for bits in range(2 ** (length - 1)):
        ends = [end for end in range(1, length) if bits >> (end - 1) & 1]
        yield [end - start for start, end in zip([0, *ends], [*ends, length],
                                                 strict=True)]
