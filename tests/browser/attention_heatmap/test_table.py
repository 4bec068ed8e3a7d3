"""A matrix up to 32 × 32 is a table, used by mouse, touch or keyboard."""

from sitegen.notation import fixed, signed
from sitegen.traces import read_array
from tests.browser.attention_heatmap.pages import (
    choose,
    focused,
    next_frame,
    press,
    said,
    table,
)


def test_a_head_s_numbers_are_the_trace_s(heatmap_reader, weights):
    page = heatmap_reader()
    choose(page, "layer", 1)
    choose(page, "head", 3)
    matrix = weights(layer=1)[3]
    assert table(page) == [
        [fixed(w, 2) if key <= query else "masked" for key, w in enumerate(row)]
        + ["1.00"] for query, row in enumerate(matrix)]
    assert "layer 1, head 3" in page.text_content("#first caption")


def test_the_script_draws_what_the_page_came_with(heatmap_reader):
    drawn = "#first [data-panel=head] tbody"
    without = heatmap_reader(scripts=False).inner_text(drawn)
    page = heatmap_reader()
    choose(page, "head", 1)
    choose(page, "head", 0)
    assert page.inner_text(drawn) == without


def test_the_table_is_changed_and_not_rebuilt(heatmap_reader):
    page = heatmap_reader()
    page.evaluate("document.querySelector('#first td').mine = true")
    choose(page, "head", 2)
    choose(page, "layer", 1)
    assert page.evaluate("document.querySelector('#first td').mine") is True


def test_arrows_home_and_end_move_focus_and_followed_row(heatmap_reader, weights):
    page = heatmap_reader()
    page.focus("#first [data-panel=head] td[tabindex='0']")
    press(page, "Home")
    assert focused(page) == [2, 0]
    press(page, "ArrowDown", "ArrowRight")
    assert focused(page) == [3, 1]
    row = weights()[0, 3]
    terms = " + ".join(fixed(w, 3) for w in row[:4])
    assert f"Row 3 {terms} = 1.000" in said(page, "#first .followed-row")
    assert f"takes {fixed(row[1], 6)} from “river”" in said(page, "#first .chosen-cell")
    press(page, "End")
    assert focused(page) == [3, 5]
    press(page, "Control+Home")
    assert focused(page) == [0, 0]
    press(page, "Control+End")
    assert focused(page) == [5, 5]


def test_a_table_is_one_stop_of_the_tab_key(heatmap_reader):
    page = heatmap_reader()
    stops = page.locator("#first [data-panel=head] td[tabindex='0']")
    assert stops.count() == 1
    page.focus("#first [data-panel=head] td[tabindex='0']")
    press(page, "ArrowUp", "Tab")
    assert focused(page) is None
    assert stops.count() == 1


def test_radio_buttons_obey_the_arrow_keys(heatmap_reader):
    page = heatmap_reader()
    page.focus("#first .pick-head input:checked")
    press(page, "ArrowRight")
    assert "head 1" in page.text_content("#first caption")
    assert "Layer 0, head 1, Row 2" in page.text_content("#first .announcement")


def test_a_click_chooses_a_cell_and_a_row_s_name_the_row(heatmap_reader):
    page = heatmap_reader()
    page.click("#first [data-panel=head] tbody tr:nth-child(5) td:nth-child(2)")
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 4, 0")
    page.click("#first [data-panel=head] tbody tr:nth-child(6) th")
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 5, 0")
    assert page.locator("#first [data-panel=head] tr.followed").count() == 1


def test_a_forbidden_cell_says_which_score_the_mask_replaced(heatmap_reader, traces):
    page = heatmap_reader()
    page.click("#first [data-panel=head] tbody tr:nth-child(2) td:nth-child(6)")
    next_frame(page)
    score = read_array(traces[6]["tensors"]["layers.0.scores"])[0, 0, 1, 4]
    text = said(page, "#first .chosen-cell")
    assert "“river” may not read “quiet”: its weight is 0.000000." in text
    assert f"The mask replaces the score {fixed(score, 6)} by −∞." in text


def test_comparison_shows_the_other_head_and_the_difference(heatmap_reader, weights):
    page = heatmap_reader()
    assert page.is_hidden("#first [data-panel=difference]")
    page.check("#first [data-control=compare]")
    next_frame(page)
    matrices = weights()
    shown = table(page, "#first [data-panel=difference]")
    for query in range(6):
        for key in range(query + 1):
            difference = matrices[0, query, key] - matrices[1, query, key]
            assert shown[query][key] == signed(difference, 2)
    page.uncheck("#first [data-control=compare]")
    next_frame(page)
    assert page.is_hidden("#first [data-panel=partner]")


def test_the_focused_cell_has_the_double_ring_and_the_chosen_one_its_frame(
        heatmap_reader):
    page = heatmap_reader()
    chosen = "#first [data-panel=head] td.chosen"
    outline = f"getComputedStyle(document.querySelector('{chosen}')).outlineColor"
    assert page.evaluate(outline) == "rgb(179, 72, 11)"
    page.focus("#first .pick-head input:checked")
    page.focus(chosen)
    press(page, "ArrowLeft")
    assert page.evaluate(outline) == "rgb(0, 0, 0)"
