"""Lines of a published file's records, with the numbers as a table: no script."""

from dataclasses import dataclass
from math import isfinite

from sitegen.errors import Problem, known
from sitegen.plots import (
    Line,
    Plot,
    Scale,
    decimal_steps,
    few,
    from_top,
    is_rising,
    place_names,
    powers,
    readable,
    ticks,
    whole_steps,
)
from sitegen.published import origin, read_published

NAME = "line-plot"
NUMBERED = True
TEXT = {"type": "string", "minLength": 1}
OPTIONS = {"file": TEXT, "rows": TEXT, "x": TEXT, "x-label": TEXT, "y-label": TEXT,
           "lines": {"type": "object", "minProperties": 1, "maxProperties": 4,
                     "additionalProperties": TEXT},
           "log": {"type": "boolean"}}
REQUIRED = ["file", "rows", "x", "lines", "x-label", "y-label"]
MOST_TICKS = 12     # more values of x than this get rounder ticks


@dataclass(frozen=True)
class Row:
    """One record: its place along the axis, and the lines' values there."""

    x: float
    values: tuple[float, ...]


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded."""
    options = directive.options
    data, place = read_published(options["file"], directive, article)
    if data is None:
        return None
    log = options.get("log", True)
    rows, faults = read_rows(data, options, log)
    article.problems += [Problem(place, fault) for fault in faults]
    if faults:
        return None
    return {"plot": draw(rows, options, log, article.words),
            "columns": [options["x-label"], *options["lines"].values()],
            "rows": [[readable(n) for n in (row.x, *row.values)] for row in rows],
            "origin": origin(data, options["file"], article.words)}


def read_rows(data, options, log):
    """Return (Rows, messages of what cannot be drawn) of a file's records."""
    rows = data.get(options["rows"]) if isinstance(data, dict) else None
    if not isinstance(rows, list):
        keys = data if isinstance(data, dict) else ()
        return [], [f"no list '{options['rows']}'; {known(keys, options['rows'])}"]
    keys = [options["x"], *options["lines"]]
    faults = [f"{options['rows']}[{index}]{fault}" for index, row in enumerate(rows)
              for fault in _faults(row, keys, log)]
    if faults:
        return [], faults
    drawn = [Row(row[keys[0]], tuple(row[key] for key in keys[1:])) for row in rows]
    if len(drawn) < 2:
        return [], [f"{options['rows']}: a line needs two records"]
    if not is_rising([row.x for row in drawn]):
        return [], [f"{options['rows']}: '{options['x']}' does not rise from record to "
                    "record"]
    return drawn, []


def _faults(row, keys, log):
    """Yield what is wrong with one record."""
    if not isinstance(row, dict):
        yield ": expected a record"
        return
    for key in keys:
        value = row.get(key)
        if key not in row:
            yield f": no '{key}'; {known(row, key)}"
        elif isinstance(value, bool) or not isinstance(value, (int, float)) \
                or not isfinite(value):
            yield f".{key}: {value!r} is not a number"
        elif value < 0 or (log and value == 0):
            yield f".{key}: {value!r} has no place on {'a log' if log else 'this'} axis"


def draw(rows, options, log, words):
    """Return the Plot of the Rows."""
    places = [row.x for row in rows]
    heights = [value for row in rows for value in row.values]
    marks = decimal_steps(heights) if log else whole_steps(heights)
    along = places if len(places) <= MOST_TICKS else _round_places(places, log)
    across = Scale(places[0] if log else 0, max(places[-1], along[-1]), log)
    up = Scale(marks[0], marks[-1], log)
    lines = [Line(f"line-{number}", name, tuple(
        (across.at(row.x), 100 - up.at(row.values[number - 1])) for row in rows))
        for number, name in enumerate(options["lines"].values(), 1)]
    last = ", ".join(f"{name} {readable(value)}" for name, value
                     in zip(options["lines"].values(), rows[-1].values, strict=True))
    return Plot(
        title=words["line_plot_title"].format(y=options["y-label"],
                                              x=options["x-label"]),
        says=words["line_plot_says"].format(first=readable(places[0]),
                                            last=readable(places[-1]), values=last),
        x_name=options["x-label"], y_name=options["y-label"],
        x_ticks=ticks(across, along, every=2),
        y_ticks=from_top(ticks(up, few(marks) if log else marks)),
        lines=place_names(lines))


def _round_places(places, log):
    """Return fewer, rounder ticks than one for each place."""
    if not log:
        return whole_steps(places)
    return [n for n in powers(places, 10) if places[0] <= n <= places[-1]] or places[:1]
