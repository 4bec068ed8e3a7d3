"""A decoder with a cache a second time: rows in a dictionary, einsum and complex
numbers, float64, no function of tiny_llama.py's and none of the article's scripts.

Every mistake of the article is one argument here, where it is a class of its own there.
"""

import numpy as np
import pytest

from tests.article.second_decoder import GROUP, HEAD_DIM, HEADS, LAYERS, THETA, normed

ROUNDING = 1e-12        # of the largest value


def gap(found, expected):
    """Return the largest difference over the largest expected size."""
    return np.max(np.abs(found - expected)) / np.max(np.abs(expected))


def assert_same(found, expected):
    """Rounding is rounding; all else is found again to nine digits."""
    if expected <= ROUNDING or found <= ROUNDING:
        assert max(found, expected) <= ROUNDING
    else:
        assert found == pytest.approx(expected, rel=1e-9)


def turned(heads, positions):
    """Return heads [N, T, H, dh], channels i and i + dh/2 as one turned number."""
    half = HEAD_DIM // 2
    angles = np.array(positions)[:, None] * THETA ** (-np.arange(half) / half)
    numbers = heads[..., :half] + 1j * heads[..., half:]
    numbers = numbers * np.exp(1j * angles)[:, None]
    return np.concatenate([numbers.real, numbers.imag], axis=-1)


class Reader:
    """Reads tokens call by call; `rows` are (layer, row) → (key, value), [N, Hkv, dh].

    position   (first new row, index in the call) → the position of RoPE
    sees       (first new row, index in the call, row) → whether the query may look
    row        (first new row, index in the call) → where its key and value are written
    layer_of   layer → whose part of the cache it uses
    unturned    keys are stored before RoPE, and only a call's own are turned
    """

    def __init__(self, weights, *, position=lambda start, i: start + i,
                 sees=lambda start, i, row: row <= start + i,
                 row=lambda start, i: start + i, layer_of=lambda layer: layer,
                 unturned=False):
        self.weights, self.rows, self.length = weights, {}, 0
        self.position, self.sees, self.row = position, sees, row
        self.layer_of, self.unturned = layer_of, unturned

    def read(self, tokens):
        """Return the logits [N, T, V] of new tokens [N, T], after those read so far."""
        states = self.weights["embedding"][tokens]
        for layer in range(LAYERS):
            own = {name.rpartition(".")[2]: weight
                   for name, weight in self.weights.items()
                   if name.startswith(f"layers.{layer}.")}
            mixed = self.attend(layer, normed(states, own["attn_norm"]), own)
            states = states + np.einsum("ntc,cd->ntd", mixed, own["wo"])
            inner = normed(states, own["mlp_norm"])
            gate = np.einsum("ntd,df->ntf", inner, own["w_gate"])
            opened = gate / (1 + np.exp(-gate)) * np.einsum(
                "ntd,df->ntf", inner, own["w_up"])
            states = states + np.einsum("ntf,fd->ntd", opened, own["w_down"])
        self.length += tokens.shape[1]
        final = normed(states, self.weights["final_norm"])
        return np.einsum("ntd,vd->ntv", final, self.weights["embedding"])

    def attend(self, layer, states, own):
        """Return the heads' mixtures [N, T, Hq·dh], the new rows stored."""
        count, start, part = states.shape[1], self.length, self.layer_of(layer)
        q, k, v = (np.einsum("ntd,dc->ntc", states, own[name]).reshape(
            *states.shape[:2], -1, HEAD_DIM) for name in ("wq", "wk", "wv"))
        positions = [self.position(start, i) for i in range(count)]
        q, seen_k = turned(q, positions), turned(k, positions)
        for i in range(count):
            self.rows[part, self.row(start, i)] = (
                (k if self.unturned else seen_k)[:, i], v[:, i])
        empty = (np.zeros_like(k[:, 0]), np.zeros_like(v[:, 0]))
        stored = [self.rows.get((part, row), empty) for row in range(start + count)]
        keys, values = (np.stack(side, axis=1) for side in zip(*stored, strict=True))
        if self.unturned:
            keys[:, start:] = seen_k
        shared = np.arange(HEADS) // GROUP
        scores = np.einsum("nthd,nshd->nhts", q, keys[:, :, shared]) / HEAD_DIM ** .5
        allowed = np.array([[self.sees(start, i, row) for row in range(start + count)]
                            for i in range(count)])
        with np.errstate(invalid="ignore", divide="ignore"):
            powers = np.exp(scores - scores.max(-1, keepdims=True)) * allowed
            shares = powers / powers.sum(-1, keepdims=True)
        mixed = np.einsum("nhts,nshd->nthd", shares, values[:, :, shared])
        return mixed.reshape(*states.shape[:2], -1)


def read_in_calls(weights, tokens, sizes, fed_again=False, **ways):
    """Return (logits [N, T, V] of tokens read in calls of these sizes, the Reader)."""
    reader, parts, end = Reader(weights, **ways), [], 0
    for size in sizes:
        begin, end = (0 if fed_again else end), end + size
        parts.append(reader.read(tokens[:, begin:end])[:, -size:])
    return np.concatenate(parts, axis=1), reader


def told(weights, sequences, fed_again=False, **ways):
    """Return the share of the second half that greedy steps repeat, after a prompt of
    the first half and one token, read in two calls, the second of four."""
    half = sequences.shape[1] // 2
    reader, ids = Reader(weights, **ways), sequences[:, :half + 1]
    reader.read(ids[:, :half - 3])
    logits = reader.read(ids if fed_again else ids[:, half - 3:])
    while ids.shape[1] < sequences.shape[1]:
        ids = np.hstack([ids, logits[:, -1:].argmax(-1)])
        if ids.shape[1] < sequences.shape[1]:
            logits = reader.read(ids if fed_again else ids[:, -1:])
    return np.mean(ids[:, half + 1:] == sequences[:, half + 1:])


def counted(weights, new, stored):
    """Return the multiply-adds of a call of one sequence, product by product."""
    total = new * weights["embedding"].size            # the output matrix
    for name, weight in weights.items():
        if name.startswith("layers.") and weight.ndim == 2:
            total += new * weight.size
    for _ in range(LAYERS * HEADS):
        total += 2 * new * (stored + new) * HEAD_DIM    # scores, then the mixture
    return total
