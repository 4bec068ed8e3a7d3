"""Run or read the traces that traces.toml names, and check what they say.

The schema (static/schema/trace.v1.schema.json) tells the form; `meaning_problems` tells
what no schema can: shapes, rows that sum to one, forbidden cells that are zero.
"""

import base64
import json
import subprocess
import sys
import zlib
from dataclasses import dataclass, field
from math import prod

import numpy as np

from sitegen.content import read_toml, shown
from sitegen.errors import Place, Problem
from sitegen.schemas import schema_errors

MAJOR = 1
NOT_FINITE = {"-Infinity": -np.inf, "Infinity": np.inf, "NaN": np.nan}
ROW_SUM_LIMIT = {"float64": 1e-5, "float32": 1e-4, "float16": 5e-3, "bfloat16": 2e-2}
RUN_SECONDS = 600


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
        flat = _decode(tensor["encoding"], tensor["data"])
    if flat.size != prod(shape):
        raise ValueError(f"{flat.size} numbers, expected {prod(shape)} for shape {shape}")
    return flat.reshape(shape)


def _decode(encoding, data):
    try:
        raw = zlib.decompress(base64.b64decode(data, validate=True))
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{encoding}: cannot be decoded ({error})") from None
    if encoding == "f32-deflate-base64":
        return np.frombuffer(raw, "<f4").astype(float)
    parts = int(encoding.split("-")[1])
    kind = "<u1" if parts < 256 else "<u2"
    return np.frombuffer(raw, kind) / float(parts)


def read_traces(folder):
    """Return (id → Trace, or None where it has problems; problems) of traces.toml."""
    settings, problems = read_toml(folder, "traces.toml", "traces.schema.json")
    if settings is None or problems:
        return {}, problems
    traces = {}
    for trace_id, how in settings.items():
        path, text, more = _produce(folder, trace_id, how)
        traces[trace_id] = None
        if not more:
            traces[trace_id], more = parse_trace(trace_id, path, text,
                                                 how.get("publish"))
        problems += more
    return traces, problems


def _produce(folder, trace_id, how):
    """Return (path for messages, text, problems) of a run or a file."""
    if "run" in how:
        return run_trace(folder, trace_id, how["run"])
    file = folder.resolve().parent / how["file"]
    path = shown(folder, file)
    if not file.is_file() or not file.resolve().is_relative_to(folder.resolve().parent):
        return path, "", [Problem(Place(shown(folder, folder / "traces.toml")),
                                  f"{trace_id}: no file '{how['file']}'",
                                  "paths start at the content folder's parent")]
    return path, file.read_text("utf-8"), []


def run_trace(folder, trace_id, argv):
    """Return (path, standard output, problems) of a program that prints a trace."""
    path = f"{shown(folder, folder / 'traces.toml')}"
    command = [sys.executable if argv[0] == "python" else argv[0], *argv[1:]]
    shown_command = " ".join(argv)
    try:
        done = subprocess.run(command, cwd=folder.resolve().parent, capture_output=True,
                              text=True, encoding="utf-8", timeout=RUN_SECONDS,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        why = f"did not end within {RUN_SECONDS} s"
    except (OSError, UnicodeDecodeError) as error:
        why = f"cannot be run: {error}"
    else:
        if done.returncode == 0:
            return f"{path} [{trace_id}]", done.stdout, []
        last = (done.stderr.strip().split("\n") or [""])[-1]
        why = f"ended with status {done.returncode}: {last}"
    return path, "", [Problem(Place(path), f"{trace_id}: '{shown_command}' {why}",
                              "run it from the content folder's parent and mend it")]


def parse_trace(trace_id, path, text, publish=None):
    """Return (Trace or None, problems) of a trace's text; strict JSON only."""
    place = Place(path)
    try:
        data = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return None, [Problem(place, f"not JSON: {error}", "record it again")]
    major = data.get("format_major") if isinstance(data, dict) else None
    if isinstance(major, int) and major > MAJOR:
        return None, [Problem(place, f"trace format {major} is newer than this "
                              f"generator's {MAJOR}", "update the generator")]
    problems = [Problem(place, f"{_dotted(where)}: {message}")
                for where, message in schema_errors("trace.v1.schema.json", data)][:20]
    trace = Trace(trace_id, path, text, data, publish)
    problems = problems or list(meaning_problems(trace))
    return (None if problems else trace), problems


def _refuse(constant):
    raise ValueError(f"{constant} is not JSON; a trace writes it as a string")


def _dotted(where):
    return ".".join(str(part) for part in where) or "trace"


def meaning_problems(trace):
    """Yield a Problem for each tensor that cannot be what its name says."""
    for name in trace.data["tensors"]:
        try:
            array = trace.tensor(name)
        except ValueError as error:
            yield Problem(Place(trace.path), f"{name}: {error}", "record it again")
            continue
        if len(trace.data["tensors"][name]["dims"]) != array.ndim:
            yield Problem(Place(trace.path), f"{name}: as many dims as shape has axes")
        elif name.endswith(".weights"):
            yield from _weights_problems(trace, name, array)
        elif name.endswith(".masked_scores"):
            yield from _mask_problems(trace, name, array)
    tokens = np.array(trace.data["input"]["token_ids"])
    if tokens.size and tokens.max() >= trace.data["model"]["vocab_size"]:
        yield Problem(Place(trace.path), f"input.token_ids: {tokens.max()} is no token of "
                      f"a vocabulary of {trace.data['model']['vocab_size']}")


def forbidden_cells(trace, shape):
    """Return [query, key] of bool, True where the key's position is later."""
    positions = np.array(trace.data["input"]["position_ids"]).reshape(-1)
    keys, queries = positions[:shape[-1]], positions[-shape[-2]:]
    return keys[None, :] > queries[:, None]


def _weights_problems(trace, name, weights):
    """Yield a Problem for the worst row and the worst forbidden cell of a tensor."""
    limit = ROW_SUM_LIMIT.get(trace.data["model"].get("dtype"), 1e-4)
    off = np.abs(weights.sum(-1) - 1)
    if not np.all(off <= limit):
        batch, head, query = np.unravel_index(np.argmax(np.nan_to_num(off, nan=9e9)),
                                              off.shape)
        total = weights[batch, head, query].sum()
        yield Problem(Place(trace.path), f"{name}: row [head {head}, query {query}] sums "
                      f"to {total:.6g}, expected 1 within {limit:g}", "record it again")
    leak = np.abs(weights) * forbidden_cells(trace, weights.shape)
    if np.any(leak > 0):
        batch, head, query, key = np.unravel_index(np.argmax(leak), leak.shape)
        yield Problem(Place(trace.path), f"{name}: [head {head}, query {query}, key {key}] "
                      f"is forbidden and holds {leak.max():.6g}, expected exactly 0",
                      "record it again")


def _mask_problems(trace, name, scores):
    forbidden = np.broadcast_to(forbidden_cells(trace, scores.shape), scores.shape)
    wrong = np.isneginf(scores) != forbidden
    if np.any(wrong):
        _, head, query, key = np.argwhere(wrong)[0]
        yield Problem(Place(trace.path), f"{name}: [head {head}, query {query}, key {key}] "
                      "is -Infinity exactly where the mask forbids, and is not here",
                      "record it again")


def describe_trace(trace, words):
    """Return the sentence that says where a figure's numbers come from."""
    model, producer = trace.data["model"], trace.data["producer"]
    kind = "source_trained" if model.get("trained") else "source_random"
    return words[kind].format(
        name=model.get("name", ""), script=producer.get("script", ""),
        arguments=" ".join(producer.get("arguments", [])), dtype=model.get("dtype", ""),
        sha256=producer.get("sha256", "")[:12])
