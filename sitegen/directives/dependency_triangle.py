"""The dependency triangle: which cached entries change when one token is replaced.

Without scripts it is a table a layer, drawn from the numbers that the article's
snippets left.  static/js/lib/dependencies.js computes them in the page, for any token.
"""

import json
import math
from dataclasses import dataclass

import numpy as np

from sitegen.directives.run_controls import check_computed, run_variables
from sitegen.errors import known
from sitegen.notation import STOPS, fixed, power_of_ten, ranges_of
from sitegen.traces import describe_trace

NAME = "dependency-triangle"
NUMBERED = True
OPTIONS = {
    "trace": {"type": "string"},
    "changes": {"type": "string"},      # a run's variable, [L * T * T]
    "with": {"type": "string"},         # a run's variable: the id of the new token
    "replace": {"type": "integer", "minimum": 0},
}
REQUIRED = ["changes", "with"]

ROUNDING = 1e-12        # of the largest size: below it nothing has changed
LEAST_FIXED = 0.095     # from here on a decimal is a digit
STOPS_A_DECADE = 2


@dataclass(frozen=True)
class Layer:
    """One layer's triangle.

    rows     for each replaced position, its cells as (class, text); where nothing
             changed the text is ""
    changed  in the chosen row, the positions that changed
    """

    number: int
    rows: tuple[tuple[tuple[str, str], ...], ...]
    changed: tuple[int, ...]


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None or "run" in article.broken:
        return None
    variables = run_variables(trace, article)
    problems = [*check_computed(trace, trace, article),
                *check_options(directive.options, article.snippets, trace, variables)]
    article.tell_faults(directive, problems)
    if problems:
        return None
    return {**variables, **drawn(directive.options, article, trace, variables),
            "origin": describe_trace(trace, article.words)}


def check_options(options, left, trace, variables):
    """Yield (message, what was expected) for each option that nothing answers to.

    left  variable → what the article's snippets left
    """
    for option in ("changes", "with"):
        if options[option] not in left:
            yield (f"the snippets leave no value '{options[option]}'",
                   known(left, options[option]), option)
            return
    length = len(variables["ids"])
    shape = (trace.data["model"]["num_hidden_layers"], length, length)
    found = np.atleast_1d(left[options["changes"]])
    if found.size != math.prod(shape) or not is_sizes(found):
        yield (f"'{options['changes']}' has {found.size} values",
               f"expected {math.prod(shape)} sizes: layers * positions * positions = "
               f"{' * '.join(map(str, shape))}")
    token, count = left[options["with"]], trace.data["model"]["vocab_size"]
    if type(token) is not int or token not in range(count):
        yield (f"'{options['with']}' is {token!r}, no token's id",
               f"expected 0 to {count - 1}")
    if options.get("replace", 0) >= length:
        yield (f"the trace has no position {options['replace']}",
               f"expected replace 0 to {length - 1}", "replace")


def is_sizes(array):
    """Return whether an array holds numbers that are finite and not below zero."""
    return array.dtype.kind in "fi" and bool(np.all(np.isfinite(array) & (array >= 0)))


def drawn(options, article, trace, variables):
    """Return the variables that say which entries change; the options are checked."""
    length, model = len(variables["ids"]), trace.data["model"]
    changes = np.reshape(article.snippets[options["changes"]], (-1, length, length))
    at, to = options.get("replace", 0), article.snippets[options["with"]]
    layers = tuple(layer_of(number, changes[number], at)
                   for number in range(len(changes)))
    changed = [layer.changed for layer in layers]
    new = replacement_of(variables["ids"][at], to, model["vocab_size"])
    return {
        "layers": layers, "at": at, "to": to, "length": length,
        "old": variables["labels"][at], "new": variables["vocabulary"][new],
        "sentence": sentence(changed, article.words),
        "same": ranges_of(range(same_prefix(changed, length))),
        "changes": json.dumps(changes.ravel().tolist()),
    }


def layer_of(number, changes, at):
    """Return the Layer of changes [T, T], of which row `at` is chosen."""
    rows = tuple(tuple((change_class(size), in_one_digit(size)) for size in row)
                 for row in changes)
    return Layer(number, rows, tuple(np.flatnonzero(changes[at] > ROUNDING).tolist()))


def sentence(changed, words):
    """Return where entries change, layer by layer, in words."""
    return ", ".join(
        (words["triangle_layer"] if positions else words["triangle_layer_none"]).format(
            layer=layer, positions=ranges_of(positions))
        for layer, positions in enumerate(changed))


def same_prefix(changed, length):
    """Return how many entries, from the first on, are the same in every layer."""
    return min([length, *(position for layer in changed for position in layer)])


def replacement_of(standing, wanted, vocab_size):
    """Return the token that is put at a position: the wanted one, and the next one
    where it stands there already."""
    return (wanted + 1) % vocab_size if standing == wanted else wanted


def change_class(size):
    """Return a change's colour: two stops a decade, the last for 1 and more."""
    if size <= ROUNDING:
        return "same"
    stop = STOPS + math.floor(STOPS_A_DECADE * math.log10(size) + 0.5)
    return f"w{min(max(stop, 1), STOPS)}"


def in_one_digit(size):
    """Return a change as a cell shows it: one digit, "" where nothing changed."""
    if size <= ROUNDING:
        return ""
    return power_of_ten(size) if size < LEAST_FIXED else fixed(size, 1)
