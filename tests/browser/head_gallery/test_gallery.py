"""The head gallery in a browser, from disk: its sheet, its switches, its keys."""

import shutil

import numpy as np
import pytest

from sitegen.head_statistics import head_statistics
from sitegen.recorded import contributions
from tests.browser.harness import Reader
from tests.browser.head_gallery.pages import (
    FIRST_PIXEL,
    IDS,
    PAGE,
    SHEET,
    live_cell,
    press,
    row_of,
    said,
    settle,
    shown_head,
)

LAYERS, HEADS, T = 5, 6, len(IDS)
LAST = T - 1


def test_nothing_of_it_is_loaded_before_it_comes_near(gallery_reader):
    page = gallery_reader.open(PAGE)
    settle(page)
    asked = "() => [...document.scripts].map((script) => script.src)"
    before = page.evaluate(asked)
    assert not [src for src in before if "head-gallery" in src or "/data/" in src]
    page.locator("head-gallery").scroll_into_view_if_needed()
    page.wait_for_selector(f"{SHEET} [role=gridcell]", state="attached")
    settle(page)
    after = page.evaluate(asked)
    assert [src for src in after if "head-gallery.js" in src]
    weights = [src for src in after if ".weights.js" in src]
    assert len(weights) == LAYERS - 1, "layer 0 stands in the page"
    assert not [src for src in after if ".contributions.js" in src]


def test_arrows_walk_over_the_sheet_and_the_heatmap_follows(open_gallery):
    page = open_gallery()
    assert live_cell(page) == "layer 0, head 0"
    first_id = page.get_attribute(SHEET, "aria-activedescendant")
    press(page, "ArrowRight", "ArrowRight", "ArrowDown")
    assert live_cell(page) == "layer 1, head 2", "more heads than layers: heads across"
    assert page.get_attribute(SHEET, "aria-activedescendant") != first_id
    assert shown_head(page) == (1, 2)
    assert said(page, ".chosen-head p") == "Layer 1, head 2"
    press(page, "End")
    assert live_cell(page) == "layer 1, head 5"
    press(page, "Control+End", "ArrowRight", "ArrowDown")
    assert live_cell(page) == f"layer {LAYERS - 1}, head {HEADS - 1}"
    press(page, "Control+Home")
    assert shown_head(page) == (0, 0)


def test_a_click_chooses_the_head_under_it(open_gallery):
    page = open_gallery()
    x, y = page.evaluate("""() => {
      const { sheet } = document.querySelector("head-gallery");
      const place = sheet.at.indexOf(3 * 6 + 4);
      const row = Math.floor(place / sheet.columns);
      return [sheet.left + (place % sheet.columns) * sheet.cell + sheet.side / 2,
        sheet.top(row) + sheet.side / 2];
    }""")
    page.click(f"{SHEET} canvas", position={"x": x, "y": y})
    settle(page)
    assert live_cell(page) == "layer 3, head 4"
    assert shown_head(page) == (3, 4)


def test_the_heatmap_s_own_choice_is_framed_in_the_sheet(open_gallery):
    page = open_gallery()
    page.click("#large .pick-layer label:has(input[value='4'])")
    settle(page)
    assert live_cell(page) == "layer 4, head 0"
    assert shown_head(page, "#small") == (0, 0), "another trace is left alone"


@pytest.mark.parametrize("name", ["first", "self", "previous", "entropy",
                                  "first_contribution", "induction"])
def test_ordered_by_a_statistic_the_largest_comes_first(open_gallery, trace, name):
    page = open_gallery()
    page.select_option("head-gallery select[data-control=sort]", name)
    settle(page)
    press(page, "Control+End", "Control+Home")
    statistic = {s.name: s for s in head_statistics(trace, trace)}[name]
    layer, head = np.unravel_index(statistic.values.argmax(), (LAYERS, HEADS))
    largest = f"{statistic.values.max():.2f}"
    assert live_cell(page) == f"layer {layer}, head {head}: {largest}"
    assert said(page, f".chosen-head [data-part={name}]") == largest


def test_rows_are_those_of_the_recording_within_a_part(open_gallery, trace):
    page = open_gallery()
    press(page, "ArrowDown", "ArrowRight")
    row, exact = row_of(page), trace.tensor("layers.1.weights")[0, 1, LAST]
    assert np.abs(np.array(row) - exact).max() < 1 / 4095 + 1e-6
    assert sum(row) == pytest.approx(1, abs=1e-6)


def test_hiding_position_0_scales_up_the_rest_within_the_said_error(
        open_gallery, trace):
    page = open_gallery()
    press(page, "ArrowDown", "ArrowRight")
    page.check("head-gallery [data-control=hide]")
    settle(page)
    row, exact = row_of(page), trace.tensor("layers.1.weights")[0, 1, LAST]
    expected = np.where(np.arange(T) == 0, 0, exact) / exact[1:].sum()
    note = said(page, "#large [data-when=hide]")
    error = float(page.inner_text("#large [data-part=error]"))
    assert "Position 0 is left out" in note
    assert 1 / 4095 < error < 2 / 4095 / exact[1:].sum() * 2
    assert np.abs(np.array(row) - expected).max() < error
    assert row[0] == 0
    assert said(page, "#large .followed-row [data-part=sum]") == "1.000"
    page.uncheck("head-gallery [data-control=hide]")
    settle(page)
    assert not page.is_visible("#large [data-when=hide]")


def test_contributions_are_loaded_when_asked_for_and_shown(open_gallery, trace):
    page = open_gallery()
    press(page, "ArrowDown", "ArrowRight")
    page.select_option("head-gallery select[data-control=measure]", "contributions")
    settle(page)
    row, exact = row_of(page), contributions(trace, "layers.1")[0, 1, LAST]
    assert np.abs(np.array(row) - exact).max() < 1 / 4095
    assert page.is_visible("#large [data-when=contributions]")
    assert page.is_visible("#gallery [data-when=contributions]")
    assert not page.is_visible("#small [data-when=contributions]")


def test_the_square_root_scale_is_one_switch_for_both_figures(open_gallery):
    page = open_gallery()
    page.check("head-gallery [data-control=root]")
    settle(page)
    assert page.is_checked("#large [data-control=root]")
    page.uncheck("#large [data-control=root]")
    settle(page)
    assert not page.is_checked("head-gallery [data-control=root]")


def test_the_address_keeps_each_trace_s_choice_under_its_own_name(open_gallery):
    page = open_gallery("#~layer=1&head=3&pretrained.layer=3&pretrained.head=2")
    assert live_cell(page) == "layer 3, head 2"
    assert shown_head(page) == (3, 2)
    assert shown_head(page, "#small") == (1, 3)
    press(page, "ArrowUp")
    page.wait_for_timeout(500)
    assert page.evaluate("location.hash").startswith(
        "#~layer=1&head=3&pretrained.layer=2&pretrained.head=2")


def test_a_change_of_colours_paints_the_sheet_anew(open_gallery):
    page = open_gallery()
    light = page.evaluate(FIRST_PIXEL)
    assert light == [0x13, 0x23, 0x6E, 255], "the first weight is one"
    page.click("theme-choice label:has(#theme-dark)")
    settle(page)
    assert page.evaluate(FIRST_PIXEL) == [0xD7, 0xF7, 0xFF, 255]


def test_data_that_cannot_be_loaded_are_told_in_the_figure(
        browsers, browser_name, gallery_site, tmp_path):
    broken = shutil.copytree(gallery_site, tmp_path / "broken")
    (broken / "a/data/pretrained/layers.2.weights.js").unlink()
    reading = Reader(browsers, browser_name, broken)
    page = reading.open(PAGE)
    page.locator("head-gallery").scroll_into_view_if_needed()
    page.wait_for_selector("#gallery [data-when=unreadable]:not([hidden])")
    assert "layers.2.weights" in said(page, "#gallery [data-part=reason]")
    assert said(page, ".chosen-head p") == "Layer 0, head 0"
    problems = reading.problems()
    reading.close()
    assert all("layers.2.weights" in problem or "ERR_FILE_NOT_FOUND" in problem
               for problem in problems)
