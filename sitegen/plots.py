"""Line plots in numbers: every place is a percentage of the drawing's width or height.

templates/widgets/plot.html draws them at any width, its letters at one size.
static/js/lib/plot-scales.js has the same scales; tests/cases/configurations.json holds
both to them.
"""

import math
from dataclasses import dataclass, field
from itertools import pairwise

from sitegen.notation import fixed
from sitegen.sizes import grouped

NAME_HEIGHT = 7     # percent of the drawing's height that the name of a line takes
STEPS = 5           # about as many as a linear axis has
FEWEST = 3          # powers of ten that are ticks enough


@dataclass(frozen=True)
class Scale:
    """One axis, from low to high; log: equal ratios are equal lengths."""

    low: float
    high: float
    log: bool = True

    def at(self, value):
        """Return how far a value is along the axis, in percent to two decimals."""
        low, high, value = (math.log2(n) if self.log else n
                            for n in (self.low, self.high, value))
        share = (value - low) / (high - low)
        return float(fixed(100 * min(max(share, 0), 1), 2))


@dataclass(frozen=True)
class Tick:
    """A mark of an axis; where space is short, minor ones keep their line alone."""

    at: float
    text: str
    minor: bool = False


@dataclass(frozen=True)
class Line:
    """One line: style names its dashes and marks; its name stands at its end."""

    style: str
    name: str
    points: tuple[tuple[float, float], ...]
    name_at: float = 0

    @property
    def path(self):
        """Return the points as SVG has them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


@dataclass(frozen=True)
class Plot:
    """What templates/widgets/plot.html draws; y counts from the top.

    level   (y, name) of a line across the whole drawing, named at its left, or None
    chosen  a point of a line that is pointed out, or None
    """

    title: str
    says: str
    x_name: str
    y_name: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    lines: list[Line] = field(default_factory=list)
    level: tuple[float, str] | None = None
    chosen: tuple[float, float] | None = None


def powers(values, base):
    """Return the powers of base from the last at or below the smallest value to the
    first at or above the largest, two at least."""
    low, high = min(values), max(values)
    power = 1
    while power > low:
        power /= base
    while power * base <= low:
        power *= base
    found = [power]
    while found[-1] < high or len(found) < 2:
        found.append(found[-1] * base)
    return found


def whole_steps(values):
    """Return 0 and equal steps of 1, 2 or 5 times a power of ten, up to the largest."""
    largest = max(values) or 1
    power = 10 ** math.floor(math.log10(largest / STEPS))
    step = next(n * power for n in (1, 2, 5, 10) if n * power * STEPS >= largest)
    return [n * step for n in range(math.ceil(largest / step) + 1)]


def decimal_steps(values):
    """Return 1, 2 and 5 times powers of ten, from the last at or below the smallest
    value to the first at or above the largest, two at least."""
    steps = [n * power for power in powers(values, 10) for n in (1, 2, 5)]
    first = max(n for n, step in enumerate(steps) if step <= min(values))
    last = next(n for n, step in enumerate(steps) if n > first and step >= max(values))
    return steps[first:last + 1]


def few(steps):
    """Return the steps that are powers of ten, or all where those are too few."""
    tens = [step for step in steps if math.log10(step).is_integer()]
    return tens if len(tens) >= FEWEST else steps


def ticks(scale, values, write=None, every=1):
    """Return the Ticks of values; all but each `every`th, from the first, are minor."""
    return [Tick(scale.at(value), (write or plain)(value), index % every > 0)
            for index, value in enumerate(values)]


def from_top(ticks_of_y):
    """Return the Ticks of an axis whose low end is at the bottom."""
    return [Tick(downwards(tick.at), tick.text, tick.minor) for tick in ticks_of_y]


def downwards(share):
    """Return a share of the height, counted from the top."""
    return float(fixed(100 - share, 2))


def place_names(lines):
    """Return the lines with their names at their ends, none over another."""
    ends = [line.points[-1][1] for line in lines]
    return [Line(line.style, line.name, line.points, at)
            for line, at in zip(lines, spread(ends, NAME_HEIGHT), strict=True)]


def spread(places, gap):
    """Return places from 0 to 100 in the same order, at least gap apart, moved little:
    each down from the one above it, then what has left the drawing up again."""
    order = sorted(range(len(places)), key=lambda index: places[index])
    moved = [places[index] for index in order]
    for index in range(1, len(moved)):
        moved[index] = max(moved[index], moved[index - 1] + gap)
    limit = 100
    for index in reversed(range(len(moved))):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - gap
    placed = dict(zip(order, moved, strict=True))
    return [float(fixed(max(placed[index], 0), 2)) for index in range(len(places))]


def readable(number):
    """Return a number as a table has it: whole ones whole, others in three digits."""
    if float(number).is_integer():
        return grouped(int(number))
    size = abs(number)
    if size >= 100:
        return grouped(round(number))
    digits = next(n for n in range(1, 12) if size >= 10 ** (2 - n))
    return fixed(number, digits)


def plain(number):
    """Return a number of an axis: whole ones whole, others as short as they are."""
    return grouped(int(number)) if float(number).is_integer() else f"{number:g}"


def is_rising(values):
    """Return whether each value is larger than the one before it."""
    return all(one < other for one, other in pairwise(values))
