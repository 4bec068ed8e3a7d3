"""Traces of any size, as JSON data, for tests of what shows them."""

import base64
import json
import zlib

import numpy as np

WORDS = ("the", "river", "meets", "the", "quiet", "sea")


def synthetic_trace(length=6, layers=2, heads=4, kv_heads=2, labels=None, packed=False):
    """Return a trace with random causal weights and scores of a batch of one.

    length   how many positions
    labels   token labels; words in turn when None
    packed   store the tensors as float32, deflated and in base64
    """
    rng = np.random.default_rng(47)
    tensors = {}
    for layer in range(layers):
        scores = rng.normal(0, 1.2, (1, heads, length, length))
        tensors[f"layers.{layer}.scores"] = _stored(scores, "score", packed)
        weights = _softmax_of_the_past(scores)
        tensors[f"layers.{layer}.weights"] = _stored(weights, "probability", packed)
    return {
        "format": "attention-trace", "format_major": 1, "format_minor": 0,
        "producer": {"script": "tiny_llama.py", "sha256": "0" * 64, "arguments": []},
        "model": {
            "name": "Synthetic", "revision": "seed 47", "hidden_size": 32,
            "intermediate_size": 96, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads,
            "head_dim": 8, "vocab_size": 32, "rope_theta": 10000.0,
            "rms_norm_eps": 1e-6,
            "tie_word_embeddings": True, "dtype": "float32" if packed else "float64",
            "rope_pairing": "half-split", "trained": False,
        },
        "input": {
            "token_ids": [[1 + i % 6 for i in range(length)]],
            "token_labels": [list(labels or (WORDS[i % 6] for i in range(length)))],
            "position_ids": [list(range(length))],
        },
        "vocabulary": [f"word{i}" for i in range(32)],
        "checks": [{"id": "rows", "claim": "rows sum to one", "measured": 0.0,
                    "limit": 1e-5, "unit": "of one", "passed": True}],
        "tensors": tensors,
    }


def _softmax_of_the_past(scores):
    allowed = np.tril(np.ones(scores.shape[-2:], bool))
    powers = np.where(allowed, np.exp(scores - scores.max(-1, keepdims=True)), 0)
    return powers / powers.sum(-1, keepdims=True)


def _stored(array, unit, packed):
    head = {"dims": ["batch", "head", "query", "key"], "shape": list(array.shape),
            "unit": unit}
    if packed:
        raw = zlib.compress(array.astype("<f4").tobytes())
        data = base64.b64encode(raw).decode("ascii")
        return {**head, "encoding": "f32-deflate-base64", "data": data}
    return {**head, "values": [round(value, 6) for value in array.ravel().tolist()]}


def add_trace(site, trace, trace_id="demo"):
    """Give a SmallSite a trace."""
    site.add("traces.toml", f'[{trace_id}]\nfile = "content/{trace_id}.json"\n')
    site.add(f"{trace_id}.json", json.dumps(trace))
