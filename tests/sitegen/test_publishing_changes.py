"""Dates of an article: real ones, in order, and shown with what changed on them."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.site_builder import text_of

FRONT = """---
title: Title
published: 2026-01-02
revised: 2026-01-03
updates:
  - date: 2026-02-01
    text: The second figure follows the first.
  - date: 2026-05-06
    text: "A <b>table</b> & its {sum}"
corrections:
  - date: 2026-03-04
    text: The first version divided by 32. It is the square root of 8.
  - date: 2026-03-04
    text: A sign was wrong.
---
"""


def front(*lines):
    """Return front matter with lines below its title, which is line 2."""
    return "\n".join(["---", "title: Title", *lines, "---", ""])


CHANGE = "{date: 2026-01-01, text: x}"
# Lines of front matter; what stands at the place that is named; the message.
FAULTS = [
    (["published: 2026-02-30"], "2026-02-30",
     "published: no date: day is out of range for month"),
    (["published: 26-02-03"], "26-02-03",
     'published: "26-02-03": expected a date, YYYY-MM-DD'),
    (["published: ２０２６-01-01"], "２０２６-01-01",
     'published: "２０２６-01-01": expected a date, YYYY-MM-DD'),
    (["published: 2026-01-02", "revised: 2026-01-01"], "2026-01-01",
     "revised: 2026-01-01 is before it was published, 2026-01-02"),
    (["published: 2026-01-02", "updates:", f"  - {CHANGE}"], "2026-01-01, text",
     "updates.0.date: 2026-01-01 is before it was published, 2026-01-02"),
    (["corrections:", f"  - {CHANGE}", "  - date: 2026-00-01", "    text: x"],
     "2026-00-01", "corrections.1.date: no date: month must be in 1..12"),
    (["updates:", "  - text: x"], "text: x", "updates.0: 'date' is missing"),
    (["corrections:", "  - {date: 2026-01-01, text: ' '}"], "' '}",
     'corrections.0.text: " ": expected a sentence or more'),
    (["updates:", "  - {date: 2026-01-01, text: x, txt: y}"], "txt",
     "updates.0.txt: unknown key; did you mean 'text'?  known: date, text"),
    (["updates:", "  - {date: 2026-01-01, text: x, text: y}"], "text: y",
     "front matter cannot be read: 'text' stands twice"),
]


@pytest.mark.parametrize(("lines", "at", "message"), FAULTS, ids=range(len(FAULTS)))
def test_a_wrong_date_is_named_at_its_place(site, lines, at, message):
    site.article("Text.\n", front(*lines))
    problem, = site.failure()
    assert problem.message == message
    rest = problem.excerpt[problem.place.column - 1:]
    assert rest.startswith((at, message.split(":")[0].split(".")[-1] + ": " + at))


def test_a_wrong_date_says_what_to_do(site):
    site.article("Text.\n", front("published: 2026-02-01", "revised: 2026-01-01"))
    problem, = site.failure()
    assert problem.todo == "correct this date, or 'published'"


def changes(files):
    """Return the section of what changed."""
    return LexborHTMLParser(files["a/index.html"]).css_first("section#changes")


def test_changes_stand_at_the_end_the_newest_first(site):
    site.article("Text.\n", FRONT)
    section = changes(site.build())
    assert section.parent.tag == "article"
    heads, texts = section.css("dt"), section.css("dd")
    assert [head.attributes["id"] for head in heads] == [
        "update-2026-05-06", "correction-2026-03-04", "correction-2026-03-04-2",
        "update-2026-02-01"]
    assert [text_of(head.html) for head in heads][:2] == [
        "Update, 6 May 2026", "Correction, 4 March 2026"]
    assert texts[0].text() == "A <b>table</b> & its {sum}"
    assert heads[0].css_first("time").attributes["datetime"] == "2026-05-06"
    assert heads[0].css_first("a").attributes["href"] == "#update-2026-05-06"


def test_the_contents_lead_to_the_changes_and_the_head_has_the_last_day(site):
    site.article("## A\n\nText.\n", FRONT)
    tree = LexborHTMLParser(site.build()["a/index.html"])
    assert tree.css(".contents a")[-1].attributes["href"] == "#changes"
    days = [node.attributes["datetime"] for node in tree.css(".facts time")]
    assert days == ["2026-01-02", "2026-05-06"]     # an update is a revision


def test_without_changes_there_is_no_section_and_no_id_is_taken(site):
    site.article("## Changes\n\nText.\n\n### Update 2026-05-06\n", front())
    files = site.build()
    assert changes(files) is None
    site.article("## Changes\n\nText.\n", FRONT)
    assert len(LexborHTMLParser(site.build()["a/index.html"]).css("#changes")) == 1
