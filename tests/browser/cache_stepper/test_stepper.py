"""Calls over one cache: what the page computes is what Python computes."""

import re

import pytest

from sitegen.costs import cache_bytes, multiply_adds
from tests.browser.attention_heatmap.pages import address, press, tell
from tests.browser.cache_stepper.pages import (
    HEAD,
    LAYER,
    RECORDED,
    costs,
    drag,
    python_weights,
    sentence,
    shown,
    sizes,
    stepper_site,
    weights,
)
from tests.browser.dependency_triangle.pages import PAGE, TOKENS, spoil_recording
from tests.sitegen.test_costs import MODELS

ONES = [1] * len(TOKENS)


def check_shown(page, cut, number, layer=LAYER, head=HEAD):
    """Assert that a call's numbers are those of Python."""
    stored, end = sum(cut[:number]), sum(cut[:number + 1])
    assert (sizes(page), shown(page)) == (cut, number)
    assert weights(page, "cached") == python_weights(stored, end, layer, head)
    assert weights(page, "whole") == python_weights(0, end, layer, head)
    framed = page.locator("#stepper [data-panel=whole] .new tr").count()
    assert framed == end - stored
    difference = re.search(r"largest number: (\S+?)\.", sentence(page))[1]
    assert float(difference.replace("−", "-")) < 1e-12


def expected_costs(cut):
    """Return the numbers of each call's row."""
    rows, totals, end = [], [0, 0], 0
    for new in cut:
        adds = multiply_adds(MODELS["demo"], new, end)
        end += new
        full = multiply_adds(MODELS["demo"], end, 0)
        totals = [totals[0] + adds, totals[1] + full]
        rows.append([adds, totals[0], full, totals[1],
                     cache_bytes(MODELS["demo"], end, 8)])
    return rows


def choose_cut(page, cut):
    """Choose one of the cuts that have a name."""
    preset = "-".join(map(str, cut))
    page.check(f"#stepper .pick-cut [value='{preset}']", force=True)


def tab_to(page, selector):
    """Press Tab until an element has the focus."""
    for _ in range(30):
        press(page, "Tab")
        if page.evaluate("(it) => document.activeElement.matches(it)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def test_every_call_of_any_cut_is_what_python_computes(stepper_reader):
    page = stepper_reader()
    check_shown(page, RECORDED, 2)
    assert page.is_hidden("#stepper [data-when=miscounted]")
    choose_cut(page, ONES)
    check_shown(page, ONES, 7)      # the one that takes the same last position
    assert costs(page) == expected_costs(ONES)
    for _ in range(4):
        page.click("#stepper [data-move='1']")
    assert page.is_disabled("#stepper [data-move='1']")
    check_shown(page, ONES, 11)
    assert "It says “river” next, with probability 1.00." in sentence(page)
    page.click("#stepper .timeline tbody tr:nth-child(1) .later >> nth=3")
    check_shown(page, ONES, 0)
    assert "as many as without a cache" in sentence(page)
    choose_cut(page, [12])
    check_shown(page, [12], 0)
    assert costs(page) == expected_costs([12])


def test_a_border_is_moved_and_calls_are_stepped_with_the_keyboard_alone(
        stepper_reader):
    page = stepper_reader()
    page.focus("#stepper .pick-cut input:checked")
    tab_to(page, "[data-border='4']")
    press(page, "ArrowRight")
    check_shown(page, [5, 2, 1, 1, 1, 1, 1], 0)
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    assert sizes(page) == [6, 1, 1, 1, 1, 1, 1]         # it stops at the next border
    press(page, "Delete")
    check_shown(page, [7, 1, 1, 1, 1, 1], 0)
    press(page, "Enter", "ArrowLeft")
    tab_to(page, "[data-border='8']")
    press(page, "Space")
    assert sizes(page) == [5, 2, 2, 1, 1, 1]
    tab_to(page, "#stepper .timeline input")
    press(page, "ArrowUp", "ArrowUp", "ArrowDown", "ArrowDown")
    check_shown(page, [5, 2, 2, 1, 1, 1], 2)
    assert "before a call has made them known" in sentence(page)
    assert page.text_content("#stepper .announcement") == sentence(page)
    tab_to(page, "[data-move='1']")
    press(page, "Enter")
    assert shown(page) == 3
    assert address(page) == {"chunks": "5-2-2-1-1-1", "call": "3"}
    again = stepper_reader("#~chunks=5-2-2-1-1-1&call=3")
    check_shown(again, [5, 2, 2, 1, 1, 1], 3)


def test_borders_are_dragged_and_stop_at_each_other(stepper_reader):
    page = stepper_reader()
    drag(page, 4, 2)
    check_shown(page, [2, 5, 1, 1, 1, 1, 1], 0)
    drag(page, 2, 11)
    assert sizes(page) == [6, 1, 1, 1, 1, 1, 1]
    press(page, "ArrowLeft")
    assert sizes(page) == [5, 2, 1, 1, 1, 1, 1]
    page.click("#stepper [data-border='5']")
    assert sizes(page) == [7, 1, 1, 1, 1, 1]
    page.click("#stepper [data-border='4']")
    assert sizes(page) == RECORDED
    assert page.is_checked("#stepper .pick-cut [value='4-3-1-1-1-1-1']")
    assert address(page) == {"call": "0"}


def test_the_address_opens_the_same_calls_and_ignores_what_cannot_be(stepper_reader):
    page = stepper_reader("#~chunks=3-9&call=1&layer=0&head=3")
    check_shown(page, [3, 9], 1, 0, 3)
    for wrong in ("chunks=3-8", "chunks=12-0", "call=2", "call=-1", "layer=2",
                  "head=4", "chunks=twelve"):
        page.evaluate("(hash) => { location.hash = hash; }", f"#~{wrong}")
        page.wait_for_timeout(20)       # hashchange comes after
        check_shown(page, [3, 9], 1, 0, 3)


def test_the_figure_follows_and_leads_the_page_s_selection(stepper_reader):
    page = stepper_reader()
    tell(page, trace="generation", layer=0, head=1)
    check_shown(page, RECORDED, 2, 0, 1)
    tell(page, trace="another", layer=1, head=0)
    page.evaluate("""() => document.addEventListener("selection-change",
      ({ detail }) => { window.told = [detail.layer, detail.head]; })""")
    page.check("#stepper .pick-head [value='3']", force=True)
    assert page.evaluate("told") == [0, 3]
    check_shown(page, RECORDED, 2, 0, 3)
    assert address(page) == {"layer": "0", "head": "3"}


def test_counts_that_disagree_are_said(reader_of, stepper_built):
    page = reader_of(stepper_built).blank_page()
    page.add_init_script("""addEventListener("DOMContentLoaded", () => {
      const { dataset } = document.querySelector("cache-stepper");
      dataset.counted = dataset.counted.replace("26624", "26625"); })""")
    page.goto((stepper_built / PAGE).as_uri())
    page.wait_for_selector("#stepper [data-ready]")
    words = page.inner_text("#stepper [data-when=miscounted]")
    assert "the build counted 104448,79488,26625," in words
    assert "the formulas give 104448,79488,26624," in words
    assert page.is_hidden("#stepper [data-when=disagrees]")


@pytest.mark.parametrize("browser_name", ["chromium"])
def test_a_recording_that_is_not_recomputed_leaves_the_figure_still(
        reader_of, tmp_path):
    page = reader_of(stepper_site(tmp_path, spoil_recording)).open(PAGE)
    page.wait_for_selector("#stepper [data-when=disagrees]", state="visible")
    assert page.locator("#stepper .controls:visible, #stepper button:visible").count() \
        == 0
    assert sizes(page) == RECORDED


def test_without_scripts_the_table_has_every_number(stepper_reader):
    page = stepper_reader(scripts=False, width=390)
    assert costs(page) == expected_costs(RECORDED)
    check_shown(page, RECORDED, 2)
    assert page.locator("#stepper :is(button, input):visible").count() == 0


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
        stepper_reader, axe_violations, scheme, width):
    page = stepper_reader("#~chunks=3-4-5&call=1", scheme=scheme, width=width)
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate("""() => [...document.querySelectorAll(
      "#stepper :is(button, label)")].map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width < 24 || height < 24).length""")
    assert small == 0
