"""Data that stand beside the page and are drawn in it: one JSON file, published."""

import json
from math import isfinite

from sitegen.content import read_text
from sitegen.errors import Place, Problem, known


def read_published(name, directive, article):
    """Return (data, Place of the file) of a published JSON file; (None, None) once a
    problem is recorded.  Strict JSON only: no NaN, no key twice in one object."""
    if not article.publish(name):
        article.problem(directive.place, f"no file '{name}' to draw from",
                        known(article.published, name))
        return None, None
    file, place = article.downloads[name], Place(name)
    if not isinstance(file, str):
        root = article.article.folder.resolve().parents[2]
        place = Place(file.resolve().relative_to(root).as_posix())
        file, problems = read_text(file, place.path)
        if problems:
            article.problems += problems
            return None, None
    try:
        return json.loads(file, parse_constant=_refuse, parse_float=_finite,
                          object_pairs_hook=_once), place
    except json.JSONDecodeError as error:
        place = Place(place.path, error.lineno, error.colno)
        article.problems.append(Problem(place, f"not JSON: {error.msg}"))
    except (ValueError, RecursionError) as error:
        article.problems.append(Problem(place, f"not JSON: {error}"))
    return None, None


def _refuse(constant):
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text):
    number = float(text)
    return number if isfinite(number) else _refuse(text)


def _once(pairs):
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"'{twice}' stands twice in one object")
    return dict(pairs)
