"""Read a content folder: site.toml, the articles with their front matter, and files."""

import re
import tomllib
import unicodedata
from dataclasses import replace

from sitegen.errors import Place, Problem, known, stop_if
from sitegen.front_matter import BEGIN, read_front_matter
from sitegen.records import Article
from sitegen.safe_paths import fault_of_name, has_file, leads_out
from sitegen.scan import scan
from sitegen.schemas import schema_errors

HIDDEN = "."
# Control characters, and the noncharacters that sitegen.scan uses as marks.
NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufdd0-\ufdef]")


def read_settings(folder):
    """Return (site.toml as data, name → Path of what it publishes, problems).

    A site.toml that cannot be used raises BuildFailed, since nothing can be read
    without it.
    """
    settings, problems = read_toml(folder, "site.toml", "site.schema.json")
    if settings is None and not problems:
        path = shown(folder, folder / "site.toml")
        problems.append(Problem(Place(path), "no such file", "a content folder needs a "
                                "site.toml with title, description, articles"))
    stop_if(with_lines(problems, folder))
    publish, problems = find_published(folder, settings.get("publish", []))
    return settings, publish, [*problems, *listed_twice(folder, settings),
                               *unlisted_articles(folder, listed_slugs(settings))]


def listed_slugs(settings):
    """Return the slugs of all articles of site.toml, those in reading order first."""
    return [*settings["articles"], *settings.get("about", [])]


def listed_twice(folder, settings):
    """Yield a Problem for each article that stands both in and outside the order."""
    place = Place(shown(folder, folder / "site.toml"))
    for slug in settings["articles"]:
        if slug in settings.get("about", []):
            yield Problem(place, f"about: '{slug}' stands in articles too",
                          "take it out of one of them")


def unlisted_articles(folder, slugs):
    """Yield a Problem for each article that site.toml leaves out: it has no page."""
    for file in sorted(folder.glob("articles/*/index.md")):
        slug = file.parent.name
        if slug not in slugs and not slug.startswith(HIDDEN):
            yield Problem(Place(shown(folder, file)), "site.toml does not list this "
                          "article", f"put '{slug}' into its articles or its about, "
                          "or a dot before the folder's name")


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
    if problems:
        return None, problems
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, [_toml_problem(path, str(error), text)]
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
        raw = file.read_bytes()
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = raw[:error.start].count(b"\n") + 1
        return "", [Problem(Place(path, line), "not UTF-8 text", "save it as UTF-8")]
    except OSError as error:
        return "", [Problem(Place(path), f"cannot be read: {error.strerror}")]
    if found := NO_TEXT.search(text):
        before = text[:found.start()]
        place = Place(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
        return "", [Problem(place, "a character that is no text: "
                            f"U+{ord(found[0]):04X}", "take it out")]
    return text, []


def with_lines(problems, folder):
    """Return the problems, each with its line of the file where it has none yet."""
    texts = {}
    for problem in problems:
        path, line = problem.place.path, problem.place.line
        if line and not problem.excerpt:
            if path not in texts:
                texts[path] = read_text(folder.resolve().parent / path, path)[0]
            lines = texts[path].split("\n")
            excerpt = lines[line - 1] if line <= len(lines) else ""
            problem = replace(problem, excerpt=excerpt)
        yield problem


def find_published(folder, names):
    """Return (name → path, problems) of files that site.toml allows to be published."""
    found, problems = {}, []
    path = shown(folder, folder / "site.toml")
    parent = folder.resolve().parent
    for name in names:
        file = parent / name
        if leads_out(parent, name):
            problems.append(Problem(Place(path), f"publish: '{name}' is outside",
                                    "only files below the content folder's parent"))
        elif not has_file(parent, name):
            problems.append(Problem(Place(path), f"publish: no file '{name}'",
                                    "paths start at the content folder's parent"))
        elif fault := fault_of_name(file.name):
            problems.append(Problem(Place(path), f"publish: {fault}", "rename it"))
        elif file.name in found:
            problems.append(Problem(Place(path), f"publish: two files '{file.name}'",
                                    "rename one of them"))
        else:
            found[file.name] = file
    return found, problems


def read_article(folder, slug, takes_code):
    """Return (Article or None, problems) of articles/<slug>/index.md."""
    file = index_of(folder, slug)
    path = shown(folder, file)
    if not has_file(folder, f"articles/{slug}/index.md"):
        have = [p.parent.name for p in folder.glob("articles/*/index.md")]
        return None, [Problem(Place(path), "no such article", known(have, slug))]
    if fault := fault_of_name(slug):
        return None, [Problem(Place(path), fault, "rename the article's folder")]
    text, problems = read_text(file, path)
    if problems:
        return None, problems
    if not text.strip():
        return None, [Problem(Place(path, 1), "the file is empty", BEGIN)]
    front, places, first_line, problems = read_front_matter(text, path)
    scanned, more = scan(text, path, first_line, takes_code)
    problems += more
    if not more and not scanned.text.strip():
        problems.append(Problem(Place(path, first_line), "the article has no text"))
    files, more = find_files(file.parent, path)
    return Article(slug, file.parent, path, front, scanned, places, files
                   ), problems + more


def index_of(folder, slug):
    """Return the file of an article's text."""
    return folder / "articles" / slug / "index.md"


def read_front(folder, slug):
    """Return an article's front matter as far as it can be read; read_article tells
    what is wrong with it."""
    file = index_of(folder, slug)
    path = shown(folder, file)
    text, problems = read_text(file, path)
    return {} if problems or not text.strip() else read_front_matter(text, path)[0]


def find_files(folder, path):
    """Return (name → Path, problems) of the files beside an article, hidden ones left
    out; a link that leads out of the folder, or to a folder, is refused, and a name
    that some file system does not tell from another."""
    files, problems, names = {}, [], {"index.html": "index.html"}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if any(part.startswith(HIDDEN) or part == "__pycache__"
               for part in name.split("/")):
            continue
        place = Place(f"{path.rpartition('/')[0]}/{name}")
        inside = file.resolve().is_relative_to(folder.resolve())
        if file.is_symlink() and not (inside and file.is_file()):
            problems.append(Problem(place, "a link to no file of this folder",
                                    "put the file itself here"))
        elif name == "index.html":
            problems.append(Problem(place, "the article's page has this name",
                                    "rename the file"))
        elif fault := fault_of_name(name):
            problems.append(Problem(place, fault, "rename the file"))
        elif file.is_file() and name != "index.md":
            other = names.setdefault(same_file(name), name)
            if other != name:
                problems.append(Problem(place, f"many computers take '{other}' and "
                                        f"'{name}' for one file", "rename one of them"))
            files[name] = file
    return files, problems


def same_file(name):
    """Return what is equal for names that some file systems do not tell apart."""
    return unicodedata.normalize("NFC", name).casefold()
