"""The head gallery: every head of every layer as a small picture, with its numbers.

static/js/widgets/head-gallery.js draws the sheet anew, sorts it, and tells the other
figures of the trace which head was chosen.
"""

from dataclasses import dataclass

import numpy as np

from sitegen.directives.attention_heatmap import WEIGHT_STOPS
from sitegen.head_statistics import head_statistics
from sitegen.notation import fixed
from sitegen.recorded import all_recorded, needed_tensors, recorded_layers
from sitegen.sheet import GAP, sheet_pictures
from sitegen.traces import describe_trace, forbidden_cells

NAME = "head-gallery"
NUMBERED = True
OPTIONS = {"trace": {"type": "string"}, "repeated": {"type": "string"}}

WORDS = {
    "first": "gallery_first", "self": "gallery_self", "previous": "gallery_previous",
    "entropy": "gallery_entropy", "first_contribution": "gallery_first_contribution",
    "induction": "gallery_induction",
}
OF_SINGLE_HEADS = {"previous", "induction"}
SHEET_WIDTH = 854    # pixels: what 1-tokens.css calls --wide
SMALLEST_SIDE, LARGEST_SIDE = 8, 64
DIGITS = 2


@dataclass(frozen=True)
class Column:
    """A statistic in words.

    first  of layer 0, head 0
    cells  of each layer: the heads' mean, or, where single heads stand out, the largest
           number and its head
    """

    name: str
    title: str
    uniform: str
    first: str
    cells: tuple[tuple[str, int | None], ...]


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None:
        return None
    layers = recorded_layers(trace)
    if not layers:
        article.problem(directive.place, "the trace has no weights",
                        "expected tensors named layers.0.weights, layers.1.weights, …")
        return None
    statistics = head_statistics(trace, repeated_trace(directive, article, trace))
    files = write_pictures(trace, layers, article)
    article.need(trace.id, needed_tensors(trace))
    article.tell(trace.id, "statistics", {
        statistic.name: np.round(statistic.values, DIGITS + 1).ravel().tolist()
        for statistic in statistics})
    return {**variables(trace, statistics, files, article.words),
            "address": article.address_prefix(trace)}


def repeated_trace(directive, article, trace):
    """Return the trace on a repeated prompt; None where it is of another model."""
    name = directive.options.get("repeated")
    if name is None:
        return None
    repeated = article.named_trace(directive, "repeated")
    same = repeated and repeated.data["model"]["name"] == trace.data["model"]["name"]
    return repeated if same else None


def write_pictures(trace, layers, article):
    """Put the sheet beside the page, light and dark; return their addresses."""
    weights = np.stack([trace.tensor(name)[0] for name in layers])
    forbidden = forbidden_cells(trace, weights.shape[2:])
    pictures = sheet_pictures(weights, forbidden, picture_side(*weights.shape[:2]))
    files = {f"data/{trace.id}/sheet-{scheme}.png": picture
             for scheme, picture in zip(("light", "dark"), pictures, strict=True)}
    article.downloads.update(files)
    return list(files)


def picture_side(layers, heads):
    """Return the pixels of one head's picture: the sheet is as wide as a figure."""
    room = SHEET_WIDTH // max(layers, heads) - GAP
    return min(LARGEST_SIDE, max(SMALLEST_SIDE, room))


def variables(trace, statistics, files, words):
    """Return the template's variables."""
    layers, heads = statistics[0].values.shape
    cell = picture_side(layers, heads) + GAP
    long, short = max(layers, heads), min(layers, heads)
    return {
        "trace": trace.id, "files": files, "layers": layers, "heads": heads,
        "axes": axes(layers, heads, words), "width": long * cell - GAP,
        "height": short * cell - GAP, "weight_stops": WEIGHT_STOPS,
        "columns": [column(statistic, words) for statistic in statistics],
        "contributions": all_recorded(trace, "value_norms"),
        "origin": describe_trace(trace, words),
    }


def axes(layers, heads, words):
    """Return in words what runs across the sheet, and what down."""
    names = (words["gallery_axis_layer"].format(last=layers - 1),
             words["gallery_axis_head"].format(last=heads - 1))
    across, down = names if layers > heads else names[::-1]
    return words["gallery_axes"].format(across=across, down=down)


def column(statistic, words):
    """Return a Statistic as a Column."""
    if statistic.name in OF_SINGLE_HEADS:
        cells = [(row.max(), int(row.argmax())) for row in statistic.values]
    else:
        cells = [(row.mean(), None) for row in statistic.values]
    return Column(
        statistic.name, words[WORDS[statistic.name]], fixed(statistic.uniform, DIGITS),
        fixed(statistic.values[0, 0], DIGITS),
        tuple((fixed(number, DIGITS), head) for number, head in cells))
