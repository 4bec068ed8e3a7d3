"""Read a content folder: site.toml, the articles with their front matter, and files."""

import datetime
import re
import tomllib

import yaml

from sitegen.errors import Place, Problem, known, stop_if
from sitegen.records import Article, Site
from sitegen.scan import scan
from sitegen.schemas import schema_errors

HIDDEN = "."


def read_site(folder, takes_code=()):
    """Return (Site, problems) of a content folder.

    Problems of single articles are collected; a site.toml that cannot be used raises
    BuildFailed, since nothing can be read without it.
    """
    settings, problems = read_toml(folder, "site.toml", "site.schema.json")
    if settings is None:
        path = shown(folder, folder / "site.toml")
        problems.append(Problem(Place(path), "no such file", "a content folder needs a "
                                "site.toml with title, description, articles"))
    stop_if(problems)
    publish, more = find_published(folder, settings.get("publish", []))
    problems += more
    site = Site(folder, settings, [], publish)
    for slug in settings["articles"]:
        article, more = read_article(folder, slug, takes_code)
        site.articles += [article] if article else []
        problems += more
    return site, problems


def shown(folder, path):
    """Return a path as messages name it: from the content folder's parent."""
    try:
        return path.resolve().relative_to(folder.resolve().parent).as_posix()
    except ValueError:
        return path.name


def read_toml(folder, name, schema):
    """Return (data, problems) of a TOML file held to a schema; (None, []) if absent."""
    file = folder / name
    path = shown(folder, file)
    if not file.is_file():
        return None, []
    text, problems = read_text(file, path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return None, problems + [_toml_problem(path, str(error), text)]
    for where, message in schema_errors(schema, data):
        keys = [str(part) for part in where]
        line = _toml_line(text, keys)
        problems.append(Problem(Place(path, line), f"{'.'.join(keys)}: {message}".
                                removeprefix(": ")))
    return data, problems


def _toml_problem(path, message, text):
    found = re.search(r"\(at line (\d+), column (\d+)\)", message)
    line, column = (int(found[1]), int(found[2])) if found else (None, None)
    lines = text.split("\n")
    excerpt = lines[line - 1] if line and line <= len(lines) else ""
    words = re.sub(r" \(at .*\)", "", message)
    return Problem(Place(path, line, column), f"not TOML: {words}", "", excerpt)


def _toml_line(text, keys):
    """Return the line on which the first of the keys that stands in the text does."""
    for key in reversed(keys):
        for number, line in enumerate(text.split("\n"), 1):
            if re.match(rf"[ \t]*\[?\"?{re.escape(key)}\b", line):
                return number
    return None


def read_text(file, path):
    """Return (text, problems); line ends become '\\n', a byte-order mark goes."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = file.read_bytes()[:error.start].count(b"\n") + 1
        return "", [Problem(Place(path, line), "not UTF-8 text", "save it as UTF-8")]
    except OSError as error:
        return "", [Problem(Place(path), f"cannot be read: {error.strerror}")]
    return text.replace("\r\n", "\n").replace("\r", "\n"), []


def find_published(folder, names):
    """Return (name → path, problems) of files that site.toml allows to be published."""
    found, problems = {}, []
    path = shown(folder, folder / "site.toml")
    parent = folder.resolve().parent
    for name in names:
        file = parent / name
        if not file.is_file():
            problems.append(Problem(Place(path), f"publish: no file '{name}'",
                                    "paths start at the content folder's parent"))
        elif not file.resolve().is_relative_to(parent):
            problems.append(Problem(Place(path), f"publish: '{name}' is outside",
                                    "only files below the content folder's parent"))
        else:
            found[file.name] = file
    return found, problems


def read_article(folder, slug, takes_code):
    """Return (Article or None, problems) of articles/<slug>/index.md."""
    file = folder / "articles" / slug / "index.md"
    path = shown(folder, file)
    if not file.is_file():
        have = [p.parent.name for p in folder.glob("articles/*/index.md")]
        return None, [Problem(Place(path), "no such article", known(have, slug))]
    text, problems = read_text(file, path)
    if not text.strip():
        problems = problems or [Problem(Place(path, 1), "the file is empty",
                                        "begin with '---', 'title: …', '---'")]
        return None, problems
    front, first_line, more = read_front_matter(text, path)
    problems += more
    scanned, more = scan(text, path, first_line, takes_code)
    problems += more
    if not more and not scanned.text.strip():
        problems.append(Problem(Place(path, first_line), "the article has no text"))
    return Article(slug, file.parent, path, front, scanned, first_line), problems


def read_front_matter(text, path):
    """Return (front matter, first line of the text below it, problems)."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, 1, [Problem(Place(path, 1, 1), "no front matter", "begin with '---', "
                               "'title: …', '---'", lines[0])]
    end = next((n for n in range(1, len(lines)) if lines[n].rstrip() == "---"), None)
    if end is None:
        return {}, 1, [Problem(Place(path, 1, 1), "front matter is not closed",
                               "close it with a line '---'", lines[0])]
    block = "\n".join(lines[1:end])
    front, problems = parse_front_matter(block, path, lines)
    return front, end + 2, problems


def parse_front_matter(block, path, lines):
    """Return (data, problems) of the YAML between the '---' lines."""
    try:
        node = yaml.compose(block, Loader=yaml.SafeLoader)
        front = yaml.safe_load(block) or {}
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        place = Place(path, at.line + 2, at.column + 1)
        excerpt = lines[place.line - 1] if place.line <= len(lines) else ""
        return {}, [Problem(place, f"front matter is not YAML: {error.problem}",
                            "quote a text that holds ': ' or '#'", excerpt)]
    except yaml.YAMLError as error:
        return {}, [Problem(Place(path, 2), f"front matter is not YAML: {error}")]
    if not isinstance(front, dict):
        return {}, [Problem(Place(path, 2, 1), "front matter is not 'key: value' lines",
                            "write at least 'title: …'", lines[1])]
    front = {key: value.isoformat() if isinstance(value, datetime.date) else value
             for key, value in front.items()}
    places = {key.value: Place(path, key.start_mark.line + 2, key.start_mark.column + 1)
              for key, _ in node.value} if node else {}
    return front, [_front_problem(where, message, places, path, lines)
                   for where, message in schema_errors("front-matter.schema.json", front)]


def _front_problem(where, message, places, path, lines):
    key = where[0] if where else None
    place = places.get(key, Place(path, 1, 1))
    prefix = f"{key}: " if key else "front matter: "
    return Problem(place, prefix + message, "", lines[place.line - 1])


def article_files(article):
    """Return name → path of the files beside an article, hidden ones left out."""
    return {path.relative_to(article.folder).as_posix(): path
            for path in sorted(article.folder.rglob("*"))
            if path.is_file() and path.name != "index.md"
            and not any(part.startswith(HIDDEN) or part == "__pycache__"
                        for part in path.relative_to(article.folder).parts)}
