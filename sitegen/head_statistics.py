"""Numbers that tell a recording's heads apart, from the weights as recorded.

Each is one number per head, the mean over the rows it is about; `uniform` says what a
head gives that spreads each row evenly over what it may read.
"""

from dataclasses import dataclass

import numpy as np

from sitegen.recorded import all_recorded, contributions, recorded_layers


@dataclass(frozen=True)
class Statistic:
    """values [L, H], and the same number of a uniform causal head."""

    name: str
    values: np.ndarray
    uniform: float


def head_statistics(trace, repeated=None):
    """Return the Statistics of a trace, whose layers all have weights.

    repeated  a trace of the same model on a repeated prompt, for the induction score
    """
    found = [statistic(name, measure, trace) for name, measure in MEASURES.items()]
    if all_recorded(trace, "value_norms"):
        shares = np.stack([first_mass(contributions(trace, f"layers.{layer}")[0])
                           for layer in range(len(recorded_layers(trace)))])
        found.append(Statistic("first_contribution", shares, found[0].uniform))
    repeat = repeated and repetition(repeated.data["input"]["token_ids"][0])
    if repeat:
        found.append(statistic("induction", lambda w: induction(w, *repeat), repeated))
    return found


def strongest_head(trace, name):
    """Return (layer, head) whose number of that name is the largest of the trace's; a
    prompt that repeats itself has an induction score of its own.  None without one."""
    for found in head_statistics(trace, trace):
        if found.name == name:
            place = np.unravel_index(found.values.argmax(), found.values.shape)
            return tuple(map(int, place))
    return None


def statistic(name, measure, trace):
    """Return one Statistic; measure takes weights [H, T, T] and returns [H]."""
    layers = [trace.tensor(name)[0] for name in recorded_layers(trace)]
    length = layers[0].shape[-1]
    uniform = np.tril(np.ones((1, length, length)))
    uniform /= uniform.sum(-1, keepdims=True)
    return Statistic(name, np.stack([measure(weights) for weights in layers]),
                     float(measure(uniform)[0]))


def first_mass(weights):
    """Return [H]: the mean weight on position 0, over all rows of [H, T, T]."""
    return weights[..., 0].mean(-1)


def self_mass(weights):
    """Return [H]: the mean weight of a position on itself."""
    return np.diagonal(weights, axis1=-2, axis2=-1).mean(-1)


def previous_mass(weights):
    """Return [H]: the mean weight on the position before; the first row has none."""
    return np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(-1)


def entropy(weights):
    """Return [H]: the mean entropy of a row, in bits."""
    logs = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    return -(weights * logs).sum(-1).mean(-1)


def induction(weights, start, period, length):
    """Return [H]: the mean weight on what followed the same token one period earlier.

    start, period, length  as `repetition` returns them.  Olsson et al. 2022.
    """
    queries = np.arange(start + period, start + period + length)
    return weights[..., queries, queries - period + 1].mean(-1)


def repetition(token_ids):
    """Return (start, period, length) of the longest repeat: the `length` tokens from
    start + period on are those from start on.  None where nothing of at least half a
    period, and four tokens, comes again."""
    ids = np.array(token_ids)
    best = None
    for period in range(2, len(ids) - 3):
        for first, length in _runs(ids[period:] == ids[:-period]):
            if length >= max(4, period / 2) and (best is None or length > best[2]):
                best = (first, period, length)
    return best


def _runs(same):
    """Yield (start, length) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield int(start), int(end - start)


MEASURES = {"first": first_mass, "self": self_mass, "previous": previous_mass,
            "entropy": entropy}
