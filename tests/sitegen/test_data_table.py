"""A published file's records as a table: what the file says, and no more."""

import json

import pytest

from tests.site_builder import text_of

ROWS = [{"name": "one", "failed": None, "costs": {"cold": 0.9134}, "right": True},
        {"name": "two", "failed": None, "costs": {"cold": 12}, "right": False},
        {"name": "three <b>", "failed": "not installed", "costs": None}]
DATA = {"date": "2026-11-30", "processor": "a processor",
        "versions": {"python": "3.11.2"}, "tools": ROWS}
BLOCK = """/// data-table | figure-tools
    file: tools.json
    rows: tools
    name: name
    instead: failed
    columns: {costs.cold: cold, right: from disk}

The caption.
///
"""


@pytest.fixture
def page_of(site):
    """Return a function: the file's data → the page as a parser sees it."""
    def build(data):
        site.add("articles/a/tools.json", json.dumps(data))
        return site.tree(BLOCK)

    return build


@pytest.fixture
def problems_of(site):
    """Return a function: the file's text, and the block → the problems."""
    def build(text, block=BLOCK):
        site.add("articles/a/tools.json", text)
        return site.problems(block)

    return build


def cells(page):
    return [[text_of(cell.html) for cell in row.css("th, td")]
            for row in page.css("table tr")]


def test_each_record_is_a_row_of_what_the_columns_name(page_of):
    assert cells(page_of(DATA)) == [
        ["", "cold", "from disk"],
        ["one", "0.913", "yes"],
        ["two", "12", "no"],
        ["three <b>", "not installed"],
    ]


def test_a_row_without_figures_says_why_over_all_columns(page_of):
    last = page_of(DATA).css("tbody tr")[-1]
    assert last.css_first("td").attributes["colspan"] == "2"
    assert last.css_first("b") is None      # a name is never markup


def test_a_column_of_numbers_lines_up_at_its_end(page_of):
    page = page_of(DATA)
    assert [cell.attributes.get("class") for cell in page.css("thead th")] == [
        "right", None]
    assert {text_of(cell.html) for cell in page.css("td.right")} == {"0.913", "12"}


def test_null_is_a_dash_and_no_number(page_of):
    rows = [{**ROWS[0], "costs": None}, {**ROWS[1], "right": None}]
    assert [row[1:] for row in cells(page_of({**DATA, "tools": rows}))[1:]] == [
        ["–", "yes"], ["12", "–"]]


def test_the_table_scrolls_in_a_box_and_says_where_it_is_from(page_of):
    page = page_of(DATA)
    box = page.css_first("figure#figure-tools scroll-box")
    assert box.attributes["tabindex"] == "0" and box.css_first("table")
    said = text_of(page.css_first("figcaption").html)
    assert "Figure 1" in said and "The caption." in said
    assert "From tools.json: 2026-11-30, a processor, python 3.11.2" in said


@pytest.mark.parametrize(("text", "message"), [
    ("{", "content/articles/a/tools.json:1:2: not JSON"),
    ("[]", "content/articles/a/tools.json: no list 'tools'"),
    ('{"tool": []}', "no list 'tools'; did you mean 'tool'"),
    ('{"tools": []}', "no list 'tools'"),
    ('{"tools": [1]}', "'name': no 'name'"),
    ('{"tools": [{"name": "a", "failed": null, "right": true, "costs": {"cool": 1}}]}',
     "'costs.cold': no 'cold'; did you mean 'cool'"),
    ('{"tools": [{"name": "a", "failed": null, "right": [], "costs": {"cold": 1}}]}',
     "[] is no number, text, true, false or null"),
], ids=["json", "no record", "key", "empty", "number", "column", "list"])
def test_a_file_that_cannot_be_drawn_is_one_clear_line(problems_of, text, message):
    (problem,) = problems_of(text)
    assert message in problem


def test_a_file_that_is_not_published_is_named(problems_of):
    block = BLOCK.replace("tools.json", "tool.json")
    (problem,) = problems_of(json.dumps(DATA), block)
    assert problem == "2:11: no file 'tool.json' to draw from"
