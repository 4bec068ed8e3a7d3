"""What a trace has recorded of attention, as figures need it."""

import re

from sitegen.notation import visible

QUANTIZED = re.compile(r"I?Q(\d)")     # as GGUF names what it holds: Q4_0, Q4_K_M


def recorded_layers(trace):
    """Return the names of the weights tensors, layer 0 first, without a gap."""
    names = []
    while f"layers.{len(names)}.weights" in trace.data["tensors"]:
        names.append(f"layers.{len(names)}.weights")
    return names


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
