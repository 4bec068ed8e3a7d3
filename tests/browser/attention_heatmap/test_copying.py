"""A cell, a row or a matrix is copied as it was recorded."""

import json

import pytest

from tests.browser.attention_heatmap.pages import choose, press, said
from tests.browser.harness import wait_until


@pytest.mark.parametrize(("extent", "text"), [
    ("cell", "0, 0, 2, 0]"), ("row", "0, 0, 2], a number for each key"),
    ("matrix", "0, 0], a row for each query")])
def test_copies_are_numpy_unless_asked_otherwise(heatmap_reader, extent, text):
    page = heatmap_reader()
    page.focus("#first [data-panel=head] td[tabindex='0']")
    press(page, "Home")
    assert text in copied(page, extent)


def test_a_copied_matrix_holds_the_recorded_numbers(heatmap_reader, weights):
    page = heatmap_reader()
    choose(page, "head", 1)
    page.select_option("#first [data-control=format]", "json")
    assert json.loads(copied(page, "matrix"))["values"] == weights()[1].tolist()
    page.select_option("#first [data-control=format]", "csv")
    assert copied(page, "row").splitlines()[1].startswith('"2 meets",')


def copied(page, extent):
    """Press a copy button; return what was handed to the clipboard, either way."""
    page.evaluate("""() => {
      window.copied = null;
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
    }""")
    page.click(f"#first [data-copy={extent}]")
    wait_until(page, "window.copied !== null")
    assert said(page, "#first .status") == "Copied."
    return page.evaluate("window.copied")
