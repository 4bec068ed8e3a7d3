"""The numbers of "The whole computation" that set two recordings side by side.

    python experiments_circuit.py

The trained twin and a pretrained model, each on a prompt that repeats itself: which
head reads the position before, and which head finds what came after the same token the
last time.  It runs beside twin_trace.json and pretrained_repeated_trace.json and needs
NumPy alone.

Axes: L layers, H heads, T queries, S keys.
"""

import base64
import json
import zlib
from pathlib import Path

import numpy as np


def read_tensor(tensor):
    """Return one tensor of a trace as float64: decimals, float32, or parts of one."""
    if "values" in tensor:
        return np.array(tensor["values"], float).reshape(tensor["shape"])
    raw = zlib.decompress(base64.b64decode(tensor["data"]))
    kind, *parts = tensor["encoding"].split("-")
    numbers = (np.frombuffer(raw, "<u2") / int(parts[0]) if kind == "parts"
               else np.frombuffer(raw, "<f4").astype(float))
    return numbers.reshape(tensor["shape"])


def read_weights(trace):
    """Return the weights of every layer, first batch item: [L, H, T, S]."""
    names = [f"layers.{layer}.weights"
             for layer in range(trace["model"]["num_hidden_layers"])]
    return np.stack([read_tensor(trace["tensors"][name])[0] for name in names])


def period_of(token_ids):
    """Return the shift at which the most tokens equal earlier ones."""
    ids = np.array(token_ids)
    return max(range(2, len(ids)),
               key=lambda shift: (ids[shift:] == ids[:-shift]).sum())


def on_previous(weights):
    """Return each head's mean weight on the position before, [L, H]."""
    return np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(-1)


def on_successor(weights, token_ids):
    """Return each head's mean weight on what followed the same token one period ago,
    [L, H], over the positions whose token stood there."""
    ids, period = np.array(token_ids), period_of(token_ids)
    queries = np.flatnonzero(ids[period:] == ids[:-period]) + period
    return weights[..., queries, queries - period + 1].mean(-1)


def strongest(scores):
    """Return (layer, head, score) of the head with the largest score."""
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    return int(layer), int(head), float(scores[layer, head])


def circuit_of(file):
    """Return the strongest previous-token and induction heads of a recording."""
    trace = json.loads(Path(file).read_text("utf-8"))
    weights = read_weights(trace)
    return (strongest(on_previous(weights)),
            strongest(on_successor(weights, trace["input"]["token_ids"][0])))


(twin_previous, twin_induction) = circuit_of("twin_trace.json")
(large_previous, large_induction) = circuit_of("pretrained_repeated_trace.json")
large_name = json.loads(Path("pretrained_repeated_trace.json").read_text("utf-8"))[
    "model"]["name"]
twin_previous_layer, twin_previous_head, twin_previous_share = twin_previous
twin_induction_layer, twin_induction_head, twin_induction_share = twin_induction
large_previous_layer, large_previous_head, large_previous_share = large_previous
large_induction_layer, large_induction_head, large_induction_share = large_induction

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
