"""Every figure of a trace shows the run that the reader chose, as the Python has it."""

import pytest

from sitegen.notation import fixed
from tests.browser.attention_heatmap.pages import (
    ADDRESS_WAIT_MS,
    address,
    choose,
    next_frame,
    said,
    table,
)
from tests.browser.run_controls.pages import (
    LONGEST,
    SPOILED_BY,
    TOKENS,
    choose_token,
    computed,
)


def expected_table(tokens, layer=0, head=0, trained=False):
    """Return the cells and sums that the heatmap's table must show."""
    weights = computed(tuple(tokens), trained)[f"layers.{layer}.weights"][0, head]
    return [[fixed(weight, 2) if key <= query else "masked"
             for key, weight in enumerate(row)] + [fixed(row.sum(), 2)]
            for query, row in enumerate(weights)]


def test_the_page_recomputes_the_recording_before_anything_else(run_reader):
    page = run_reader()
    note = said(page, "#run .note")
    assert "recomputed all 9,344 numbers" in note
    assert float(note.rpartition(" ")[2].rstrip(".")) <= 0.5e-6
    assert said(page, "#run .shown").startswith("The recording is shown.")
    assert page.is_disabled("#run [data-do=reset]")


def test_the_figures_show_what_the_python_computes_for_other_tokens(run_reader):
    page = run_reader()
    choose_token(page, 1, 9)
    next_frame(page)
    tokens = [1, 9, 3, 1, 4, 5]
    assert table(page) == expected_table(tokens)
    assert table(page, "#second [data-panel=partner]") == expected_table(tokens, head=1)
    assert said(page, "#first thead th:nth-child(3)") == "1 to"
    choose(page, "layer", 1)
    assert table(page) == expected_table(tokens, layer=1)
    assert said(page, "#first .run-line").startswith("Now shown: tokens of your own, ")


def test_a_figure_of_its_own_keeps_the_recording(run_reader):
    page = run_reader()
    before = table(page, "#own [data-panel=head]")
    choose_token(page, 0, 20)
    next_frame(page)
    assert table(page, "#own [data-panel=head]") == before == expected_table(TOKENS)
    assert page.locator("#own .run-line").count() == 0
    assert page.is_visible("#own .origin")


@pytest.mark.parametrize("presses, tokens", [
    (["add"], [*TOKENS, 0]),
    (["remove", "remove"], TOKENS[:4]),
    (["repeat"], TOKENS * 2),
    (["remove"] * 5, TOKENS[:1]),
])
def test_the_table_is_as_large_as_the_sequence(run_reader, presses, tokens):
    page = run_reader()
    for name in presses:
        page.click(f"#run [data-do={name}]")
    next_frame(page)
    assert table(page) == expected_table(tokens)
    assert page.locator("#second [data-panel=difference] tbody tr").count() == len(
        tokens)
    assert page.locator("#run .tokens li").count() == len(tokens)


def test_a_sequence_has_1_to_32_tokens(run_reader):
    page = run_reader("#~tokens=" + "-".join(map(str, range(LONGEST))))
    next_frame(page)
    assert table(page) == expected_table(range(LONGEST))
    assert page.is_disabled("#run [data-do=add]")
    assert page.is_disabled("#run [data-do=repeat]")
    page.evaluate("location.hash = '#~tokens=7'")
    page.wait_for_selector("#run li:only-child")
    next_frame(page)
    assert table(page) == [["1.00", "1.00"]]
    assert page.is_disabled("#run [data-do=remove]")


def test_what_is_chosen_in_a_figure_stays_where_it_still_exists(run_reader):
    page = run_reader()
    choose(page, "head", 3)
    page.click("#first [data-panel=head] tbody tr:nth-child(6) td:nth-child(5)")
    choose_token(page, 0, 8)
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 5, 3")
    assert table(page) == expected_table([8, *TOKENS[1:]], head=3)
    page.click("#run [data-do=remove]")
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 4, 3")


def test_the_address_opens_the_same_run_in_a_new_window_and_reset_clears_it(run_reader):
    page = run_reader("#~step=scores")
    choose_token(page, 2, 11)
    page.click("#run [data-do=add]")
    assert address(page) == {"step": "scores", "tokens": "1-2-11-1-4-5-0"}
    other = run_reader("#" + page.evaluate("location.hash")[1:])
    next_frame(other)
    assert table(other) == table(page)
    assert said(other, "#run .shown") == said(page, "#run .shown")
    page.click("#run [data-do=reset]")
    assert address(page) == {"step": "scores"}
    assert table(page) == expected_table(TOKENS)
    assert page.is_hidden("#first .run-line")


def test_figures_follow_an_address_far_from_the_controls(run_reader):
    page = run_reader(site="far")
    next_frame(page)
    assert page.locator("script[src$='model.js']").count() == 0
    page.evaluate("location.hash = '#~tokens=9-8-7'")
    page.wait_for_selector("#first .run-line:visible")
    next_frame(page)
    assert table(page) == expected_table([9, 8, 7])
    other = run_reader("#~weights=twin", site="far")
    other.wait_for_selector("#first .run-line:has-text('trained weights')")
    next_frame(other)
    assert table(other) == expected_table(TOKENS, trained=True)


def test_a_link_to_a_place_of_the_page_leaves_the_run(run_reader):
    page = run_reader()
    choose_token(page, 1, 9)
    page.evaluate("location.hash = '#second'")
    page.wait_for_timeout(ADDRESS_WAIT_MS)
    assert table(page) == expected_table([1, 9, 3, 1, 4, 5])
    choose_token(page, 2, 9)
    assert address(page) == {"tokens": "1-9-9-1-4-5"}


def test_a_link_to_a_run_leads_there_each_time(run_reader):
    page = run_reader("#~tokens=3-4")
    for _ in range(2):
        choose_token(page, 0, 8)
        assert address(page) == {"tokens": "8-4"}
        page.evaluate("location.hash = '#~tokens=3-4'")
        page.wait_for_selector("#first tbody tr:first-child th:has-text('meets')")


def test_what_the_address_does_not_say_yet_is_not_undone(run_reader):
    page = run_reader("#~query=2&key=0")
    page.click("#first [data-panel=head] tbody tr:nth-child(6) td:nth-child(5)")
    choose_token(page, 0, 8)    # before the reader has come to rest
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 5, 3")


@pytest.mark.parametrize("fragment", [
    "#~tokens=x", "#~tokens=99-100", "#~tokens=", "#~weights=other", "#~change=no-such",
    "#~weights=twin-", "#~at=3&to=4"])
def test_an_address_without_sense_shows_the_recording(run_reader, fragment):
    page = run_reader(fragment)
    next_frame(page)
    assert said(page, "#run .shown").startswith("The recording is shown.")
    assert table(page) == expected_table(TOKENS)


def test_trained_weights_are_the_twin_s_and_the_figure_says_so(run_reader):
    page = run_reader()
    page.click("#run [data-do=repeat]")
    page.click("#run .pick-weights label:last-child")
    page.wait_for_selector("#first .run-line:has-text('trained weights')")
    next_frame(page)
    assert table(page) == expected_table(TOKENS * 2, trained=True)
    assert page.is_hidden("#first .origin")
    assert "random" not in said(page, "#first")
    assert address(page)["weights"] == "twin"
    page.click("#run .pick-weights label:first-child")
    page.wait_for_selector("#first .run-line:has-text('random weights')")
    next_frame(page)
    assert table(page) == expected_table(TOKENS * 2)


def test_the_likeliest_next_token_is_the_python_s(run_reader):
    page = run_reader()
    choose_token(page, 5, 30)
    probabilities = computed((*TOKENS[:5], 30))["next_token_probs"][0]
    words = page.evaluate(
        "JSON.parse(document.getElementById('trace-demo').textContent).vocabulary")
    likeliest = int(probabilities.argmax())
    assert said(page, "#run .next") == (
        f"Most likely after “waits”: “{words[likeliest]}”, "
        f"{fixed(probabilities[likeliest], 3)}.")


def test_copied_numbers_say_that_they_are_no_recording(run_reader):
    page = run_reader()
    page.evaluate("""() => {
      Object.defineProperty(navigator, "clipboard", { configurable: true,
        value: { writeText: async (text) => {
          document.documentElement.dataset.copied = text; } } }); }""")
    choose_token(page, 1, 9)
    next_frame(page)
    page.click("#first [data-copy=row]")
    page.wait_for_selector("html[data-copied]", state="attached")
    assert page.get_attribute("html", "data-copied").startswith(
        "# demo, tokens of your own, random weights: layers.0.weights[0, 0, 2]")


def test_a_recording_that_is_not_recomputed_is_kept(run_reader):
    page = run_reader("#~tokens=7-8", site="spoiled")
    page.wait_for_selector("#run .trouble:visible")
    trouble = said(page, "#run .trouble[data-when=disagrees]")
    assert trouble.endswith("So the page keeps to the recording.")
    difference = float(trouble.partition("differs by ")[2].partition(",")[0])
    assert abs(difference - SPOILED_BY) <= 0.55e-6      # rounding, of both
    assert page.is_hidden("#run .controls")
    assert len(table(page)) == len(TOKENS)
    assert page.is_hidden("#first .run-line")
