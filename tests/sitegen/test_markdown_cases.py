"""The tricky inputs of tests/cases/markdown have the outcome that index.json tells."""

import json
import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.islands import island_of
from sitegen.records import Formula
from sitegen.scan import scan
from sitegen.traces import Trace
from tests.site_builder import FRONT, FRONT_LINES, SmallSite, text_of

FOLDER = Path(__file__).parents[1] / "cases" / "markdown"
CASES = {case["id"]: case
         for case in json.loads((FOLDER / "index.json").read_text("utf-8"))["cases"]}
BUILT = sorted(CASES.keys() - {"m09", "m13", "m17", "m19"})
BESIDE = {"other page.html": '<p id="注">x</p>', "x": "", "tiny.py": "a = 1\n"}


def source(name):
    return (FOLDER / CASES[name]["file"]).read_bytes().decode("utf-8")


def whole(name):
    """Return a case's text with front matter, whether it has its own or not."""
    text = source(name)
    return text if text.startswith("---") else FRONT + text


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return case id → HTML of its page, for each case that builds."""
    built = {}
    for name in BUILT:
        site = SmallSite(tmp_path_factory.mktemp(name))
        site.article(whole(name), front="")
        built[name] = site.build()["a/index.html"]
    return built


def cases_with(key):
    return [name for name in CASES if key in CASES[name]["right"]]


def article(html):
    """Return the page's <article> as a tree."""
    return LexborHTMLParser(html).css_first("article")


@pytest.mark.parametrize("display", [False, True], ids=["math_inline", "math_display"])
@pytest.mark.parametrize("name", cases_with("math_inline"))
def test_formulas_are_cut_out_as_they_were_typed(name, display):
    kind = "math_display" if display else "math_inline"
    expected = CASES[name]["right"].get(kind, [])
    found, problems = scan(source(name), name)
    refused = {problem.place for problem in problems}
    assert [formula.tex for formula in found.of(Formula)
            if formula.display == display and formula.place not in refused] == expected


@pytest.mark.parametrize("name", [n for n in BUILT if n in cases_with("math_inline")])
def test_every_formula_of_a_case_is_drawn(name, pages):
    right = CASES[name]["right"]
    count = len(right.get("math_inline", [])) + len(right.get("math_display", []))
    assert len(article(pages[name]).css("math")) == count


@pytest.mark.parametrize("name", cases_with("text_contains"))
def test_the_visible_text_is_as_typed(name, pages):
    text = text_of(article(pages[name]).html)
    for words in CASES[name]["right"]["text_contains"]:
        assert words in text


@pytest.mark.parametrize("name", cases_with("code_blocks"))
def test_code_blocks_are_exact(name, pages):
    blocks = [block.text() for block in article(pages[name]).css("pre")]
    assert blocks == CASES[name]["right"]["code_blocks"]


@pytest.mark.parametrize("name", cases_with("code_inline"))
def test_inline_code_is_exact(name, pages):
    spans = [code.text() for code in article(pages[name]).css(":not(pre) > code")]
    assert spans == CASES[name]["right"]["code_inline"]


@pytest.mark.parametrize("name", cases_with("html_must_not_contain"))
def test_a_page_does_not_hold_what_a_case_forbids(name, pages):
    for piece in CASES[name]["right"]["html_must_not_contain"]:
        assert piece not in pages[name]


def test_underscores_slant_only_what_was_meant(pages):
    slanted = [node.text() for node in article(pages["m01"]).css("em")]
    assert slanted == CASES["m01"]["right"]["emphasis"]


def test_bars_in_formulas_and_code_do_not_split_cells(pages):
    right = CASES["m05"]["right"]
    rows = article(pages["m05"]).css("tbody tr")
    assert len(rows) == right["table_rows"]
    assert {len(row.css("td")) for row in rows} == {right["table_columns"]}


# ------------------------------------------------------------------------- headings
def headings(html):
    """Return (id, visible text) of each heading; an h2 leaves its id to its section."""
    return [(node.attributes.get("id") or node.parent.attributes["id"],
             re.sub("^Section [0-9]+ | #$", "", text_of(node.html)))
            for node in article(html).css("h1, h2, h3, h4, h5, h6")]


def test_headings_in_any_script_get_ids_of_their_own(pages):
    expected = CASES["m11"]["right"]["headings"]
    found = headings(pages["m11"])
    assert len(found) == len(expected)
    for (_, text), words in zip(found, expected, strict=True):
        assert words in (text, None)
    ids = [name for name, _ in found]
    assert all(ids) and len(set(ids)) == 12
    assert not any(set(name) & set("\\(){}<>` ") for name in ids)


def test_the_contents_list_links_to_each_heading(pages):
    tree = LexborHTMLParser(pages["m11"])
    links = [link.attributes["href"] for link in tree.css("page-contents a")]
    assert links == [f"#{name}" for name, _ in headings(pages["m11"])]


def test_a_mark_without_space_opens_no_heading(pages):
    assert "#No space" in [node.text() for node in article(pages["m11"]).css("p")]


def test_a_later_heading_does_not_change_an_earlier_id(pages, site):
    changed = site.page(source("m11") + "\n## Check\n\n## Shapes\n")
    assert headings(changed)[:12] == headings(pages["m11"])


def test_ids_are_the_same_in_every_build(pages, site):
    assert headings(site.page(source("m11"))) == headings(pages["m11"])


# ------------------------------------------------------------------ direction, links
def test_a_mark_that_turns_the_direction_of_code_is_made_visible(pages):
    mark = article(pages["m15"]).css_first("pre .bidi-mark")
    assert (mark.text(), mark.attributes["data-name"]) == ("\u202e", "U+202E")


def test_addresses_come_out_as_typed(site):
    text = source("m17").replace("[dead](#nowhere), ", "").replace(
        "[js](javascript:alert(1)), ", "")
    for name, content in BESIDE.items():
        site.add(f"articles/a/{name}", content)
    html = site.body(text)
    found = [a.attributes["href"] for a in LexborHTMLParser(html).css("p a")]
    expected = [href for href in CASES["m17"]["right"]["hrefs"]
                if href not in (None, "#nowhere")]
    assert [href.replace(" ", "%20") for href in found] == expected
    assert 'href="x?a=1&amp;b=2"' in html


def test_a_dead_anchor_and_a_script_address_are_refused_where_they_stand(site):
    for name, content in BESIDE.items():
        site.add(f"articles/a/{name}", content)
    assert site.problems(source("m17")) == [
        "3:22: no anchor '#nowhere'",
        "3:118: the address 'javascript:alert(1)' is refused"]


def test_an_empty_formula_and_a_blank_line_in_one_are_named_with_their_lines(site):
    assert site.problems(source("m19")) == [
        "8:68: empty formula", "10:1: blank line inside a formula"]


def test_formulas_are_drawn_in_headings_lists_quotes_and_words(site):
    text = source("m19").partition(" Empty")[0]
    tree = LexborHTMLParser(site.body(text))
    assert [len(tree.css(f"{place} math")) for place in ("h2", "li", "blockquote", "p")
            ] == [1, 3, 1, 4]


def test_an_empty_file_is_named(site):
    site.add("articles/a/index.md", source("m13"))
    assert [str(p.place) for p in site.failure()] == ["content/articles/a/index.md:1"]


# --------------------------------------------------------------------- data and titles
def test_any_strings_come_whole_out_of_a_data_island():
    right = CASES["m09"]["right"]
    payload = json.loads(source("m09"))
    inputs = dict.fromkeys(("token_ids", "token_labels", "position_ids"), payload)
    data = {"format": payload, "input": inputs, "tensors": {}}
    text, _ = island_of(Trace("t", "t.json", "", data), [], {"é\u2028": payload})
    written = str(text)
    data["é\u2028"] = payload
    assert json.loads(written) == data
    for piece in [*right["html_must_not_contain_in_payload"], "\u2028", "\u2029"]:
        assert piece not in written
    tree = LexborHTMLParser(f'<script type="application/json">{written}</script><p>')
    assert json.loads(tree.css_first("script").text()) == data


def test_a_title_with_markup_is_text_wherever_it_stands(pages):
    right, html = CASES["m21"]["right"], pages["m21"]
    tree = LexborHTMLParser(html)
    title, description = right["title"], right["description"]
    assert tree.css_first("title").text() == f"{title} · Site"
    assert tree.css_first("h1").text() == title
    assert tree.css_first(".promise").text() == description
    metas = {node.attributes.get("name") or node.attributes.get("property"):
             node.attributes["content"] for node in tree.css("meta[content]")}
    assert metas["og:title"] == title
    assert metas["description"] == metas["og:description"] == description


def test_the_first_page_lists_a_title_with_markup_as_text(site):
    site.article(whole("m21"), front="")
    tree = LexborHTMLParser(site.build()["index.html"])
    assert tree.css_first("article h3").text() == CASES["m21"]["right"]["title"]
    assert len(tree.css("script")) == 2


def test_line_numbers_count_the_front_matter(site):
    site.article("x\n\n[dead](#nowhere)\n")
    assert [p.place.line for p in site.failure()] == [FRONT_LINES + 3]
