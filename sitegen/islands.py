"""What a page carries of a trace: an island of JSON, and scripts for large tensors.

A small tensor stands in the island as the trace has it.  The attention of more than
LARGE positions is written as whole parts (sitegen/parts.py).  Layer 0's weights stay in
the island; every other tensor with much data is a script of its own, which the page
inserts when a figure comes near.  A script calls one function with (trace id, tensor
name, base64), and does nothing else.  Two more scripts bring what the page's own model
needs: the parameters, and the whole recording, with which it compares what it computes.
"""

import base64
import json
import zlib

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from sitegen.parts import DEFAULT_PARTS, encode_rows, encoding_name
from sitegen.recorded import contributions
from sitegen.traces import forbidden_cells

LARGE = 32               # positions
MUCH = 4000              # characters of base64
KEPT = ("format", "format_major", "format_minor", "producer", "model", "vocabulary")
INPUT_KEPT = ("token_ids", "token_labels", "position_ids")
IN_PAGE = "layers.0.weights"


def island_of(trace, names, extras=None, much=MUCH):
    """Return (JSON as Markup, path below the page's folder → text of its scripts).

    names   of tensors; layers.{i}.contributions are made of the trace's weights
    extras  key → value, beside the trace's own keys
    much    characters of base64 above which a tensor is a script of its own
    """
    data = {key: trace.data[key] for key in KEPT if key in trace.data}
    data["input"] = {key: trace.data["input"][key] for key in INPUT_KEPT}
    data.update(extras or {})
    data["tensors"], files = {}, {}
    for name in sorted(names):
        stored = _stored(trace, name)
        if len(stored.get("data", "")) > much and name != IN_PAGE:
            stored["file"] = f"data/{trace.id}/{name}.js"
            files[stored["file"]] = script_of(trace.id, name, stored.pop("data"))
        data["tensors"][name] = stored
    text = htmlsafe_json_dumps(data, allow_nan=False, separators=(",", ":"))
    return Markup(text), files


def model_scripts(trace, address):
    """Return (what the island says of a trace's parameters, path → text of the scripts
    that bring them and the recording; static/js/lib/parameters.js reads both).

    address  what stands before the trace's names in the page's address
    """
    parameters, folder = trace.data["parameters"], f"data/{trace.id}"
    weights = b"".join(base64.b64decode(stored["data"])
                       for stored in parameters.values())
    recorded = {name: {key: stored[key] for key in ("shape", "values")}
                for name, stored in trace.data["tensors"].items() if "values" in stored}
    text = json.dumps(recorded, allow_nan=False, separators=(",", ":"))
    contents = {"parameters": weights, "recorded": zlib.compress(text.encode(), 9)}
    said = {"file": f"{folder}/parameters.js", "recorded": f"{folder}/recorded.js",
            "shapes": {name: stored["shape"] for name, stored in parameters.items()},
            "address": address}
    return said, {f"{folder}/{name}.js": script_of(
        trace.id, name, base64.b64encode(content).decode())
        for name, content in contents.items()}


def _is_large(stored):
    return max(stored["shape"][-2:]) > LARGE


def script_of(trace_id, name, data):
    """Return the script that hands a tensor to the page."""
    return f"receiveTensor({json.dumps(trace_id)},{json.dumps(name)},\"{data}\");\n"


def _stored(trace, name):
    """Return a tensor as a page has it: attention of many positions as whole parts."""
    layer, _, kind = name.rpartition(".")
    recorded = trace.data["tensors"].get(name)
    attention = kind in ("weights", "contributions")
    if recorded and not (attention and _is_large(recorded)):
        return dict(recorded)
    rows = contributions(trace, layer) if recorded is None else trace.tensor(name)
    first = rows[:1]                        # what a page shows of a batch
    allowed = ~forbidden_cells(trace, first.shape[2:])
    return {"dims": ["batch", "head", "query", "key"], "shape": list(first.shape),
            "unit": "probability", "encoding": encoding_name(DEFAULT_PARTS),
            "data": encode_rows(first, allowed)}
