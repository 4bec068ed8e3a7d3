"""The entry that a page prints is BibTeX, whatever stands in its title and names."""

import re

import bibtexparser
import pytest
from bibtexparser import middlewares
from hypothesis import given
from hypothesis import strategies as st

from sitegen.bibtex import bibtex_entry, escaped

SHARED = {"title": "Site & Co"}
RECORD = {"slug": "kv-cache", "title": "The KV cache", "authors": ["Ada Lovelace"],
          "published": "2026-01-02", "revised": "2027-03-04",
          "address": "https://x.org/a_b/"}
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), min_size=1,
                max_size=40)
COMMANDS = {r"\textbackslash{}": "\\", r"\textbraceleft{}": "{",
            r"\textbraceright{}": "}", r"\textasciicircum{}": "^",
            r"\textasciitilde{}": "~", r"\textless{}": "<", r"\textgreater{}": ">"}


def printed(text):
    """Return what LaTeX prints for an escaped text: the reverse, written apart."""
    pattern = "|".join(map(re.escape, COMMANDS)) + r"|\\([%&$#_])"
    return re.sub(pattern, lambda found: found[1] or COMMANDS[found[0]], text)


def read(entry, *stack):
    """Return name → value of the one entry that a BibTeX reader finds."""
    library = bibtexparser.parse_string(entry, append_middleware=stack)
    assert not library.failed_blocks
    found, = library.entries
    return {name: field.value for name, field in found.fields_dict.items()}


def comes_back(entry, title):
    """Tell whether a BibTeX reader finds one entry, and in it the title."""
    library = bibtexparser.parse_string(entry)
    if library.failed_blocks or len(library.entries) != 1:
        return False
    fields = library.entries[0].fields_dict
    return [*fields] == ["author", "title", "howpublished", "year", "url"] and (
        printed(fields["title"].value[1:-1]) == " ".join(title.split()))


def entry_of(**changes):
    return bibtex_entry({**RECORD, **changes}, SHARED)


def test_an_entry_has_who_what_where_and_when():
    assert entry_of() == """@misc{kv-cache,
  author       = {Ada Lovelace},
  title        = {{The KV cache}},
  howpublished = {Site \\& Co},
  year         = {2026},
  url          = {https://x.org/a_b/}
}"""


def test_what_is_not_known_is_not_said():
    fields = read(entry_of(published=None, revised=None, address=None))
    assert fields.keys() == {"author", "title", "howpublished"}
    assert read(entry_of(published=None))["year"] == "2027"


@pytest.mark.parametrize(("names", "expected"), [
    (["the project's contributors"], "{the project's contributors}"),
    (["Ada Lovelace", "Bo Li"], "Ada Lovelace and Bo Li"),
    (["Smith and Sons"], "{Smith and Sons}"),
    (["Acme, Inc.", "Ann van Dyk"], "{Acme, Inc.} and Ann van Dyk"),
    (["and others"], "{and others}"), (["danah boyd"], "{danah boyd}"),
    (["王小明"], "王小明"), (["A & B"], r"A \& B"), (["Anders And"], "{Anders And}")])
def test_a_name_stays_one_name(names, expected):
    assert read(entry_of(authors=names))["author"] == expected
    split = read(entry_of(authors=names), middlewares.SeparateCoAuthors())
    assert len(split["author"]) == len(names)


@given(title=TEXTS, names=st.lists(TEXTS.filter(str.strip), min_size=1, max_size=3))
def test_any_title_comes_back_from_the_entry(title, names):
    assert comes_back(entry_of(title=title, authors=names), title)


@given(TEXTS)
def test_an_escaped_text_has_as_many_braces_of_each_kind(text):
    depth = 0
    for character in escaped(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert 0 <= depth <= 1
    assert depth == 0


@pytest.mark.parametrize("title", ["}", "{", "KV}},\n  x = {{y"])
def test_the_check_notices_a_title_that_is_not_escaped(title, monkeypatch):
    assert comes_back(entry_of(title=title), title)
    monkeypatch.setattr("sitegen.bibtex.SPECIAL", {})
    assert not comes_back(entry_of(title=title), title)
