"""Any reader: without scripts, on a phone, with axe, with labels of any kind."""

import pytest

from sitegen.notation import fixed
from sitegen.pipeline import build
from tests.browser.attention_heatmap.pages import (
    FRONT,
    PAGE,
    TEXT,
    next_frame,
    press,
    said,
)
from tests.browser.harness import Reader, wait_until
from tests.site_builder import SmallSite
from tests.synthetic_trace import add_trace, synthetic_trace

SIDEWAYS = """(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth - clientWidth;
})()"""


def test_without_scripts_the_table_is_there_and_no_control_is(heatmap_reader, weights):
    page = heatmap_reader(scripts=False)
    assert page.inner_text("#first tbody tr:nth-child(1) td") == "1.00"
    assert page.is_hidden("#first .pick-head")
    assert page.is_hidden("#first .copying")
    assert page.is_visible("#second [data-panel=difference]")
    row = page.inner_text("#first tbody tr:nth-child(3)")
    assert fixed(weights()[0, 2, 0], 2) in row


def test_a_newer_format_is_said_and_the_figure_stays(
        browsers, browser_name, sites, tmp_path):
    page_file = sites[6] / PAGE
    html = page_file.read_text("utf-8")
    spoiled = page_file.with_name("newer.html")
    spoiled.write_text(html.replace('"format_major": 1', '"format_major": 2')
                       .replace('"format_major":1', '"format_major":2'), "utf-8")
    reader = Reader(browsers, browser_name, sites[6])
    page = reader.open("a/newer.html")
    page.wait_for_selector("#first .trouble:visible")
    assert "newer format" in said(page, "#first .trouble[data-when=newer]")
    assert page.inner_text("#first tbody tr:nth-child(1) td") == "1.00"
    problems = reader.problems()
    reader.close()
    assert problems == []


def test_a_table_of_32_is_a_table_that_scrolls_in_its_own_box(heatmap_reader):
    page = heatmap_reader(length=32)
    assert page.locator("#first [data-panel=head] tbody tr").count() == 32
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.check("#first [data-control=root]")
    next_frame(page)
    assert page.locator("#first [data-panel=head] td.w16").count() >= 1


@pytest.mark.parametrize(("length", "scheme"), [
    (6, "light"), (6, "dark"), (32, "light"), (128, "dark")])
def test_axe_finds_nothing(heatmap_reader, axe_violations, length, scheme):
    fragment = "" if length == 32 else "#~compare=1"
    page = heatmap_reader(fragment, length=length, scheme=scheme)
    next_frame(page)
    assert axe_violations(page) == []


@pytest.mark.parametrize("length", [6, 32, 128])
def test_nothing_scrolls_sideways_on_a_phone(heatmap_reader, length):
    page = heatmap_reader("#~compare=1", length=length, width=390)
    next_frame(page)
    assert page.evaluate(SIDEWAYS) == 0


def test_labels_of_any_kind_leave_the_layout_whole(
        browsers, browser_name, tmp_path):
    site = SmallSite(tmp_path)
    labels = ["x" * 400, "", "\u202eabc", "a\nb", "שלום עולם", "👩‍🚀" * 20]
    add_trace(site, synthetic_trace(labels=labels))
    site.article(TEXT, FRONT)
    build(site.content, site.output)
    reader = Reader(browsers, browser_name, site.output)
    page = reader.open(PAGE, width=390)
    page.wait_for_selector("#first [role=grid]")
    press(page, "Tab")
    assert page.evaluate(SIDEWAYS) == 0
    page.evaluate("location.hash = '#~query=2&key=0'")
    wait_until(page, "document.querySelector('#first .chosen-cell b')"
                           ".textContent.includes('2, 0')")
    assert "U+202Eabc" in said(page, "#first .chosen-cell")
    assert page.evaluate(SIDEWAYS) == 0
    problems = reader.problems()
    reader.close()
    assert problems == []
