"""What a page carries of a trace: an island of JSON, and scripts for large tensors.

A small tensor stands in the island as the trace has it.  The attention of more than
LARGE positions is written as whole parts (sitegen/parts.py): of layer 0 in the island,
of every other layer as a script of its own, which the page inserts when a figure comes
near.  A script calls one function with (trace id, tensor name, base64), nothing else.
"""

import json

import numpy as np
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from sitegen.parts import DEFAULT_PARTS, encode_rows, encoding_name
from sitegen.traces import forbidden_cells

LARGE = 32
LEFT_OUT = ("tensors", "parameters", "checks", "environment")
IN_PAGE = "layers.0.weights"


def island_of(trace, names, extras=None):
    """Return (JSON as Markup, path below the page's folder → text of its scripts).

    names   of tensors; layers.{i}.contributions are made of the trace's weights
    extras  key → value, beside the trace's own keys
    """
    data = {key: value for key, value in trace.data.items() if key not in LEFT_OUT}
    data.update(extras or {})
    data["tensors"], files = {}, {}
    for name in sorted(names):
        if not name.endswith(".contributions") and not is_large(trace, name):
            data["tensors"][name] = trace.data["tensors"][name]
            continue
        stored = _stored(trace, name)
        if name != IN_PAGE:
            stored["file"] = f"data/{trace.id}/{name}.js"
            files[stored["file"]] = script_of(trace.id, name, stored.pop("data"))
        data["tensors"][name] = stored
    text = htmlsafe_json_dumps(data, allow_nan=False, separators=(",", ":"))
    return Markup(text), files


def is_large(trace, name):
    """Return whether a tensor is attention of more positions than a table shows."""
    shape = trace.data["tensors"][name]["shape"]
    return name.endswith(".weights") and max(shape[2:]) > LARGE


def script_of(trace_id, name, data):
    """Return the script that hands a tensor to the page."""
    return f"receiveTensor({json.dumps(trace_id)},{json.dumps(name)},\"{data}\");\n"


def _stored(trace, name):
    layer, _, kind = name.rpartition(".")
    rows = contributions(trace, layer) if kind == "contributions" else trace.tensor(name)
    allowed = ~forbidden_cells(trace, rows.shape[2:])
    return {"dims": ["batch", "head", "query", "key"], "shape": list(rows.shape),
            "unit": "probability", "encoding": encoding_name(DEFAULT_PARTS),
            "data": encode_rows(rows, allowed)}


def contributions(trace, layer):
    """Return [B, H, T, S]: each weight times the length of the value it takes, as a
    share of its row's sum.

    layer  as in "layers.3"; its value_norms [B, H, S] are the lengths of the values,
           each after its head's block of W_O.  Kobayashi et al. 2020.
    """
    lengths = trace.tensor(f"{layer}.value_norms")[:, :, None, :]
    taken = trace.tensor(f"{layer}.weights") * lengths
    return taken / np.maximum(taken.sum(-1, keepdims=True), np.finfo(float).tiny)
