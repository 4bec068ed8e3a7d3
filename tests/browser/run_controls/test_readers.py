"""Any reader: keyboard only, without scripts, on a phone, with a screen reader."""

import pytest

from tests.browser.attention_heatmap.pages import address, next_frame, press, said
from tests.browser.attention_heatmap.test_readers import SIDEWAYS
from tests.browser.run_controls.pages import choose_token


def test_without_scripts_the_recorded_tokens_stand_there(run_reader):
    page = run_reader(scripts=False)
    assert said(page, "#run .recorded") == (
        "Recorded are 6 tokens, “the river meets the quiet sea”, with random weights. "
        "To run the model on other tokens the page needs its scripts.")
    assert page.is_hidden("#run .controls")


def test_tokens_are_chosen_with_the_keyboard_alone(run_reader):
    page = run_reader()
    page.focus("#run li:nth-child(2) select")
    press(page, "ArrowDown")
    assert address(page) == {"tokens": "1-3-3-1-4-5"}
    page.focus("#run [data-do=remove]")
    press(page, *["Enter"] * 5)
    assert address(page) == {"tokens": "1"}
    assert page.evaluate("document.activeElement.localName") == "select"


def test_a_choice_is_announced_in_one_sentence_and_a_link_s_is_not(run_reader):
    page = run_reader()
    assert page.inner_text("#run .announcement") == ""
    choose_token(page, 0, 6)
    spoken = page.text_content("#run .announcement")
    assert spoken.startswith("The figures show a run of your own: tokens of your own, "
                             "random weights. Most likely after")
    assert address(page) == {"tokens": "6-2-3-1-4-5"}
    page.evaluate("location.hash = '#~tokens=3-4'")
    page.wait_for_selector("#run li:nth-child(2):last-child")
    assert page.text_content("#run .announcement") == spoken


def test_a_link_to_a_state_keeps_what_it_does_not_name(run_reader):
    page = run_reader()
    choose_token(page, 0, 6)
    page.click("text=the query at position 4")
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 4, ")
    assert page.evaluate("location.hash") == "#~tokens=6-2-3-1-4-5&query=4"
    assert page.text_content("#first tbody tr:first-child th bdi") == "and"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
        run_reader, axe_violations, scheme, width):
    page = run_reader("#~tokens=1-2-3-4-5-6-7-8-1-2-3&weights=twin", scheme=scheme,
                      width=width)
    page.wait_for_selector("#first .run-line:has-text('trained')")
    next_frame(page)
    assert axe_violations(page) == []
    assert page.evaluate(SIDEWAYS) == 0
