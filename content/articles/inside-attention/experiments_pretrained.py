"""The numbers of "The same questions to a pretrained model".

    python experiments_pretrained.py

Each function asks one question of recorded attention and returns what was measured: in
one model, on one prompt.  It runs beside pretrained_trace.json and
pretrained_repeated_trace.json, which probe_pretrained.py wrote, and needs NumPy alone.

Axes: L layers, H heads, T queries, S keys.
"""

import base64
import json
import re
import shlex
import zlib
from itertools import combinations
from pathlib import Path

import numpy as np


def read_tensor(tensor):
    """Return one tensor of a trace as float64: float32 numbers, or whole parts of one
    in two bytes."""
    raw = zlib.decompress(base64.b64decode(tensor["data"]))
    kind, *parts = tensor["encoding"].split("-")
    numbers = (np.frombuffer(raw, "<u2") / int(parts[0]) if kind == "parts"
               else np.frombuffer(raw, "<f4").astype(float))
    return numbers.reshape(tensor["shape"])


def read_layers(trace, name):
    """Return one tensor of every layer, first batch item: [L, …]."""
    found = []
    while f"layers.{len(found)}.{name}" in trace["tensors"]:
        found.append(read_tensor(trace["tensors"][f"layers.{len(found)}.{name}"])[0])
    return np.stack(found)


def model_title(model):
    """Return what the model is called, with the bits that its weights came in."""
    found = re.match(r"I?Q(\d)", model.get("weights", ""))
    bits = f", {found[1]}-bit weights dequantised to {model['dtype']}" if found else ""
    return model["name"] + bits


def first_position(weights, lengths):
    """Why does everything look at the first token?  Each head's mean weight on
    position 0 and its share of the contributions; and how long its value is, compared
    with the mean of the others.  [L, H] each."""
    taken = weights * lengths[:, :, None, :]
    shares = taken[..., 0] / taken.sum(-1)
    return (weights[..., 0].mean(-1), shares.mean(-1),
            lengths[..., 0] / lengths[..., 1:].mean(-1))


def on_previous(weights):
    """Does a head read the position before?  Its mean weight there, [L, H]."""
    return np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(-1)


def repeated_span(token_ids):
    """Return (start, period, length): the `length` tokens from start + period on are
    those from start on, and no repeat is longer."""
    ids, best = np.array(token_ids), (0, 1, 0)
    for period in range(2, len(ids)):
        length = 0
        for end, same in enumerate(ids[period:] == ids[:-period], 1):
            length = length + 1 if same else 0
            if length > best[2]:
                best = (end - length, period, length)
    return best


def on_successor(weights, token_ids):
    """Does a head find what came after the same token?  Its mean weight there, over
    the second time that the prompt's span is read, [L, H]."""
    start, period, length = repeated_span(token_ids)
    queries = np.arange(start + period, start + period + length)
    return weights[..., queries, queries - period + 1].mean(-1)


def alike(weights, group_size):
    """Are heads that share a KV head more alike?  The mean overlap of two heads' rows,
    for pairs of one group and for other pairs of the same layer."""
    same, other = [], []
    for one, two in combinations(range(weights.shape[1]), 2):
        overlap = np.minimum(weights[:, one], weights[:, two]).sum(-1).mean()
        in_group = one // group_size == two // group_size
        (same if in_group else other).append(overlap)
    return float(np.mean(same)), float(np.mean(other))


def other_winners(weights, lengths):
    """Is the largest weight the largest contribution?  The share of rows in which it
    is not, the first row aside."""
    taken = weights * lengths[:, :, None, :]
    differs = weights.argmax(-1) != taken.argmax(-1)
    return float(differs[..., 1:].mean())


def place_of(scores):
    """Return (layer, head, score) of the head with the largest score."""
    layer, head = np.unravel_index(np.argmax(scores), scores.shape)
    return int(layer), int(head), float(scores[layer, head])


def named(layers):
    """Return numbers of layers as words: '0, 1 and 7', or 'none'."""
    *rest, last = map(str, layers) if len(layers) else ["none"]
    return f"{', '.join(rest)} and {last}" if rest else last


# ----------------------------------------------------------------- published numbers

probe = json.loads(Path("pretrained_trace.json").read_text("utf-8"))
probe_repeated = json.loads(Path("pretrained_repeated_trace.json").read_text("utf-8"))
probe_model = probe["model"]
probe_title = model_title(probe_model)
probe_repeated_title = model_title(probe_repeated["model"])
probe_is_tinyllama = "tinyllama" in probe_model["name"].lower()
probe_note = (
    "" if probe_is_tinyllama else
    "No run of TinyLlama on a GPU has been recorded for this page yet. ")
probe_command = shlex.join(
    ["python", probe["producer"]["script"], *probe["producer"]["arguments"]])
probe_parts = 4095      # what a row sums to in the page, as sitegen/parts.py has it
probe_weights = read_layers(probe, "weights")                        # [L, H, T, S]
probe_lengths = read_layers(probe, "value_norms")                    # [L, H, S]
probe_layers, probe_heads, probe_tokens = probe_weights.shape[:3]
probe_count = probe_layers * probe_heads
probe_group_size = probe_heads // probe_model["num_key_value_heads"]

first_mass, first_share, first_length = first_position(probe_weights, probe_lengths)
first_mean, first_contribution = float(first_mass.mean()), float(first_share.mean())
first_uniform = float((1 / np.arange(1, probe_tokens + 1)).mean())
first_length_median = float(np.median(first_length))
first_layers = first_mass.mean(-1)                                   # [L]
# A layer without the habit: its heads give position 0 less than a third, on average.
unsunk_layers = named(np.flatnonzero(first_layers < 1 / 3))
most_sunk = int((first_mass > 1 / 2).sum())

previous_layer, previous_head, previous_share = place_of(on_previous(probe_weights))
repeated_weights = read_layers(probe_repeated, "weights")            # [L, H, T, S]
repeated_ids = probe_repeated["input"]["token_ids"][0]
_, repeated_period, repeated_length = repeated_span(repeated_ids)
successor = on_successor(repeated_weights, repeated_ids)
induction_layer, induction_head, induction_share = place_of(successor)
induction_heads = int((successor > 1 / 2).sum())
same_group_overlap, other_group_overlap = alike(probe_weights, probe_group_size)
other_winner_share = other_winners(probe_weights, probe_lengths)

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
