"""How many bytes a page has of a recorded model's attention, in several encodings.

All are deflated layer by layer and written in base64, as the page has them; only the
JSON text is not.  The floor is the entropy of each layer's whole parts: no code that
looks at one part at a time can be shorter.
"""

import base64
import json
from pathlib import Path

import numpy as np

from bench.report import Row
from sitegen.parts import DEFAULT_PARTS, deflated, pack_counts, whole_parts
from sitegen.recorded import recorded_layers
from sitegen.traces import forbidden_cells, parse_trace

RECORDINGS = Path(__file__).parents[1] / "probe" / "traces"


def measure_encodings():
    """Yield rows: kilobytes of each committed recording, and how near to the floor."""
    for path in sorted(RECORDINGS.glob("*.json")):
        trace, problems = parse_trace(path.stem, path.name, path.read_text("utf-8"))
        assert not problems, problems
        sizes = encoded_sizes(trace)
        for name, size in sizes.items():
            yield Row("encoding", f"{path.stem}: {name}", size / 1000, "kB")
        ratio = sizes["parts of 4095, escaped"] / sizes["entropy of the parts"]
        yield Row("encoding", f"{path.stem}: escaped parts, of the floor", ratio, "×")


def encoded_sizes(trace):
    """Return name → bytes of all layers' weights."""
    layers = np.stack([trace.tensor(name)[0] for name in recorded_layers(trace)])
    allowed = ~forbidden_cells(trace, layers.shape[2:])
    counts = whole_parts(layers, DEFAULT_PARTS)[..., allowed]
    return {
        "float32": in_base64(layer.astype("<f4").tobytes() for layer in layers),
        "JSON, four decimals": sum(
            len(json.dumps(np.round(layer, 4).ravel().tolist())) for layer in layers),
        "bytes of 255ths, no row sums kept": in_base64(
            np.rint(255 * layer).astype(np.uint8).tobytes() for layer in layers),
        "parts of 4095, two bytes each": in_base64(
            part.astype("<u2").tobytes() for part in counts),
        "parts of 4095, escaped": in_base64(pack_counts(part.ravel())
                                            for part in counts),
        "parts of 255, escaped": in_base64(
            pack_counts(part.ravel())
            for part in whole_parts(layers, 255)[..., allowed]),
        "entropy of the parts": sum(map(entropy_in_base64, counts)),
    }


def in_base64(blocks):
    """Return the length of blocks of bytes, each deflated and in base64."""
    return sum(len(base64.b64encode(deflated(block))) for block in blocks)


def entropy_in_base64(counts):
    """Return how many base64 characters an ideal code of a layer's counts takes."""
    _, often = np.unique(counts, return_counts=True)
    bits = -(often * np.log2(often / often.sum())).sum()
    return float(bits) / 6
