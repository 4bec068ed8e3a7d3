"""The attention heatmap: the weights of one layer and head, drawn before scripts run.

static/js/widgets/attention-heatmap.js changes the table that is drawn here, so both
keep the same rules for numbers, colour stops and labels; tests/cases/notation.json
holds both to them.  A matrix with more than TABLE_LIMIT positions is drawn as a
picture and a table of the followed row's largest weights.
"""

from dataclasses import dataclass, replace

import numpy as np

from sitegen import pictures
from sitegen.head_statistics import strongest_head
from sitegen.islands import LARGE
from sitegen.notation import fixed, signed, signed_class, weight_class
from sitegen.parts import DEFAULT_PARTS
from sitegen.recorded import (
    all_recorded,
    group_size,
    model_title,
    needed_tensors,
    partner_of,
    recorded_layers,
    token_labels,
)
from sitegen.traces import forbidden_cells

NAME = "attention-heatmap"
NUMBERED = True
OPTIONS = {
    "trace": {"type": "string"},
    "layer": {"type": "integer", "minimum": 0},
    "head": {"type": "integer", "minimum": 0},
    "row": {"type": "integer", "minimum": 0},
    "compare": {"type": "boolean"},
    "alone": {"type": "boolean"},       # no comparison is offered
    "follow": {"type": "boolean"},
    "wide": {"type": "boolean"},
    "strongest": {"enum": ["first", "self", "previous", "induction"]},
}

TABLE_LIMIT = LARGE     # above it a table costs more than a frame
DIGITS = 6
PARTS_DIGITS = 3    # of a weight that the page has as whole parts
STRIP_LIMIT = 8     # more heads or layers than this are chosen from a list
TERMS_LIMIT = 12    # a row of more terms is written as its largest and the rest
TERMS_SHOWN = 8
LARGEST_SHOWN = 8
WEIGHT_STOPS = [weight_class(stop / 16) for stop in range(17)]
SIGNED_STOPS = [signed_class(stop / 8) for stop in range(-8, 9)]


@dataclass(frozen=True)
class Cell:
    """One cell: its class, and its number; a forbidden cell has no number."""

    css: str
    text: str | None
    chosen: bool = False


@dataclass(frozen=True)
class Row:
    """One query position: its cells and the sum of what they hold."""

    index: int
    label: str
    cells: tuple[Cell, ...]
    sum: str
    followed: bool


@dataclass(frozen=True)
class Line:
    """A row written out: its terms, what is left over, its sum and its largest."""

    terms: str
    others: int
    rest: str
    sum: str
    most_key: int
    most_label: str
    most: str


@dataclass(frozen=True)
class Panel:
    """One matrix: a head's weights, or the difference of two heads.

    name   head, partner (the head beside it) or difference
    shown  whether it is seen without a script; else it comes without its numbers
    """

    name: str
    head: int
    other: int | None
    shown: bool
    line: Line
    rows: tuple[Row, ...] = ()
    pictures: tuple[str, ...] = ()
    largest: tuple[tuple[int, str, str, str], ...] = ()


@dataclass(frozen=True)
class View:
    """What one figure shows of a trace.

    weights    [H, T, S]           of the layer, first batch item
    scores     [H, T, S] or None   before the mask
    forbidden  [T, S] of bool      True where the query may not look
    """

    weights: np.ndarray
    scores: np.ndarray | None
    forbidden: np.ndarray
    query_labels: tuple[str, ...]
    key_labels: tuple[str, ...]
    layer: int
    head: int
    query: int
    key: int
    partner: int | None


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None:
        return None
    options = with_strongest(trace, directive.options)
    problems = list(check_options(trace, options))
    article.tell_faults(directive, problems)
    if problems:
        return None
    view = view_of(trace, options)
    article.need(trace.id, needed_tensors(trace))
    return {**variables(trace, view, options), "address": article.address_prefix(trace)}


def with_strongest(trace, options):
    """Return options with the layer and head whose number of `strongest` is largest."""
    if "strongest" not in options:
        return options
    layer, head = strongest_head(trace, options["strongest"]) or (None, 0)
    return {**options, "layer": layer, "head": head}


def check_options(trace, options):
    """Yield (message, what was expected) for each option the trace has no room for."""
    layers = recorded_layers(trace)
    layer = options.get("layer", 0)
    if layer is None:
        yield "no part of the trace's prompt comes again", "take out 'strongest'"
        return
    if layer >= len(layers):
        expected = (f"expected layer 0 to {len(layers) - 1}" if layers
                    else "expected tensors named layers.0.weights, layers.1.weights, …")
        yield f"the trace has no weights of layer {layer}", expected, "layer"
        return
    _, heads, queries, _ = trace.tensor(layers[layer]).shape
    if options.get("head", 0) >= heads:
        yield f"layer {layer} has no head {options['head']}", (
            f"expected head 0 to {heads - 1}"), "head"
    if options.get("row", 0) >= queries:
        yield f"the trace has no query position {options['row']}", (
            f"expected row 0 to {queries - 1}"), "row"
    if options.get("compare") and group_size(trace, heads) < 2:
        yield "no two query heads of this model share a KV head", (
            "take out 'compare'"), "compare"


def view_of(trace, options):
    """Return the View of a trace for checked options."""
    layer, head = options.get("layer", 0), options.get("head", 0)
    weights = trace.tensor(f"layers.{layer}.weights")[0]
    heads, queries, keys = weights.shape
    scores = f"layers.{layer}.scores"
    query = options.get("row", queries - 1)
    labels = token_labels(trace, keys)
    return View(
        weights=weights,
        scores=trace.tensor(scores)[0] if all_recorded(trace, "scores") else None,
        forbidden=forbidden_cells(trace, (queries, keys)),
        query_labels=labels[keys - queries:], key_labels=labels,
        layer=layer, head=head, query=query, key=int(weights[head, query].argmax()),
        partner=None if options.get("alone") else partner_of(
            head, group_size(trace, heads)))


def variables(trace, view, options):
    """Return the template's variables."""
    heads, queries, keys = view.weights.shape
    compare = options.get("compare", False)
    follow = options.get("follow", True)
    names = ["head"] if view.partner is None else ["head", "partner", "difference"]
    return {
        "trace": trace.id, "view": view, "layers": len(recorded_layers(trace)),
        "heads": heads, "queries": queries, "keys": keys,
        "panels": [panel(view, name, compare or name == "head") for name in names],
        "compare": compare, "wide": options.get("wide", False),
        "follow": follow, "runs": follow and "parameters" in trace.data,
        "cell": cell_words(view),
        "table_fits": max(queries, keys) <= TABLE_LIMIT, "strip_limit": STRIP_LIMIT,
        "weight_stops": WEIGHT_STOPS, "signed_stops": SIGNED_STOPS,
        "model": trace.data["model"], "title": model_title(trace.data["model"]),
        "parts": DEFAULT_PARTS,
        "contributions": all_recorded(trace, "value_norms"),
    }


def cell_words(view):
    """Return the recorded numbers of the chosen cell and of the head beside it."""
    other = view.head if view.partner is None else view.partner
    weight = view.weights[view.head, view.query, view.key]
    other_weight = view.weights[other, view.query, view.key]
    score = None
    if view.scores is not None:
        score = fixed(view.scores[view.head, view.query, view.key], DIGITS)
    digits = digits_of(view)
    return {
        "weight": fixed(weight, digits), "other_weight": fixed(other_weight, digits),
        "difference": signed(weight - other_weight, digits), "score": score,
        "masked": bool(view.forbidden[view.query, view.key]),
    }


def digits_of(view):
    """Return how many digits of a weight the page's script has."""
    return DIGITS if max(view.weights.shape[1:]) <= TABLE_LIMIT else PARTS_DIGITS


def panel(view, name, shown):
    """Return the Panel of the chosen head, of its partner, or of their difference."""
    head, other = view.head, view.partner
    if name == "partner":
        head, other = other, head
    numbers = view.weights[head]
    if name == "difference":
        numbers = numbers - view.weights[other]
    line = written_row(view, name, numbers[view.query])
    start = Panel(name, head, other, shown, line)
    if not shown:
        return start
    if max(numbers.shape) > TABLE_LIMIT:
        return replace(start, pictures=drawn(view, name, numbers),
                       largest=largest(view, head))
    return replace(start, rows=tuple(table_row(view, name, query, numbers[query])
                                     for query in range(len(numbers))))


def table_row(view, name, query, numbers):
    """Return one Row of the table; numbers are [S]."""
    def cell(key):
        chosen = (query, key) == (view.query, view.key)
        if view.forbidden[query, key]:
            return Cell("masked", None, chosen)
        if name == "difference":
            return Cell(signed_class(numbers[key]), signed(numbers[key], 2), chosen)
        return Cell(weight_class(numbers[key]), fixed(numbers[key], 2), chosen)

    return Row(query, view.query_labels[query], tuple(map(cell, range(len(numbers)))),
               fixed(numbers.sum(), 2), query == view.query)


def written_row(view, name, numbers):
    """Return the followed row as a Line; numbers are [S].

    The largest terms keep the order of their keys; the sum is taken before rounding.
    """
    allowed = np.flatnonzero(~view.forbidden[view.query])
    order = allowed[np.argsort(-np.abs(numbers[allowed]), kind="stable")]
    shown = sorted(order if len(order) <= TERMS_LIMIT else order[:TERMS_SHOWN])
    rest = np.setdiff1d(allowed, shown)
    most = int(order[0]) if len(order) else 0
    write = signed if name == "difference" else fixed
    return Line(" + ".join(fixed(numbers[key], 3) for key in shown), len(rest),
                fixed(numbers[rest].sum(), 3), fixed(numbers.sum(), 3),
                most, view.key_labels[most], write(numbers[most], 3))


def drawn(view, name, numbers):
    """Return the matrix as two data: addresses, light and dark."""
    draw, palettes = pictures.weight_picture, pictures.WEIGHT_PALETTES
    if name == "difference":
        draw, palettes = pictures.signed_picture, pictures.SIGNED_PALETTES
    return tuple(draw(numbers, view.forbidden, palette) for palette in palettes)


def largest(view, head):
    """Return (key, label, weight, score) of the followed row's largest weights."""
    weights = view.weights[head, view.query]
    order = np.argsort(-weights, kind="stable")[:LARGEST_SHOWN]
    return tuple(
        (int(key), view.key_labels[key], fixed(weights[key], digits_of(view)),
         "" if view.scores is None
         else fixed(view.scores[head, view.query, key], DIGITS))
        for key in order if not view.forbidden[view.query, key])
