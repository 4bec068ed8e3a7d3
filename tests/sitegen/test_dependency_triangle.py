"""The dependency triangle without scripts: the numbers that a snippet left."""

import json
from pathlib import Path

import numpy as np
import pytest

from sitegen.directives import dependency_triangle as triangle
from tests.site_builder import text_of
from tests.sitegen.test_run_controls import STORED
from tests.synthetic_trace import add_trace, synthetic_trace

# tests/js/dependencies.test.js reads the same table.
TABLE = json.loads((Path(__file__).parents[1] / "cases/dependencies.json").read_text(
    "utf-8"))
LAYERS, LENGTH = 2, 6
RNG = np.random.default_rng(8)
CHANGES = np.stack([np.diag(RNG.uniform(0.1, 2, LENGTH)),
                    np.triu(10 ** RNG.uniform(-7, 0.3, (LENGTH, LENGTH)))])
SNIPPET = "/// snippet\n    file: left.py\n    show: false\n///\n\n"
DIRECTIVE = SNIPPET + """/// dependency-triangle | figure
    trace: demo
    changes: entry_changes
    with: replacement
    replace: 2

What to see.
///
"""


@pytest.fixture
def triangle_site(site):
    """A site with a trace that can be computed, and the numbers of a snippet."""
    add_trace(site, {**synthetic_trace(), "parameters": STORED})
    leave(site)
    return site


def leave(site, changes=CHANGES, replacement=9):
    """Write the script that leaves numbers behind."""
    site.add("articles/a/left.py",
             f'"""Numbers."""\nentry_changes = {np.ravel(changes).tolist()}\n'
             f"replacement = {replacement!r}\n")


def tables_of(page):
    """Return each layer's rows of (class, text)."""
    def rows_of(table):
        return [[(cell.attributes["class"], text_of(cell.html))
                 for cell in row.css("td")] for row in table.css("tbody tr")]

    return [rows_of(table) for table in page.css(".triangles table")]


def sentence_of(page):
    """Return what the figure says, without what is hidden."""
    for hidden in page.css(".sentence [hidden]"):
        hidden.decompose()
    return text_of(page.css_first(".sentence").html)


def test_each_cell_has_its_number_and_its_colour(triangle_site):
    tables = tables_of(triangle_site.tree(DIRECTIVE))
    assert len(tables) == LAYERS
    for layer, rows in enumerate(tables):
        for j, row in enumerate(rows):
            for p, cell in enumerate(row):
                size = CHANGES[layer, j, p]
                assert cell == (triangle.change_class(size),
                                triangle.in_one_digit(size) or "same")
    filled = [[[text != "same" for _, text in row] for row in rows] for rows in tables]
    assert np.array_equal(filled[0], np.eye(LENGTH, dtype=bool))
    assert np.array_equal(filled[1], np.triu(np.ones((LENGTH, LENGTH), bool)))


def test_the_chosen_row_is_marked_and_spelled_out(triangle_site):
    page = triangle_site.tree(DIRECTIVE)
    for table in page.css(".triangles table"):
        marked = ["followed" in (row.attributes.get("class") or "")
                  for row in table.css("tbody tr")]
        assert marked == [row == 2 for row in range(LENGTH)]
    assert sentence_of(page).startswith(
        "Replacing token 2, “meets”, by “word9” changes in layer 0 the entries at 2, "
        "in layer 1 the entries at 2–5. Those at 0–1 are the same in every layer,")


def test_what_is_said_is_what_changed(triangle_site):
    leaks = CHANGES.copy()
    leaks[1, 2, 0] = 1e-9
    leaks[0, 2, 4] = 2e-12
    leaks[1, 2, 1] = 9e-13      # rounding
    leave(triangle_site, leaks)
    assert sentence_of(triangle_site.tree(DIRECTIVE)) == (
        "Replacing token 2, “meets”, by “word9” changes in layer 0 the entries at "
        "2, 4, in layer 1 the entries at 0, 2–5. No position is the same in every "
        "layer: nothing of the cache serves a prompt that begins with another token.")
    leave(triangle_site, np.zeros_like(CHANGES))
    assert "changes in layer 0 none, in layer 1 none. Those at 0–5" in sentence_of(
        triangle_site.tree(DIRECTIVE))


def test_a_token_that_stands_there_is_replaced_by_the_next(triangle_site):
    leave(triangle_site, replacement=3)     # position 2 has token 3
    assert "by “word4”" in sentence_of(triangle_site.tree(DIRECTIVE))


def test_the_page_has_the_build_s_numbers_with_every_digit(triangle_site):
    element = triangle_site.tree(DIRECTIVE).css_first("dependency-triangle")
    assert json.loads(element.attributes["data-changes"]) == CHANGES.ravel().tolist()
    assert element.attributes["data-to"] == "9"
    island = triangle_site.tree(DIRECTIVE).css_first("#trace-demo").text()
    assert "file" in json.loads(island)["parameters"]


@pytest.mark.parametrize("left, problem", [
    ({"changes": CHANGES[1:]}, "'entry_changes' has 36 values"),
    ({"changes": -CHANGES}, "'entry_changes' has 72 values"),
    ({"replacement": 32}, "'replacement' is 32, no token's id"),
    ({"replacement": 1.5}, "'replacement' is 1.5, no token's id"),
    ({"replacement": "of"}, "'replacement' is 'of', no token's id"),
])
def test_numbers_that_do_not_fit_the_trace_are_refused(triangle_site, left, problem):
    leave(triangle_site, **left)
    assert triangle_site.problems(DIRECTIVE) == [f"6:1: {problem}"]


@pytest.mark.parametrize("option, problem", [
    ("changes: entries", "8:14: the snippets leave no value 'entries'"),
    ("with: token", "9:11: the snippets leave no value 'token'"),
    ("replace: 6", "10:14: the trace has no position 6"),
])
def test_options_that_nothing_answers_to_are_refused(triangle_site, option, problem):
    name = option.partition(":")[0]
    lines = [f"    {option}" if line.startswith(f"    {name}:") else line
             for line in DIRECTIVE.split("\n")]
    assert triangle_site.problems("\n".join(lines)) == [problem]


def test_a_trace_without_parameters_is_refused(site):
    add_trace(site, synthetic_trace())
    leave(site)
    assert site.problems(DIRECTIVE) == ["6:1: the trace 'demo' records no parameters"]


def test_a_snippet_that_fails_is_the_only_problem(triangle_site):
    triangle_site.add("articles/a/left.py", '"""Fails."""\nraise ValueError("no")\n')
    (problem,) = triangle_site.problems(DIRECTIVE)
    assert "no" in problem and "leave no value" not in problem


@pytest.mark.parametrize("name", [name for name in TABLE if name != "about"])
def test_changes_are_written_coloured_and_counted_as_javascript_does(name):
    tell = getattr(triangle, name)
    for *given, said in TABLE[name]:
        arguments = given[0] if name == "replacement_of" else given
        assert tell(*arguments) == said, given
