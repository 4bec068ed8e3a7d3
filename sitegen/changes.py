"""The named changes of content/changes.json, in words; static/js/lib/changes.js makes
them."""

import json
from dataclasses import dataclass

from sitegen.content import read_text
from sitegen.errors import Place, Problem
from sitegen.schemas import schema_errors

FILE = "changes.json"


@dataclass(frozen=True)
class Change:
    """One change.

    name   a few words, with W_Q for a letter and its index
    what   one sentence
    needs  what else the reader chooses: "at" (a position), "to" (a token)
    group  what it is about, as in the schema
    """

    id: str
    name: str
    what: str
    needs: tuple[str, ...]
    group: str


def read_changes(folder):
    """Return (Changes in the order of the file, problems) of a content folder."""
    file = folder / FILE
    path = f"{folder.name}/{FILE}"
    if not file.is_file():
        return [], [Problem(Place(path), "no such file",
                            "it has the changes that change-one-thing offers")]
    text, problems = read_text(file, path)
    if problems:
        return [], problems
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno, error.colno)
        return [], [Problem(place, f"not JSON: {error.msg}")]
    problems = [Problem(Place(path), f"{'.'.join(map(str, where))}: {message}".
                        removeprefix(": "))
                for where, message in schema_errors("changes.schema.json", data)]
    return [] if problems else list(map(_change, data)), problems


def _change(stored):
    return Change(**{**stored, "needs": tuple(stored["needs"])})
