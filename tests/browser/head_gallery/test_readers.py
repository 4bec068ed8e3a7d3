"""The gallery without scripts, on a phone, in the dark, and for a screen reader."""

import pytest

from sitegen.pictures import DARK, LIGHT
from sitegen.sheet import HATCH_COLOURS
from tests.browser.head_gallery.pages import (
    COLOURS,
    SHEET,
    live_cell,
    press,
    shown_head,
)


def test_without_scripts_there_are_the_sheet_and_the_numbers(open_gallery):
    page = open_gallery(scripts=False)
    assert page.locator(f"{SHEET} img").bounding_box()["height"] > 100
    assert not page.is_visible("head-gallery select")
    assert page.is_visible("head-gallery summary")
    assert page.locator(".statistics tr").count() == 1 + 1 + 5


def test_on_a_phone_the_page_does_not_scroll_sideways(open_gallery):
    page = open_gallery(width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('head-gallery').sheet.cell") >= 24
    press(page, "ArrowRight")
    assert live_cell(page) == "layer 0, head 1"
    assert shown_head(page) == (0, 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_gallery, axe_violations, scheme):
    page = open_gallery(scheme=scheme)
    page.click("head-gallery summary")
    assert not axe_violations(page)


def test_a_sheet_is_laid_out_anew_when_its_width_changes(open_gallery):
    page = open_gallery()
    before = page.evaluate("document.querySelector('head-gallery').sheet.cell")
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_timeout(300)
    after = page.evaluate("document.querySelector('head-gallery').sheet.cell")
    assert after < before
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(("scheme", "forced"), [
    ("light", False), ("dark", False), ("light", True)])
def test_the_sheet_has_the_ramp_s_colours_and_the_hatch_s_even_in_forced_colours(
        open_gallery, scheme, forced):
    ramp, hatch = {"light": (LIGHT, HATCH_COLOURS[0]),
                   "dark": (DARK, HATCH_COLOURS[1])}[scheme]
    page = open_gallery(scheme=scheme, forced_colors=forced)
    found = set(page.evaluate(COLOURS))
    assert found <= {*ramp, hatch}
    assert {ramp[0], ramp[16], hatch} <= found
