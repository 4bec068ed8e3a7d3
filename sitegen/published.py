"""Data that stand beside the page and are drawn in it: one JSON file, published."""

import json

from sitegen.content import read_text
from sitegen.errors import Place, Problem, known
from sitegen.strict_json import read_json


def read_published(name, directive, article):
    """Return (data, Place of the file) of a published JSON file; (None, None) once a
    problem is recorded.  Strict JSON only."""
    if not article.publish(name):
        article.problem(directive.at("file"), f"no file '{name}' to draw from",
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
        return read_json(file), place
    except json.JSONDecodeError as error:
        place = Place(place.path, error.lineno, error.colno)
        article.problems.append(Problem(place, f"not JSON: {error.msg}"))
    except (ValueError, RecursionError) as error:
        article.problems.append(Problem(place, f"not JSON: {error}"))
    return None, None


def origin(data, file, words):
    """Return the line that says which file this is, and when and where it was made."""
    versions = data.get("versions")
    told = [data.get("date"), data.get("processor"), *(
        f"{name} {version}" for name, version in versions.items())] \
        if isinstance(versions, dict) else [data.get("date"), data.get("processor")]
    return words["published_origin"].format(
        file=file, told=", ".join(str(part) for part in told if part))
