"""A published file's records as lines: the page's numbers are those of the file."""

import json

import pytest

from tests.site_builder import text_of

ROWS = [{"n": 16, "kept": 1, "made": 1.5}, {"n": 64, "kept": 2, "made": 20},
        {"n": 256, "kept": 4, "made": 1000}]
DATA = {"date": "2026-11-30", "processor": "a processor",
        "versions": {"python": "3.11.2", "numpy": "2.3.5"}, "decode": ROWS}
BLOCK = """/// line-plot | figure-decode
    file: decode.json
    rows: decode
    x: n
    lines: {kept: the cache is kept, made: all is made again}
    x-label: positions
    y-label: time of a step
    log: LOG

The caption.
///
"""


@pytest.fixture
def page_of(site):
    """Return a function: the file's data → the page as a parser sees it."""
    def build(data, log="true"):
        site.add("articles/a/decode.json", json.dumps(data))
        return site.tree(BLOCK.replace("LOG", log))

    return build


@pytest.fixture
def problems_of(site):
    """Return a function: the file's data, or text → the problems of the build."""
    def build(data, log="true", block=BLOCK):
        text = data if isinstance(data, str) else json.dumps(data)
        site.add("articles/a/decode.json", text)
        return site.problems(block.replace("LOG", log))

    return build


def points(page, style):
    line = page.css_first(f".lines .{style}").attributes["points"]
    return [tuple(map(float, point.split(","))) for point in line.split()]


def ticks(page, axis):
    return [text_of(tick.html) for tick in page.css(f".{axis}-ticks text")]


def test_each_record_has_its_place_on_log_axes(page_of):
    page = page_of(DATA)
    assert points(page, "line-1") == [(0, 100), (50, 89.97), (100, 79.93)]
    assert points(page, "line-2")[-1] == (100, 0)
    assert ticks(page, "x") == ["16", "64", "256"]
    assert ticks(page, "y") == ["1", "10", "100", "1,000"]


def test_linear_axes_begin_at_zero(page_of):
    page = page_of(DATA, "false")
    assert points(page, "line-2") == [(6.25, 99.85), (25, 98), (100, 0)]
    assert ticks(page, "y") == ["0", "200", "400", "600", "800", "1,000"]


def test_lines_are_named_at_their_ends_and_told_apart_by_marks(page_of):
    page = page_of(DATA)
    names = page.css(".plot .names text")
    assert [text_of(name.html) for name in names] == [
        "the cache is kept", "all is made again"]
    marks = {style: {mark.html for mark in page.css(f".marks .{style} > *")}
             for style in ("line-1", "line-2")}
    assert len(page.css(".marks > svg")) == 6
    assert all(len(drawn) == 1 for drawn in marks.values())
    assert marks["line-1"] != marks["line-2"]


def test_the_numbers_stand_in_a_table_and_the_drawing_is_described(page_of):
    page = page_of(DATA)
    table = [[text_of(cell.html) for cell in row.css("th, td")]
             for row in page.css("#figure-decode tr")]
    assert table == [["positions", "the cache is kept", "all is made again"],
                     ["16", "1", "1.50"], ["64", "2", "20"], ["256", "4", "1,000"]]
    svg = page.css_first("#figure-decode svg[role=img]")
    assert svg.attributes["aria-labelledby"] == "figure-decode-title figure-decode-says"
    assert text_of(svg.css_first("title").html) == "time of a step against positions"
    assert text_of(svg.css_first("desc").html) == (
        "From 16 to 256. At the right end: the cache is kept 4, all is made again "
        "1,000.")


def test_the_origin_says_when_and_where_it_was_measured(page_of):
    said = text_of(page_of(DATA).css_first(".origin").html)
    assert said == ("From decode.json: 2026-11-30, a processor, python 3.11.2, "
                    "numpy 2.3.5")


def test_the_page_links_the_styles_and_no_script_of_its_own(page_of, site):
    page = page_of(DATA)
    links = [link.attributes["href"] for link in page.css("link[rel=stylesheet]")]
    assert links == ["../static/site.css", "../static/cache.css"]
    assert (site.output / "static/cache.css").is_file()
    assert not (site.output / "static/cache.js").exists()


def test_many_places_get_rounder_ticks(page_of):
    rows = [{"n": n, "kept": 1, "made": n} for n in range(3, 200, 7)]
    assert ticks(page_of({"decode": rows}), "x") == ["10", "100"]
    assert ticks(page_of({"decode": rows}, "false"), "x") == ["0", "50", "100", "150",
                                                             "200"]


@pytest.mark.parametrize(("change", "problem"), [
    ({"made": 0}, "decode[1].made: 0 has no place on a log axis"),
    ({"made": -1}, "decode[1].made: -1 has no place on a log axis"),
    ({"made": "20"}, "decode[1].made: '20' is not a number"),
    ({"made": None}, "decode[1].made: None is not a number"),
    ({"made": True}, "decode[1].made: True is not a number"),
    ({"n": 16}, "decode: 'n' does not rise from record to record"),
])
def test_a_number_that_cannot_be_drawn_is_told(problems_of, change, problem):
    rows = [ROWS[0], {**ROWS[1], **change}, ROWS[2]]
    assert problems_of({"decode": rows}) == [
        f"content/articles/a/decode.json: {problem}"]


@pytest.mark.parametrize(("data", "problem"), [
    ({"decode": [ROWS[0], {"n": 64, "kept": 2}]},
     ": decode[1]: no 'made'; known: kept, n"),
    ({"decode": [ROWS[0], 3]}, ": decode[1]: expected a record"),
    ({"decode": [ROWS[0]]}, ": decode: a line needs two records"),
    ({"decode": []}, ": decode: a line needs two records"),
    ({"encode": ROWS}, ": no list 'decode'; did you mean 'encode'?  known: encode"),
    ({"decode": 3}, ": no list 'decode'; did you mean 'decode'?  known: decode"),
    ([ROWS], ": no list 'decode'; known: none"),
    ("", ":1:1: not JSON: Expecting value"),
])
def test_a_file_of_another_form_is_told(problems_of, data, problem):
    assert problems_of(data) == [f"content/articles/a/decode.json{problem}"]


def test_zero_has_a_place_on_linear_axes_alone(page_of, problems_of):
    rows = [{**ROWS[0], "kept": 0}, *ROWS[1:]]
    assert points(page_of({"decode": rows}, "false"), "line-1")[0] == (6.25, 100)
    assert problems_of({"decode": rows}) == [
        "content/articles/a/decode.json: decode[0].kept: 0 has no place on a log axis"]


def test_a_file_that_is_not_published_is_told(problems_of):
    block = BLOCK.replace("decode.json", "encode.json")
    assert problems_of(DATA, block=block) == [
        "2:11: no file 'encode.json' to draw from"]
