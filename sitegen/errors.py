"""Problems: where, what, and what to do; collected, then printed all at once."""

from dataclasses import dataclass

SHOWN = 16  # names of a list of what would have been right
LONGEST = 80  # characters of a name that others are compared with
WIDTH = 96  # characters of a long line that are shown around its column


@dataclass(frozen=True, order=True)
class Place:
    """A position in a file; line and column count from 1, None where unknown."""

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self):
        return ":".join(str(p) for p in (self.path, self.line, self.column) if p)


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that keeps the site from being built."""

    place: Place
    message: str
    todo: str = ""
    excerpt: str = ""

    def __str__(self):
        lines = [f"{self.place}: {self.message}"]
        if self.excerpt.strip():
            column = self.place.column or 1
            start = max(0, min(column - 1 - WIDTH // 2, len(self.excerpt) - WIDTH))
            lines.append(f"    | {self.excerpt[start:start + WIDTH]}")
            if self.place.column:
                lines.append(f"    | {' ' * (column - 1 - start)}^")
        lines += [f"  {line}" for line in self.todo.splitlines()]
        return "\n".join(lines)


class BuildFailed(Exception):
    """The build stops; `problems` says why, in the order of their places."""

    def __init__(self, problems):
        self.problems = in_order(problems)
        super().__init__(f"{len(self.problems)} problems")


def in_order(problems):
    """Return the problems once each, sorted by file, line and column."""
    def position(problem):
        place = problem.place
        return place.path, place.line or 0, place.column or 0, problem.message

    return sorted(set(problems), key=position)


def stop_if(problems):
    """Raise BuildFailed when there is any problem."""
    if problems := list(problems):
        raise BuildFailed(problems)


def enclosing(name, places):
    """Return the Place of a dotted name, or of what it is part of; None for neither."""
    while name and name not in places:
        name = name.rpartition(".")[0]
    return places.get(name)


def known(names, wanted=None):
    """Return the line that lists what would have been right, the nearest first."""
    names = sorted(names)
    near = nearest(wanted, names) if wanted else None
    hint = f"did you mean '{near}'?  " if near else ""
    shown = names[:SHOWN] + ["…"] * (len(names) > SHOWN)
    return f"{hint}known: {', '.join(shown) if names else 'none'}"


def nearest(wanted, names):
    """Return the name that somebody who typed `wanted` may have meant, or None."""
    limit = max(2, len(wanted) // 3)
    found = [(_distance(wanted, name), name) for name in names
             if abs(len(name) - len(wanted)) <= limit and len(wanted) <= LONGEST]
    return min(found)[1] if found and min(found)[0] <= limit else None


def _distance(a, b):
    """Return the Levenshtein distance of two short texts."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1,
                                           previous + (x != y))
    return row[-1]
