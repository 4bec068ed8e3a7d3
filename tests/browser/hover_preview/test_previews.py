"""What a link leads to is shown beside it: by keyboard and pointer, not by touch."""

import pytest

from tests.browser.harness import wait_until
from tests.browser.hover_preview.pages import (
    description,
    focus,
    link_to,
    point_at,
    shown,
)

REFERENCE = "[1] A. Author (2020). The Paper."
CAPTION = "Figure 1. What the figure shows. More of it."
BOX = "document.querySelector('hover-preview')"
OPEN, CLOSED = f"{BOX}.checkVisibility()", f"!{BOX}.checkVisibility()"
USABLE = ":is([id]:not(figcaption), [tabindex], a, button, input, scroll-box)"
PASSED_MS = 600     # longer than a preview waits to open or to close
TOUCH = """(link) => link.dispatchEvent(new PointerEvent("pointerover", {
  bubbles: true, pointerType: "touch" }))"""


def test_the_keyboard_opens_a_preview_and_escape_closes_it(preview_reader):
    page = preview_reader()
    assert page.locator("script[src*=previews]").count() == 0
    link = link_to(page, "ref-1")
    focus(page, link)
    assert shown(page) == REFERENCE == description(page, link).strip()
    page.keyboard.press("Escape")
    assert shown(page) == "" and description(page, link) is None
    assert link.evaluate("(link) => link === document.activeElement")
    note = link_to(page, "fn:n")
    focus(page, note)
    assert shown(page) == "The note itself."
    page.evaluate("document.activeElement.blur()")
    wait_until(page, CLOSED)
    assert description(page, note) is None


def test_each_kind_of_target_is_copied_without_what_can_be_used(preview_reader):
    page = preview_reader()
    for name, words, described in (
            ("drawn", f"head weight one 0.5 {CAPTION}", CAPTION),
            ("code", "x = 1 Listing 1. What the listing does.",
             "Listing 1. What the listing does."),
            ("eq", None, None)):
        link = link_to(page, name)
        focus(page, link)
        assert words is None or shown(page) == words
        assert description(page, link) == described
        assert page.locator(f"hover-preview {USABLE}").count() == 0
    assert page.locator("hover-preview math mfrac").is_visible()
    link_to(page, "below").focus()      # a heading: nothing to show
    wait_until(page, CLOSED)


def test_the_pointer_opens_one_that_it_can_enter(preview_reader):
    page = preview_reader()
    point_at(page, link_to(page, "ref-1"))
    wait_until(page, OPEN)
    assert shown(page) == REFERENCE
    left, top = page.evaluate(f"(({{left, top}}) => [left + 20, top + 20])"
                              f"({BOX}.getBoundingClientRect())")
    page.mouse.move(left, top, steps=4)
    page.wait_for_timeout(PASSED_MS)
    assert shown(page) == REFERENCE
    page.mouse.move(5, 700)
    wait_until(page, CLOSED)
    point_at(page, link_to(page, "ref-1"))
    wait_until(page, OPEN)
    page.keyboard.press("Escape")
    page.wait_for_timeout(PASSED_MS)
    assert shown(page) == ""            # and stays away while the pointer stays


def test_touch_and_what_is_on_the_screen_open_none(preview_reader):
    page = preview_reader()
    focus(page, link_to(page, "ref-1"))     # so that the script is there
    page.keyboard.press("Escape")
    link_to(page, "fn:n").evaluate(TOUCH)
    page.wait_for_timeout(PASSED_MS)
    assert shown(page) == ""
    page.set_viewport_size({"width": 1280, "height": 9000})
    link_to(page, "fn:n").focus()
    page.wait_for_timeout(PASSED_MS)
    assert shown(page) == ""


def test_a_preview_stays_in_a_narrow_window_beside_its_link(preview_reader):
    page = preview_reader(width=390, height=500)
    link = link_to(page, "code")
    for block in ("start", "end"):
        link.evaluate("(link, block) => link.scrollIntoView({block})", block)
        focus(page, link)
        box = page.locator("hover-preview").bounding_box()
        at = link.bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
        assert box["y"] >= 0 and box["y"] + box["height"] <= 500
        assert (box["y"] >= at["y"] + at["height"]      # below it
                or box["y"] + box["height"] <= at["y"])
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.keyboard.press("Escape")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_an_open_preview(
        preview_reader, scheme, axe_violations):
    page = preview_reader(scheme=scheme)
    focus(page, link_to(page, "drawn"))
    assert axe_violations(page) == []
    assert shown(page)


@pytest.mark.parametrize("browser_name", ["chromium"])      # print: see the harness
def test_no_preview_prints(preview_reader):
    page = preview_reader()
    focus(page, link_to(page, "ref-1"))
    page.emulate_media(media="print")
    assert shown(page) == ""
