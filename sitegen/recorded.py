"""What a trace has recorded of attention, as figures need it."""

import re
from dataclasses import replace

from sitegen.notation import visible

WEIGHTS = re.compile(r"layers\.(\d+)\.weights")
OF_FIGURES = ("weights", "scores", "value_norms")
QUANTIZED = re.compile(r"I?Q(\d)")     # as GGUF names what it holds: Q4_0, Q4_K_M


def recorded_layers(trace):
    """Return the names of the weights tensors, layer 0 first, without a gap."""
    names = []
    while f"layers.{len(names)}.weights" in trace.data["tensors"]:
        names.append(f"layers.{len(names)}.weights")
    return names


def counted_from_zero(trace):
    """Return (trace whose recorded layers are 0, 1, …; their numbers in the model; the
    numbers of its heads).

    Figures count both.  Where heads are left out, the trace returned does not say how
    many share a KV head: two that are neighbours in it need not.
    """
    tensors, model = trace.data["tensors"], trace.data["model"]
    layers = sorted(int(found[1]) for found in map(WEIGHTS.fullmatch, tensors) if found)
    if not layers:
        return trace, [], []
    first = tensors[f"layers.{layers[0]}.weights"]
    heads = first.get("head_ids") or list(range(first["shape"][1]))
    if len(heads) != model["num_attention_heads"]:
        model = {key: model[key] for key in model if key != "num_key_value_heads"}
    shown = {f"layers.{number}.{kind}": tensors[f"layers.{layer}.{kind}"]
             for number, layer in enumerate(layers) for kind in OF_FIGURES
             if f"layers.{layer}.{kind}" in tensors}
    data = {**trace.data, "tensors": shown, "model": model}
    return replace(trace, data=data, arrays={}), layers, heads


def needed_tensors(trace):
    """Return the names of what the script reads: each layer's weights, its scores, and
    its contributions, where every layer's scores or lengths of values are recorded."""
    layers = [name.removesuffix(".weights") for name in recorded_layers(trace)]
    kinds = {"weights": "weights", "scores": "scores", "contributions": "value_norms"}
    return {f"{layer}.{kind}" for kind, source in kinds.items()
            if all_recorded(trace, source) for layer in layers}


def all_recorded(trace, kind):
    """Return whether every layer that has weights has a tensor of this kind too."""
    return all(name.replace(".weights", f".{kind}") in trace.data["tensors"]
               for name in recorded_layers(trace))


def group_size(trace, heads):
    """Return how many query heads share a KV head."""
    return heads // trace.data["model"].get("num_key_value_heads", heads)


def partner_of(head, size):
    """Return the next head of the same group, or None where a head is alone."""
    first = head // size * size
    return None if size < 2 else first + (head - first + 1) % size


def token_labels(trace, count):
    """Return a visible label for each of `count` positions of the first batch item."""
    labels = trace.data["input"]["token_labels"]
    if labels and isinstance(labels[0], list):
        labels = labels[0]
    return tuple(visible(str(label)) for label in (*labels, *[""] * count)[:count])


def contributions(trace, layer):
    """Return [B, H, T, S]: each weight times the length of the value it takes, as a
    share of its row's sum.

    layer  as in "layers.3"; its value_norms [B, H, S] are the lengths of the values,
           each after its head's block of W_O.  Kobayashi et al. 2020.
    """
    lengths = trace.tensor(f"{layer}.value_norms")[:, :, None, :]
    taken = trace.tensor(f"{layer}.weights") * lengths
    return taken / taken.sum(-1, keepdims=True)


def model_title(model):
    """Return what a model is called where its numbers stand: with the bits that its
    weights were stored in, where these are fewer than those it was run in."""
    found = QUANTIZED.match(model.get("weights", ""))
    if not found:
        return model["name"]
    return (f"{model['name']}, {found[1]}-bit weights dequantised to "
            f"{model['dtype']}")
