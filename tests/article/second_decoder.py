"""The twin's decoder a second time, on many sequences at once: einsum and complex
numbers, float64, no function of tiny_llama.py's."""

import numpy as np

LAYERS, HEADS, GROUP, HEAD_DIM, EPS, THETA = 2, 4, 2, 8, 1e-6, 10000.0


def normed(states, gain):
    """Return states [N, T, D] over their root mean square, times gain."""
    return gain * states / np.sqrt(np.einsum("ntd,ntd->nt", states, states)[..., None]
                                   / states.shape[-1] + EPS)


def turned(heads):
    """Return heads [N, T, H, dh] with channels i and i + dh/2 as one complex number."""
    half = HEAD_DIM // 2
    angles = np.arange(heads.shape[1])[:, None] * THETA ** (-np.arange(half) / half)
    numbers = heads[..., :half] + 1j * heads[..., half:]
    numbers = numbers * np.exp(1j * angles)[:, None]
    return np.concatenate([numbers.real, numbers.imag], axis=-1)


def attention(states, weights, *, mask, rope):
    """Return (weights [N, H, T, T], mixtures [N, T, H, dh]) of one layer."""
    q, k, v = (np.einsum("ntd,dc->ntc", states, weights[name]).reshape(
        *states.shape[:2], -1, HEAD_DIM) for name in ("wq", "wk", "wv"))
    if rope:
        q, k = turned(q), turned(k)
    shared = np.arange(HEADS) // GROUP
    scores = np.einsum("nthd,nshd->nhts", q, k[:, :, shared]) / np.sqrt(HEAD_DIM)
    if mask:
        later = np.triu(np.ones(scores.shape[-2:], dtype=bool), 1)
        scores = np.where(later, -1e30, scores)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares, np.einsum("nhts,nshd->nthd", shares, v[:, :, shared])


def decode(weights, sequences, *, silent=(), mask=True, rope=True):
    """Return (logits [N, T, V], attention [layers, N, H, T, T]).

    silent  (layer, head) pairs whose mixtures are zeros
    """
    states, seen = weights["embedding"][sequences].astype(float), []
    for layer in range(LAYERS):
        own = {name.rpartition(".")[2]: array.astype(float) for name, array
               in weights.items() if name.startswith(f"layers.{layer}.")}
        shares, mixed = attention(normed(states, own["attn_norm"]), own, mask=mask,
                                  rope=rope)
        heard = [(layer, head) not in silent for head in range(HEADS)]
        mixed = mixed * np.array(heard)[:, None]
        states = states + np.einsum("nthd,hdc->ntc", mixed, own["wo"].reshape(
            HEADS, HEAD_DIM, -1))
        inner = normed(states, own["mlp_norm"])
        gate, up = inner @ own["w_gate"], inner @ own["w_up"]
        states = states + (gate * up / (1 + np.exp(-gate))) @ own["w_down"]
        seen.append(shares)
    logits = normed(states, weights["final_norm"]) @ weights["embedding"].T
    return logits, np.stack(seen)


def right_answers(logits, sequences):
    """Return how many tokens of the second half, but its first, were the likeliest."""
    half, right = sequences.shape[1] // 2, 0
    for row, tokens in zip(logits, sequences.tolist(), strict=True):
        for t in range(half, 2 * half - 1):
            right += int(row[t].argmax()) == tokens[t + 1]
    return right


def accuracy(weights, sequences, **changes):
    """Return the share of right answers; keywords as decode's."""
    right = sum(right_answers(decode(weights, part, **changes)[0], part)
                for part in np.array_split(sequences, max(1, len(sequences) // 50)))
    return right / (len(sequences) * (sequences.shape[1] // 2 - 1))


def looked_at(shares, back, queries):
    """Return each head's mean weight, [layers, H], on the position `back` before."""
    return np.mean([shares[:, :, :, t, t - back].mean(axis=1) for t in queries], axis=0)
