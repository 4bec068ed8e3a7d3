"""The verification record: a plain table, which needs no script."""

import json

import pytest

ARTICLE = "inside-attention/index.html"
ROWS = "#figure-record tbody tr"    # the model's own; the probe's follows it
GROUND = """(id) => getComputedStyle(document.getElementById(id).querySelector("td"))
  .backgroundColor"""


@pytest.fixture(scope="module")
def checks(site_dir):
    """The checks of the trace that stands beside the article."""
    trace = (site_dir / "inside-attention" / "trace.json").read_text("utf-8")
    return json.loads(trace)["checks"]


@pytest.mark.parametrize("scripts", [True, False])
def test_every_check_of_the_downloaded_trace_has_a_row(open_page, checks, scripts):
    page = open_page(ARTICLE, scripts=scripts)
    ids = page.eval_on_selector_all(ROWS, "(rows) => rows.map((row) => row.id)")
    assert ids == [f"check-{check['id']}" for check in checks]
    results = page.locator(f"{ROWS} .result").all_inner_texts()
    assert results == ["holds" if check["passed"] else "✗ FAILS" for check in checks]
    assert page.locator("#figure-record .held").is_visible()


def test_a_check_has_an_address_that_marks_its_row(open_page, checks):
    first, second = (f"check-{check['id']}" for check in checks[:2])
    page = open_page(ARTICLE, f"#{second}", reduced_motion=True)
    row = page.locator(f"#{second}").bounding_box()
    assert 0 <= row["y"] < 900
    assert page.evaluate(GROUND, second) != page.evaluate(GROUND, first)


@pytest.mark.parametrize("width", [390, 1280])
def test_no_column_is_lost_at_any_width(open_page, width):
    page = open_page(ARTICLE, width=width)
    box = page.locator("#figure-record scroll-box").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width
    table = page.locator("#figure-record .record").bounding_box()
    reachable = page.locator("#figure-record scroll-box[tabindex='0']").count()
    assert table["width"] <= box["width"] + 1 or reachable
