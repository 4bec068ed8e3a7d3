"""The mask aligner: the rectangular mask of a chunk, right and wrong in three ways.

Without scripts each mask is a small table of the weights that it gives with the trace's
scores.  static/js/lib/mask-alignment.js computes the same for any chunk;
tests/cases/masks.json holds both to it.

Axes: T new queries, S keys, stored and new.  Key s stands at position s, query t at
position stored + t.
"""

from dataclasses import dataclass

import numpy as np

from sitegen.directives.run_controls import check_computed, run_variables
from sitegen.islands import LARGE
from sitegen.notation import fixed, power_of_ten, ranges_of, weight_class
from sitegen.recorded import all_recorded, recorded_layers
from sitegen.traces import describe_trace

NAME = "mask-aligner"
NUMBERED = True
OPTIONS = {
    "trace": {"type": "string"},
    "layer": {"type": "integer", "minimum": 0},
    "head": {"type": "integer", "minimum": 0},
    "stored": {"type": "integer", "minimum": 0},
    "new": {"type": "integer", "minimum": 1},
}

MASKS = {
    "right": lambda query, key, stored: key <= query,
    "left": lambda query, key, stored: key <= query - stored,   # by row and column
    "late": lambda query, key, stored: key <= query + 1,
    "early": lambda query, key, stored: key < query,
}
# What a wrong mask may show; words.toml has a sentence for each.
SIGNS = {"left": ("same", "blind"), "late": ("same", "leaking"),
         "early": ("blind", "empty")}
SUM_ROUNDING = 1e-12
RECORDED_ROUNDING = 1e-6    # a trace has six decimals of a score and of a weight
DIGITS = 2


@dataclass(frozen=True)
class Aligned:
    """A chunk under a mask.

    right    [T, S] of bool  what the right mask allows
    allowed  [T, S] of bool
    weights  [T, S]          NaN in a row that may look nowhere
    leak     [T]             weight on later keys; NaN where there are no weights
    hidden   [T]             weight that the right mask gives to hidden keys
    """

    right: np.ndarray
    allowed: np.ndarray
    weights: np.ndarray
    leak: np.ndarray
    hidden: np.ndarray


@dataclass(frozen=True)
class Row:
    """One query as a table shows it; cells are (class, number or None)."""

    position: int
    cells: tuple[tuple[str, str | None], ...]
    sum: str
    leak: str
    hidden: str


@dataclass(frozen=True)
class Panel:
    """One mask: its rows, the numbers of its sentences, and which of these hold."""

    name: str
    rows: tuple[Row, ...]
    parts: dict
    holds: dict


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None:
        return None
    options = {"layer": 0, "head": 0, "stored": 0, "new": 1, **directive.options}
    problems = [*check_computed(trace, trace, article), *check_options(trace, options)]
    article.tell_faults(directive, problems)
    if problems:
        return None
    return {**run_variables(trace, article), **drawn(trace, options),
            "origin": describe_trace(trace, article.words)}


def check_options(trace, options):
    """Yield (message, what was expected) for each option the trace has no room for."""
    layers = recorded_layers(trace)
    if not layers or not all_recorded(trace, "scores"):
        yield (f"the trace '{trace.id}' has no scores of every layer",
               "name a trace of tiny_llama.py")
        return
    _, heads, queries, keys = trace.tensor(layers[0]).shape
    if queries != keys or keys > LARGE:
        yield (f"the trace has {queries} queries and {keys} keys",
               f"expected one sequence of at most {LARGE} tokens")
    for option, count in (("layer", len(layers)), ("head", heads)):
        if options[option] >= count:
            yield (f"the trace has no {option} {options[option]}",
                   f"expected {option} 0 to {count - 1}", option)
            return
    if options["stored"] + options["new"] > keys:
        yield (f"{options['stored']} stored and {options['new']} new are more than the "
               f"trace's {keys} positions", "take fewer")
        return
    apart = off_recording(trace, options)
    if not apart <= RECORDED_ROUNDING:
        yield (f"the right mask's weights are {power_of_ten(apart)} off the recorded "
               "ones", "expected at most one of the sixth decimal; record it again")


def drawn(trace, options):
    """Return the variables that say what each mask does; the options are checked."""
    layer, head, stored = options["layer"], options["head"], options["stored"]
    scores = chunk_of(trace, "scores", options)
    return {
        "panels": [panel_of(name, scores, stored) for name in MASKS],
        "masks": list(MASKS), "signs": SIGNS,
        "layer": layer, "layers": len(recorded_layers(trace)),
        "head": head, "heads": trace.data["model"]["num_attention_heads"],
        "stored": stored, "count": options["new"], "end": scores.shape[1],
        "positions": trace.tensor(f"layers.{layer}.scores").shape[3],
        "difference": power_of_ten(off_recording(trace, options)),
    }


def chunk_of(trace, kind, options):
    """Return the chunk's rectangle of a layer's scores or weights, [T, S]."""
    stored, end = options["stored"], options["stored"] + options["new"]
    array = trace.tensor(f"layers.{options['layer']}.{kind}")
    return array[0, options["head"], stored:end, :end]


def off_recording(trace, options):
    """Return how far the right mask's weights are from those of one call, at most."""
    scores, weights = (chunk_of(trace, kind, options) for kind in ("scores", "weights"))
    right = aligned(scores, options["stored"], "right").weights
    return float(np.abs(right - weights).max())


def aligned(scores, stored, mask):
    """Return the Aligned of a rectangle of scores, [T, S], under a mask of MASKS."""
    queries, keys = scores.shape
    key, query = np.arange(keys), stored + np.arange(queries)[:, None]
    right = MASKS["right"](query, key, stored)
    allowed = MASKS[mask](query, key, stored)
    weights = softmax_over(scores, allowed)
    return Aligned(right, allowed, weights, leak=(weights * ~right).sum(axis=1),
                   hidden=(softmax_over(scores, right) * ~allowed).sum(axis=1))


def softmax_over(scores, allowed):
    """Return each row's softmax over its allowed keys; NaN where it has none."""
    masked = np.where(allowed, scores, -np.inf)
    with np.errstate(invalid="ignore"):     # -inf less -inf, where a row is empty
        powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def panel_of(name, scores, stored):
    """Return the Panel of a mask for a rectangle of scores, [T, S]."""
    found = aligned(scores, stored, name)
    parts, holds = findings_of(found, stored)
    rows = tuple(table_row(found, t, stored + t) for t in range(len(scores)))
    return Panel(name, rows, parts, holds)


def findings_of(found, stored):
    """Return (parts: the numbers of the sentences, holds: which of these are true)."""
    positions = stored + np.arange(len(found.weights))
    empty = ~found.allowed.any(axis=1)
    blind = ~found.allowed[np.arange(len(positions)), positions]
    leaking = found.leak > 0
    same = bool((found.allowed == found.right).all())
    sums = bool((np.abs(found.weights.sum(axis=1) - 1) <= SUM_ROUNDING).all())
    parts = {
        "leak": fixed(found.leak[~empty].sum(), DIGITS),
        "hidden": fixed(found.hidden.sum(), DIGITS),
        "leaking": ranges_of(positions[leaking]), "empty": ranges_of(positions[empty]),
        "missed": int((found.right & ~found.allowed).sum(axis=1).max()),
    }
    holds = {"same": same, "blind": bool(blind.all()), "leaking": bool(leaking.any()),
             "empty": bool(empty.any()), "sums": sums and not same}
    return parts, holds


def table_row(found, t, position):
    """Return the Row of query t, which stands at a position."""
    cells = tuple(
        cell_of(allowed, allowed != right, weight) for allowed, right, weight in
        zip(found.allowed[t], found.right[t], found.weights[t], strict=True))
    return Row(position, cells, fixed(found.weights[t].sum(), DIGITS),
               fixed(found.leak[t], DIGITS), fixed(found.hidden[t], DIGITS))


def cell_of(allowed, wrong, weight):
    """Return (class, number or None) of a cell; a wrong one is not as it should be."""
    css = weight_class(weight) if allowed else "masked"
    return f"{css} wrong" if wrong else css, fixed(weight, DIGITS) if allowed else None
