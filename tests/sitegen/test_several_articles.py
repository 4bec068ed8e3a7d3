"""Several articles are one site: an order, neighbours, shared files, checked links."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.site_builder import SETTINGS, snapshot, text_of

FRONT = """---
title: {title}
description: About {title}.
needs: patience with {title}
revised: 2026-11-30
---
"""
LISTED = 'articles = [\n    "first",\n    "second",\n    "third",\n]\n'
BIB = """@misc{one, title = {One}, author = {A}, year = {2020}}
@misc{two, title = {Two}, author = {B}, year = {2021}}
"""
TWENTY = " ".join(["word"] * 4000)      # that takes more than a quarter of an hour


@pytest.fixture
def series(site):
    """Return a content folder with three articles, listed one a line."""
    site.add("site.toml", SETTINGS.replace('articles = ["a"]\n', LISTED))
    site.add("references.bib", BIB)
    for slug in ("first", "second", "third"):
        add(site, slug, f"Text of the {slug}.\n")
    return site


def add(site, slug, text):
    """Write an article whose title is its slug, capital first."""
    site.article(text, FRONT.format(title=slug.title()), slug)


def tree(files, path):
    """Return a built page as an HTML parser sees it."""
    return LexborHTMLParser(files[path])


def neighbours(files, slug):
    """Return rel → (text, href) of the links below an article's text."""
    return {link.attributes["rel"]: (link.text(), link.attributes["href"])
            for link in tree(files, f"{slug}/index.html").css("nav.series a")}


def told(site):
    """Return 'place: message' of each problem of a build that must fail."""
    return [f"{problem.place}: {problem.message}" for problem in site.failure()]


# ---------------------------------------------------------------------- order
def test_the_index_tells_the_articles_in_reading_order(series):
    series.add("site.toml", (series.content / "site.toml").read_text("utf-8").replace(
        '"first",\n    "second"', '"second",\n    "first"'))
    add(series, "first", TWENTY)
    entries = tree(series.build(), "index.html").css("ol.articles > li")
    told = [text_of(entry.html) for entry in entries]
    assert [line.split()[0] for line in told] == ["Second", "First", "Third"]
    assert all(f"About {name}." in line and f"patience with {name}" in line
               for name, line in zip(("Second", "First", "Third"), told, strict=True))
    assert ["1 minute" in line for line in told] == [True, False, True]
    assert "19 minutes" in told[1]


def test_each_article_leads_to_its_neighbours_and_the_ends_to_one(series):
    files = series.build()
    first, second, third = ((name, f"../{name.lower()}/index.html")
                            for name in ("First", "Second", "Third"))
    assert neighbours(files, "first") == {"next": second}
    assert neighbours(files, "second") == {"prev": first, "next": third}
    assert neighbours(files, "third") == {"prev": second}
    nav, = tree(files, "second/index.html").css("article nav.series")
    assert nav.attributes["aria-label"] == "Reading order"


def test_an_article_alone_has_no_neighbours(site):
    site.article("Text.\n")
    assert not tree(site.build(), "a/index.html").css(".series, [rel=prev], [rel=next]")


def test_a_title_of_a_neighbour_is_text(series):
    series.article("Text.\n", FRONT.format(title="'<b>Fish & chips</b>'"), "second")
    files = series.build()
    assert neighbours(files, "first") == {
        "next": ("<b>Fish & chips</b>", "../second/index.html")}


# ------------------------------------------------------------- one folder and one line
def test_a_new_article_is_one_folder_and_one_line(series):
    before = series.build()
    add(series, "fourth", "Text of the fourth. [@two]\n")
    settings = (series.content / "site.toml").read_text("utf-8")
    series.add("site.toml", settings.replace('"third",', '"third",\n    "fourth",'))
    after = series.build()
    assert "Fourth" in text_of(after["index.html"])
    assert neighbours(after, "fourth") == {"prev": ("Third", "../third/index.html")}
    assert neighbours(after, "third")["next"] == ("Fourth", "../fourth/index.html")
    changed = {path for path in after if after[path] != before.get(path)}
    assert changed == {"index.html", "404.html", "third/index.html",
                       "fourth/index.html", "search/index.html",
                       "static/search-index.js"}


def test_a_folder_that_site_toml_does_not_list_is_named(series):
    add(series, "fourth", "Text.\n")
    series.add("articles/notes/ideas.txt", "no article")
    series.add("articles/.draft/index.md", "not ready")
    problem, = series.failure()
    assert str(problem.place) == "content/articles/fourth/index.md"
    assert problem.message == "site.toml does not list this article"
    assert "put 'fourth' into its articles" in problem.todo


def test_a_listed_folder_that_does_not_exist_is_named(series):
    settings = (series.content / "site.toml").read_text("utf-8")
    series.add("site.toml", settings.replace('"third"', '"thrid"'))
    unlisted, missing = series.failure()
    assert str(missing.place) == "content/articles/thrid/index.md"
    assert missing.message == "no such article"
    assert "did you mean 'third'?" in missing.todo
    assert str(unlisted.place) == "content/articles/third/index.md"


# ---------------------------------------------------------------------- shared files
def test_all_pages_share_one_style_one_script_and_one_font(series):
    files = series.build()
    addresses = [[link.attributes["href"] for link in
                  tree(files, f"{slug}/index.html").css("link[rel=stylesheet]")]
                 + [script.attributes["src"] for script in
                    tree(files, f"{slug}/index.html").css("script[src]")]
                 for slug in ("first", "second", "third")]
    assert addresses == 3 * [["../static/site.css", "../static/theme.js",
                              "../static/app.js"]]
    index = files["index.html"]
    assert all(address.removeprefix("../") in index for address in addresses[0])
    written = snapshot(series.output)
    assert {path for path in written if path.endswith(".css")} == {
        "static/site.css", "static/search.css"}     # the search page's own
    assert sum(path.endswith(".woff2") for path in written) == 1


def test_every_page_numbers_the_references_that_it_cites_in_the_file_s_order(series):
    add(series, "first", "[@two]\n")
    add(series, "second", "[@two] and [@one]\n")
    files = series.build()
    marks = {slug: [text_of(entry.html).split()[:3] for entry in
                    tree(files, f"{slug}/index.html").css("ol.references > li")]
             for slug in ("first", "second", "third")}
    assert marks == {"first": [["[1]", "B", "(2021)."]],
                     "second": [["[1]", "A", "(2020)."], ["[2]", "B", "(2021)."]],
                     "third": []}


# ---------------------------------------------------------------------- links
def test_a_link_to_another_article_s_section_is_found(series):
    add(series, "first", "[there](../second/index.html#here)\n")
    add(series, "second", "## Here {#here}\n\nText.\n")
    assert 'href="../second/index.html#here"' in series.build()["first/index.html"]


@pytest.mark.parametrize(("link", "message", "todo"), [
    ("../second/index.html#her", "no anchor '#her' in second/index.html",
     "did you mean 'here'?"),
    ("../secnd/index.html", "no file or page '../secnd/index.html'",
     "did you mean '../second/index.html'?"),
    ("../second/", "link to a folder: '../second/'", "name its page"),
    ("../second/here.txt", "no file or page '../second/here.txt'",
     "known: ../404.html, ../index.html"),
], ids=["anchor", "page", "folder", "file"])
def test_a_link_that_leads_nowhere_in_another_article_is_named(
        series, link, message, todo):
    add(series, "first", f"Some text.\n\nThen [there]({link}).\n")
    add(series, "second", "## Here {#here}\n\nText.\n")
    problem, = series.failure()
    assert str(problem.place) == "content/articles/first/index.md:9:14"
    assert problem.message == message and todo in problem.todo


def test_an_anchor_of_another_article_that_goes_breaks_the_link_to_it(series):
    add(series, "first", "[there](../second/index.html#here)\n")
    add(series, "second", "## Here {#here}\n\nText.\n")
    series.build()
    add(series, "second", "## Here {#elsewhere}\n\nText.\n")
    assert told(series) == ["content/articles/first/index.md:7:9: "
                            "no anchor '#here' in second/index.html"]
