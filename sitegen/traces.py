"""Traces: one recorded computation each, and whether what it says can be true.

The schema (static/schema/trace.v1.schema.json) tells the form; `meaning_problems` tells
what no schema can: shapes, rows that sum to one, forbidden cells that are zero.
"""

import base64
import zlib
from dataclasses import dataclass, field
from math import prod

from sitegen.errors import Place, Problem
from sitegen.lazy import numpy as np
from sitegen.recorded import model_title
from sitegen.schemas import schema_errors
from sitegen.strict_json import read_json

MAJOR = 1
NOT_FINITE = {name: float(name) for name in ("-Infinity", "Infinity", "NaN")}
ROW_SUM_LIMIT = {"float64": 1e-5, "float32": 1e-4, "float16": 5e-3, "bfloat16": 2e-2}
LARGEST_BYTES = 1 << 28     # of one tensor, unpacked
INPUT = ("token_ids", "token_labels", "position_ids")


@dataclass
class Trace:
    """One recorded computation: the text as produced, and the same as JSON data."""

    id: str
    path: str
    text: str
    data: dict
    publish: str | None = None
    arrays: dict = field(default_factory=dict)

    def tensor(self, name):
        """Return a tensor as a float64 array, its infinities restored.

        Raises KeyError for a name the trace does not hold.
        """
        if name not in self.arrays:
            self.arrays[name] = read_array(self.data["tensors"][name])
        return self.arrays[name]


def read_array(tensor):
    """Return the float64 array [*shape] of one tensor of a trace, in any encoding.

    Raises ValueError when the data do not fill the shape.
    """
    shape = tensor["shape"]
    if "values" in tensor:
        flat = np.array([NOT_FINITE.get(v, v) if isinstance(v, str) else v
                         for v in tensor["values"]], float)
    else:
        flat = _decode(tensor["encoding"], tensor["data"], prod(shape))
    if flat.size != prod(shape):
        raise ValueError(f"{flat.size} numbers, expected {prod(shape)} "
                         f"for shape {shape}")
    return flat.reshape(shape)


def _decode(encoding, data, count):
    """Return the numbers of an encoded tensor; at most one more than `count`, since a
    few bytes may unpack to more than there is memory."""
    unpacker, most_bytes = zlib.decompressobj(), min(4 * count, LARGEST_BYTES) + 4
    try:
        raw = unpacker.decompress(base64.b64decode(data, validate=True), most_bytes)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{encoding}: cannot be decoded ({error})") from None
    if not unpacker.eof and len(raw) < most_bytes:
        raise ValueError(f"{encoding}: cannot be decoded (it ends too early)")
    if encoding == "f32-deflate-base64":
        return np.frombuffer(raw, "<f4").astype(float)
    parts = int(encoding.split("-")[1])
    kind = "<u1" if parts < 256 else "<u2"
    return np.frombuffer(raw, kind) / float(parts)


def parse_trace(trace_id, path, text, publish=None):
    """Return (Trace or None, problems) of a trace's text; strict JSON only."""
    place = Place(path)
    try:
        data = read_json(text)
    except (ValueError, RecursionError) as error:
        return None, [Problem(place, f"not JSON: {error}", "record it again; a trace "
                              "writes what is no number of JSON as a string")]
    major = data.get("format_major") if isinstance(data, dict) else None
    if isinstance(major, int) and major > MAJOR:
        return None, [Problem(place, f"trace format {major} is newer than this "
                              f"generator's {MAJOR}", "update the generator")]
    problems = [Problem(place, f"{_dotted(where)}: {message}")
                for where, message in schema_errors("trace.v1.schema.json", data)][:20]
    trace = Trace(trace_id, path, text, data, publish)
    problems = problems or list(meaning_problems(trace))
    return (None if problems else trace), problems


def _dotted(where):
    return ".".join(str(part) for part in where) or "trace"


def meaning_problems(trace):
    """Yield a Problem for whatever cannot be what its name says."""
    for message in _faults(trace):
        yield Problem(Place(trace.path), message, "record it again")


def _faults(trace):
    lengths = {len(row) for rows in trace.data["input"].values()
               if isinstance(rows, list) for row in rows}
    if len(lengths) > 1 or len({len(trace.data["input"][key]) for key in INPUT}) > 1:
        yield "input: expected ids, labels and positions of one length per batch item"
        return
    largest = max(map(max, trace.data["input"]["token_ids"]))
    size = trace.data["model"]["vocab_size"]
    if largest >= size:
        yield f"input.token_ids: {largest} is no token of a vocabulary of {size}"
    for name, tensor in trace.data["tensors"].items():
        try:
            array = trace.tensor(name)
        except ValueError as error:
            yield f"{name}: {error}"
            continue
        if len(tensor["dims"]) != array.ndim:
            yield f"{name}: {len(tensor['dims'])} dims for a shape of {array.ndim} axes"
        else:
            yield from (f"{name}: {fault}"
                        for fault in _attention_faults(trace, name, array))


def _attention_faults(trace, name, array):
    """Yield what is wrong with weights or masked scores, the worst cell or row."""
    kind = name.rpartition(".")[2]
    if kind not in ("weights", "masked_scores"):
        return
    dims, shape = trace.data["tensors"][name]["dims"], array.shape
    rows = trace.data["input"]["position_ids"]
    if dims != ["batch", "head", "query", "key"]:
        yield f"its axes are {dims}, expected batch, head, query, key"
    elif shape[0] != len(rows) or not shape[2] <= shape[3] <= len(rows[0]):
        yield (f"shape {list(shape)} does not fit an input of {len(rows)} × "
               f"{len(rows[0])}")
    else:
        forbidden = np.stack([forbidden_cells(trace, shape[2:], item)
                              for item in range(shape[0])])[:, None]
        check = _weights_faults if kind == "weights" else _mask_faults
        yield from check(array, forbidden, trace.data["model"]["dtype"])


def forbidden_cells(trace, shape, item=0):
    """Return [query, key] of bool, True where the key's position is later."""
    positions = np.array(trace.data["input"]["position_ids"][item])
    keys, queries = positions[:shape[1]], positions[:shape[1]][-shape[0]:]
    return keys[None, :] > queries[:, None]


def _weights_faults(weights, forbidden, dtype):
    limit = ROW_SUM_LIMIT[dtype]
    off = np.nan_to_num(np.abs(weights.sum(-1) - 1), nan=np.inf)
    if np.any(off > limit):
        row = np.unravel_index(np.argmax(off), off.shape)
        yield (f"row [head {row[1]}, query {row[2]}] sums to {weights[row].sum():.6g}, "
               f"expected 1 within {limit:g} ({dtype})")
    leak = np.abs(weights) * forbidden
    if np.any(leak > 0):
        yield (f"{_cell(np.argmax(leak), leak.shape)} is forbidden and holds "
               f"{leak.max():.6g}, expected exactly 0")
    if np.any(weights < 0):
        yield f"{_cell(np.argmin(weights), weights.shape)} is below zero"


def _mask_faults(scores, forbidden, dtype):
    wrong = np.isneginf(scores) != forbidden
    if np.any(wrong):
        yield (f"{_cell(np.argmax(wrong), wrong.shape)}: expected -Infinity exactly "
               "where the mask forbids")


def _cell(index, shape):
    _, head, query, key = np.unravel_index(index, shape)
    return f"[head {head}, query {query}, key {key}]"


def describe_trace(trace, words):
    """Return the sentence that says where a figure's numbers come from."""
    model, producer = trace.data["model"], trace.data["producer"]
    kind = "source_trained" if model.get("trained") else "source_random"
    task = model.get("task", "")
    return words["source_task" if task else kind].format(
        name=model_title(model), task=task, script=producer.get("script", ""),
        arguments=" ".join(producer.get("arguments", [])), dtype=model.get("dtype", ""),
        sha256=producer.get("sha256", "")[:12])
