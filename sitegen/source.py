"""Find the steps of a Python file by the marks in its comments, never by number.

    # step: scores — compare each query with every allowed key

opens a step.  Its lines run from the mark to the next mark, or to the first line
that is indented less; blank lines at its end do not count.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sitegen.errors import Place, Problem
from sitegen.records import Directive

LEXEME = re.compile(r"""
    (?P<comment> \#[^\n]* )
  | (?P<triple> \"{3} | '{3} ) (?: \\. | . )*? (?P=triple)
  | (?P<quote> ["'] ) (?: \\. | [^\\\n] )*? (?P=quote)
""", re.VERBOSE | re.DOTALL)
MARK = re.compile(r"#\s*step\b")
STEP = re.compile(r"# step: (?P<name>[a-z][a-z0-9_-]*) — (?P<role>\S.*)")
EXPECTED = "expected, on a line of its own: # step: name — what it does"


@dataclass(frozen=True)
class Step:
    """A marked part of a file: lines first to last, counted from 1, both included."""

    name: str
    role: str
    first: int
    last: int


def reader_files(scan):
    """Return the files that an article's source readers name, in their order."""
    return [str(directive.options.get("file", "")) for directive in scan.of(Directive)
            if directive.name == "source-reader"]


def read_published(content):
    """Return the text of a published file, which is a path or the text itself."""
    return content.read_text("utf-8") if isinstance(content, Path) else content


def language_of(name):
    """Return Pygments' name for a file's language: its suffix; '' is plain text."""
    return Path(name).suffix.removeprefix(".")


def parse_steps(text, path):
    """Return ({name: Step} in the order of the file, problems) of a Python text.

    A mark that is malformed, stands behind code, or repeats a name is a problem.
    """
    steps, problems = {}, []
    lines = text.split("\n")
    end = (len(lines) + 1, 1, "")
    for (line, column, comment), (following, _, _) in pairwise([*_marks(text), end]):
        found = STEP.fullmatch(comment.rstrip())
        message = _fault(found, lines[line - 1][:column - 1], steps)
        if message:
            place = Place(str(path), line, column)
            problems.append(Problem(place, message, EXPECTED, lines[line - 1]))
            continue
        last = _last_line(lines, line, following)
        steps[found["name"]] = Step(found["name"], found["role"], line, last)
    return steps, problems


def _marks(text):
    """Yield (line, column, comment) for each comment, not string, that is a mark."""
    for lexeme in LEXEME.finditer(text):
        comment = lexeme["comment"]
        if comment and MARK.match(comment):
            start = lexeme.start()
            column = start - text.rfind("\n", 0, start)
            yield text.count("\n", 0, start) + 1, column, comment


def _fault(found, before, steps):
    if not found or before.strip():
        return "a step mark that cannot be read"
    if found["name"] in steps:
        first = steps[found["name"]].first
        return f"step '{found['name']}' is marked twice, first on line {first}"
    return None


def _last_line(lines, first, following):
    """Return the last line of the step that opens at first, before following."""
    indent = _indent(lines[first - 1])
    last = first
    for number in range(first + 1, following):
        line = lines[number - 1]
        if line.strip() and _indent(line) < indent:
            break
        if line.strip():
            last = number
    return last


def _indent(line):
    return len(line) - len(line.lstrip())
