"""Read an article's front matter: what can be read of it, and what is wrong with it."""

import re
from copy import deepcopy

from sitegen.dates import check_dates
from sitegen.errors import Place, Problem, enclosing
from sitegen.fragments import FRAGMENTS
from sitegen.schemas import UNKNOWN_KEY, schema_errors
from sitegen.yaml_text import Spots, read_what_can_be

BEGIN = "begin with '---', 'title: …', '---'"
RULE = "---"
OF_FRONT_MATTER = re.compile(r"[\w-]+:(\s|$)|[ \t]+\S|- ")


def read_front_matter(text, path):
    """Return (front matter, dotted name → Place of its value, first line of the text
    below it, problems).

    One mistake hides nothing: what can be read is there, and the text begins where an
    author would say that it does.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != RULE:
        return {}, {}, 1, [Problem(Place(path, 1, 1), "no front matter", BEGIN)]
    end, below, problems = *_end(lines), []
    if below == end:
        problems.append(Problem(Place(path, 1, 1), "front matter is not closed",
                                f"close it with a line '{RULE}' above line {end + 1}"))
    front, spots, errors = _parsed("\n".join(lines[1:end]))
    problems += [
        Problem(Place(path, error.line + 1, error.column), "front matter cannot be "
                f"read: {error}", "quote a text that holds ': ' or '#'")
        for error in errors]
    keys, values = ({name: Place(path, line + 1, column)
                     for name, (line, column) in found.items()}
                    for found in (spots.keys, spots.values))
    if errors:
        # They may stand in what cannot be read: nothing is said of them.
        front.setdefault("title", path)
        front.setdefault("trace", "")
    problems += check_front_matter(front, keys, values, Place(path, 1, 1))
    return front, values, below + 1, problems


def _parsed(text):
    """Return (data, Spots, errors) of YAML; what has no errors is kept."""
    read = []

    def plain():
        read[:] = read_what_can_be(text)
        data, spots, errors = read
        return not errors and [data, spots.keys, spots.values]

    kept = FRAGMENTS.answer(["front matter", text], plain)
    if not kept:
        return read
    data, *spots = deepcopy(kept)       # whoever has it takes out what is wrong
    return data, Spots(*spots), []


def _end(lines):
    """Return (index of the line after the front matter's, index of the text's first):
    where nothing closes it, both are the first line that cannot be part of it."""
    for index, line in enumerate(lines[1:], 1):
        if line.rstrip() == RULE:
            return index, index + 1
    return next(((index, index) for index, line in enumerate(lines[1:], 1)
                 if not OF_FRONT_MATTER.match(line)), (len(lines), len(lines)))


def check_front_matter(front, keys, values, begin):
    """Yield the Problems of front matter; take out what breaks its schema.

    keys, values  dotted name → Place of the name, and of its value
    begin         the Place of what is missing
    """
    for where, message in list(schema_errors("front-matter.schema.json", front)):
        key = ".".join(map(str, where))
        if where:
            front.pop(where[0], None)
        places = keys if message.startswith(UNKNOWN_KEY) else values
        yield Problem(enclosing(key, places) or begin,
                      f"{key or 'front matter'}: {message}")
    yield from check_dates(front, values)
