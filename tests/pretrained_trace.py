"""Traces as the probe records them, of random numbers, for tests of what shows them."""

import base64
import json
import zlib

import numpy as np

from sitegen.traces import parse_trace
from tests.synthetic_trace import synthetic_trace


def pretrained_trace(length=40, layers=5, heads=6, kv_heads=2, token_ids=None):
    """Return a trace with weights and lengths of values, and without scores."""
    data = synthetic_trace(length, layers, heads, kv_heads, packed=True)
    data["format_minor"] = 1
    data["model"].update(name="Small-Instruct", weights="Q4_1 dequantised to float32",
                         trained=True)
    if token_ids is not None:
        data["input"]["token_ids"] = [list(token_ids)]
    rng = np.random.default_rng(11)
    data["tensors"] = {name: tensor for name, tensor in data["tensors"].items()
                       if name.endswith(".weights")}
    for layer in range(layers):
        lengths = rng.uniform(0.5, 2, (1, heads, length))
        data["tensors"][f"layers.{layer}.value_norms"] = packed(
            lengths, ["batch", "head", "position"], "activation")
    return data


def packed(array, dims, unit):
    """Return a tensor as a trace has it: float32, deflated, in base64."""
    raw = zlib.compress(np.asarray(array, "<f4").tobytes())
    return {"dims": dims, "shape": list(np.shape(array)), "unit": unit,
            "encoding": "f32-deflate-base64", "data": base64.b64encode(raw).decode()}


def put_weights(data, layer, weights):
    """Put [H, T, T] weights into a trace."""
    data["tensors"][f"layers.{layer}.weights"] = packed(
        np.asarray(weights)[None], ["batch", "head", "query", "key"], "probability")


def parsed(data, trace_id="pretrained"):
    """Return the Trace of a trace's data, which must be whole."""
    trace, problems = parse_trace(trace_id, "trace.json", json.dumps(data))
    assert not problems, problems
    return trace
