"""Figures of one trace are one selection, which the address keeps."""

import pytest

from tests.browser.attention_heatmap.pages import (
    address,
    choose,
    next_frame,
    said,
    tell,
)
from tests.browser.harness import wait_until


def test_figures_of_one_trace_follow_one_selection_but_one_that_asked_not_to(
        heatmap_reader):
    page = heatmap_reader()
    before = said(page, "#own .chosen-cell")
    choose(page, "head", 2)
    page.click("#first [data-panel=head] tbody tr:nth-child(5) td:nth-child(3)")
    next_frame(page)
    assert said(page, "#second .chosen-cell").startswith("Cell 4, 1")
    assert "head 2" in page.text_content("#second caption")
    assert page.is_checked("#second .pick-head input[value='2']")
    assert said(page, "#own .chosen-cell") == before
    choose(page, "head", 3, "#own")
    assert "head 2" in page.text_content("#first caption")


def test_another_trace_s_selection_and_nonsense_are_left_alone(heatmap_reader):
    page = heatmap_reader()
    tell(page, trace="other", head=3)
    tell(page, trace="demo", head=99, layer=-1)
    next_frame(page)
    assert "layer 0, head 0" in page.text_content("#first caption")
    tell(page, trace="demo", head=3)
    next_frame(page)
    assert "layer 0, head 3" in page.text_content("#first caption")


def test_the_address_says_what_is_shown_and_shows_what_it_says(heatmap_reader):
    page = heatmap_reader("#~layer=1&head=2&query=3&key=1&step=scores")
    next_frame(page)
    assert "layer 1, head 2" in page.text_content("#first caption")
    assert said(page, "#first .chosen-cell").startswith("Cell 3, 1")
    page.check("#first [data-control=compare]")
    assert address(page) == {"layer": "1", "head": "2", "query": "3", "key": "1",
                             "step": "scores", "compare": "1"}
    choose(page, "head", 0)
    page.uncheck("#first [data-control=compare]")
    assert address(page) == {"layer": "1", "head": "0", "query": "3", "key": "1",
                             "step": "scores"}


def test_a_link_to_a_state_changes_the_figures_without_a_reload(heatmap_reader):
    page = heatmap_reader()
    page.evaluate("location.hash = '#~head=1&query=4&key=2&compare=1'")
    wait_until(
        page, "document.querySelector('#first caption').textContent.includes('head 1')")
    assert said(page, "#first .chosen-cell").startswith("Cell 4, 2")
    assert page.is_visible("#first [data-panel=difference]")


def test_a_figure_without_a_comparison_ignores_one_in_the_address(heatmap_reader):
    page = heatmap_reader("#~head=1&compare=1")
    next_frame(page)
    assert "head 1" in page.text_content("#single caption")
    assert page.locator("#single attention-heatmap[data-compare]").count() == 0
    assert page.locator("#single .panel").count() == 1


@pytest.mark.parametrize("fragment", [
    "#~layer=9&head=-1&query=x&key=6", "#~", "#two", "#~head", "#~=&&&", "#~head=%FF"])
def test_an_address_without_sense_leaves_the_figure(heatmap_reader, fragment):
    page = heatmap_reader(fragment)
    next_frame(page)
    assert "layer 0, head 0" in page.text_content("#first caption")
