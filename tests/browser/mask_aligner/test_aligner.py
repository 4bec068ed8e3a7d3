"""A chunk's masks: what the page computes is what Python computes."""

import pytest

from sitegen.directives.mask_aligner import MASKS
from tests.browser.attention_heatmap.pages import address, press, tell
from tests.browser.dependency_triangle.pages import (
    PAGE,
    generation_site,
    spoil_recording,
)
from tests.browser.mask_aligner.pages import (
    TEXT,
    chunk,
    drag,
    expected_table,
    go_to,
    sentence,
    shown,
    table,
)

CHUNKS = [(0, 12), (0, 1), (11, 1), (4, 3)]


def test_every_mask_gives_the_numbers_of_the_python(aligner_reader):
    page = aligner_reader()
    for place, (stored, new) in enumerate(CHUNKS):
        for mask in MASKS:
            state = {"layer": place % 2, "head": 3 - place, "stored": stored,
                     "new": new, "mask": mask}
            go_to(page, **state)
            assert shown(page) == mask
            assert table(page) == expected_table(state), state
    assert expected_table({**state, "mask": "late"}) != table(page)


def test_a_mask_says_by_what_one_knows_it(aligner_reader):
    page = aligner_reader()
    assert "One call over all 12 tokens gives the same weights" in sentence(page)
    difference = page.text_content("#aligner [data-mask=right] [data-part=difference]")
    assert float(difference.replace("−", "-")) < 1e-12
    told = {
        ("left", 5, 3): "its own among them: 5. They hold 2.86 of the 3",
        ("left", 0, 3): "Nothing is stored, so both alignments are one",
        ("late", 5, 3): "At 5–6 a later token is read, with 0.40 of the 3",
        ("late", 5, 1): "One new token has no later key, so this is the right mask",
        ("early", 5, 3): "No new token sees its own key; that hides 2.64 of the 3",
        ("early", 0, 2): "At 0 there is nothing to look at: softmax over nothing is",
    }
    for (mask, stored, new), words in told.items():
        go_to(page, mask=mask, stored=stored, new=new)
        assert words in sentence(page)
        sums = "row sums do not notice" in sentence(page)
        assert sums == ((mask, new) in (("left", 3), ("late", 3), ("early", 3))
                        and stored > 0)


def test_borders_are_dragged_and_stop_at_each_other(aligner_reader):
    page = aligner_reader()
    drag(page, "begin", 2)
    assert chunk(page) == (2, 6)
    drag(page, "end", 11)
    assert chunk(page) == (2, 9)
    drag(page, "begin", 12)
    assert chunk(page) == (10, 1)
    assert len(table(page)) == 1
    assert address(page) == {"stored": "10", "new": "1"}


def test_a_chunk_and_a_mask_are_chosen_with_the_keyboard_alone(aligner_reader):
    page = aligner_reader()
    page.focus("#aligner .pick-layer input:checked")
    press(page, "Tab", "Tab", "ArrowLeft", "ArrowLeft")
    assert chunk(page) == (3, 5)
    press(page, "Tab", "ArrowRight", "Home")
    assert chunk(page) == (3, 1)
    press(page, "Tab", "ArrowUp", "Tab", "ArrowUp", "ArrowUp")
    assert chunk(page) == (4, 3)
    press(page, "Tab", "ArrowRight", "ArrowRight")
    assert shown(page) == "late"
    assert page.text_content("#aligner .announcement") == sentence(page)
    assert address(page) == {"stored": "4", "mask": "late"}
    press(page, "Shift+Tab", "Control+a", "4", "0", "Tab")
    assert chunk(page) == (4, 8)


def test_the_figure_follows_and_leads_the_page_s_selection(aligner_reader):
    page = aligner_reader()
    assert page.is_hidden("#aligner [data-when=above]")
    tell(page, trace="generation", layer=1, head=2)
    state = {"layer": 1, "head": 2, "stored": 5, "new": 3, "mask": "right"}
    assert table(page) == expected_table(state)
    assert page.is_visible("#aligner [data-when=above]")
    tell(page, trace="another", layer=0, head=0)
    assert page.is_checked("#aligner .pick-head [value='2']")
    page.evaluate("""() => document.addEventListener("selection-change",
      ({ detail }) => { window.told = [detail.layer, detail.head]; })""")
    page.check("#aligner .pick-head [value='3']", force=True)
    assert page.evaluate("told") == [1, 3]
    assert address(page) == {"layer": "1", "head": "3"}


def test_the_address_opens_the_same_chunk_and_ignores_what_cannot_be(aligner_reader):
    page = aligner_reader("#~stored=2&new=4&mask=left&head=1")
    assert (chunk(page), shown(page)) == ((2, 4), "left")
    assert page.is_checked("#aligner .pick-head [value='1']")
    before = table(page)
    for wrong in ({"stored": 11, "new": 4}, {"new": 0}, {"mask": "diagonal"},
                  {"layer": 2}, {"head": "-1"}):
        go_to(page, **wrong)
        assert (table(page), shown(page)) == (before, "left"), wrong


def test_without_scripts_all_four_masks_are_shown(aligner_reader):
    page = aligner_reader(scripts=False, width=390)
    for mask in MASKS:
        assert page.is_visible(f"#aligner [data-mask={mask}] table")
    assert "5e−7, the recording’s rounding" in page.inner_text("#aligner")
    for selector in (".controls >> nth=0", ".chunk", ".pick-mask"):
        assert page.is_hidden(f"#aligner {selector}")


@pytest.mark.parametrize("browser_name", ["chromium"])
def test_a_recording_that_is_not_recomputed_is_shown_as_it_is(reader_of, tmp_path):
    page = reader_of(generation_site(tmp_path, TEXT, spoil_recording)).open(PAGE)
    page.wait_for_selector("#aligner [data-when=disagrees]", state="visible")
    page.wait_for_selector("#aligner [data-ready]")
    assert "5e−7, the recording’s rounding." in sentence(page)


@pytest.mark.parametrize("scheme, width", [("light", 390), ("dark", 1280)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
        aligner_reader, axe_violations, scheme, width):
    page = aligner_reader("#~mask=early&stored=0&new=9", scheme=scheme, width=width)
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
