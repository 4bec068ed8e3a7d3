"""Read references.bib into entries that can be printed."""

import logging

from markupsafe import Markup, escape

from sitegen.content import read_text, shown
from sitegen.errors import Place, Problem
from sitegen.lazy import bibtexparser
from sitegen.records import Reference


class Refusal(logging.Handler):
    """Refuse what a library would only warn of: the entry that it reads fails then."""

    def emit(self, record):
        raise ValueError("a LaTeX command lacks its arguments")


logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # we report failed blocks
logging.getLogger("pylatexenc.latex2text").addHandler(Refusal())

PARTLY = "Middleware could not be fully applied: "     # bibtexparser's, before the why
VENUES = ("journal", "booktitle", "publisher", "howpublished", "institution", "note")
NAMED_AUTHORS = 4


def read_references(folder):
    """Return (references in the file's order, problems); no file, no references."""
    file = folder / "references.bib"
    if not file.is_file():
        return [], []
    path = shown(folder, file)
    text, problems = read_text(file, path)
    middlewares = bibtexparser.middlewares
    library = bibtexparser.parse_string(text, append_middleware=[
        middlewares.LatexDecodingMiddleware(), middlewares.SeparateCoAuthors(),
        middlewares.SplitNameParts()])
    problems += [
        Problem(Place(path, block.start_line + 1), f"not BibTeX: {_why(block)}")
        for block in library.failed_blocks]
    references = []
    for entry in library.entries:
        fields = {name: field.value for name, field in entry.fields_dict.items()}
        place = Place(path, entry.start_line + 1)
        problems += [Problem(place, f"reference '{entry.key}' has no {name}")
                     for name in ("title", "author") if not fields.get(name)]
        problems += _address_problems(entry.key, fields, place)
        references.append(Reference(entry.key, render_reference(fields)))
    return references, problems


def _why(block):
    words = str(block.error).split("\n")[0].removeprefix(PARTLY)
    return words or "an entry is not closed"


def _address_problems(key, fields, place):
    url = fields.get("url", "")
    if url and not url.startswith(("https://", "http://")):
        yield Problem(place, f"reference '{key}': url '{url}' is no web address")


def render_reference(fields):
    """Return one entry as HTML: authors, year, linked title, venue, note."""
    title = escape(fields.get("title", ""))
    url = fields.get("url") or (
        f"https://doi.org/{fields['doi']}" if "doi" in fields else None)
    linked = Markup('<a href="{}">{}</a>').format(url, title) if url else title
    venue = next((fields[name] for name in VENUES if fields.get(name)), None)
    year = Markup(" ({})").format(fields["year"]) if fields.get("year") else ""
    end = Markup(" <cite>{}</cite>.").format(venue) if venue else ""
    note = fields.get("note") if fields.get("note") != venue else None
    said = Markup(" {}").format(" ".join(note.split())) if note else ""
    return Markup("{}{}. {}.{}{}").format(
        render_authors(fields.get("author", [])), year, linked, end, said)


def render_authors(names):
    """Return 'A. Vaswani, N. Shazeer and others' of BibTeX's split names."""
    names = [names] if isinstance(names, str) else list(names)
    shown_names = [_name(name) for name in names if _name(name) != "others"]
    more = len(shown_names) < len(names) or len(shown_names) > NAMED_AUTHORS
    if more:
        return ", ".join(shown_names[:NAMED_AUTHORS - 1]) + " and others"
    if len(shown_names) > 1:
        return ", ".join(shown_names[:-1]) + " and " + shown_names[-1]
    return "".join(shown_names)


def _name(name):
    if isinstance(name, str):
        return name
    initials = [f"{part[0]}." for part in name.first if part]
    return " ".join(initials + name.von + name.last + name.jr)
