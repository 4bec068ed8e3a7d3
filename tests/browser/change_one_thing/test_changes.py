"""One change: what moved, and what holds; how far is tested with the model."""

import json

import pytest

from tests.browser.attention_heatmap.pages import address, next_frame, said, table
from tests.browser.change_one_thing.pages import moved, pick, result
from tests.browser.run_controls.pages import ROOT

CHANGES = json.loads((ROOT / "content/changes.json").read_text("utf-8"))
FIRST_MOVED = {
    "another-wq": "layers.0.q_flat", "another-wk": "layers.0.k_flat",
    "another-wv": "layers.0.v_flat", "token-q": "layers.0.q", "token-k": "layers.0.k",
    "token-v": "layers.0.v", "token": "embedding", "rope-off": "layers.0.q_rotated",
    "rope-base": "layers.0.q_rotated", "pairs-matching": "layers.0.q_flat",
    "pairs-unmatched": "layers.0.q_rotated", "mha": "layers.0.k_flat",
    "mqa": "layers.0.k_flat", "scale-one": "layers.0.scores",
    "mask-off": "layers.0.masked_scores",
}


def test_each_change_says_what_moves_first_and_lists_what_does_not(change_reader):
    page = change_reader()
    all_tensors = set()
    for change in CHANGES:
        pick(page, change["id"])
        sentence = said(page, "#change .sentence")
        tensors = [name for name, _ in moved(page)]
        assert sentence.startswith(f"{len(tensors)} of 50 tensors moved, first "
                                   f"{FIRST_MOVED[change['id']]}. "), change["id"]
        assert tensors[0] == FIRST_MOVED[change["id"]]
        unmoved = page.text_content("#change .unmoved") if len(tensors) < 50 else ""
        names = unmoved.removeprefix("Not moved: ").rstrip(".").split(", ")
        assert len(tensors) + len(list(filter(None, names))) == 50
        assert not set(tensors) & set(names)
        all_tensors |= set(tensors)
    assert len(all_tensors) == 50
    assert page.locator("#change .changes input").count() == len(CHANGES) + 1


def test_rows_move_where_causality_lets_them(change_reader):
    page = change_reader()
    pick(page, "token-q")
    where = dict(moved(page))
    assert where["layers.0.weights"] == where["layers.0.resid_out"] == "at 2"
    assert where["layers.1.weights"] == "at 2–5"
    pick(page, "token-k")
    where = dict(moved(page))
    assert where["layers.0.k"] == "at 2"
    assert where["layers.0.weights"] == "at 2–5"
    pick(page, "another-wq")
    assert dict(moved(page))["layers.0.weights"] == "at 1–5"
    pick(page, "another-wv")
    where = dict(moved(page))
    assert "layers.0.weights" not in where
    assert where["layers.0.v"] == "at all 6"
    assert where["next_token_probs"] == "at its only one"


def test_the_mask_off_breaks_two_properties_and_no_cell_is_forbidden(change_reader):
    page = change_reader()
    assert page.locator("#first td.masked").count() > 0
    pick(page, "mask-off")
    sentence = said(page, "#change .sentence")
    assert "Holds: row sums, relative positions. Broken: triangle, first row." in (
        sentence)
    assert result(page, "triangle") == "✗ broken"
    assert result(page, "row_sums") == "holds"
    assert page.locator("#first td.masked").count() == 0
    assert all(float(row[-1]) == 1 for row in table(page))
    assert "the change “mask-off”" in said(page, "#first .run-line")
    pick(page, "")
    assert page.locator("#first [data-panel=head] td.masked").count() == 15
    assert page.is_hidden("#first .run-line")


def test_with_a_kv_head_each_no_head_stands_beside_another(change_reader):
    page = change_reader()
    before = table(page)
    pick(page, "mha")
    assert page.is_hidden("#first [data-panel=partner]")
    assert page.is_disabled("#first [data-control=compare]")
    assert table(page) == before
    assert "another shape" in said(page, "#change .moved")
    pick(page, "mqa")
    assert page.is_visible("#first [data-panel=partner]")


def test_places_are_asked_for_where_a_change_needs_them(change_reader):
    page = change_reader()
    pick(page, "rope-off")
    assert page.is_hidden("#change .places")
    pick(page, "token-v")
    assert page.is_visible("#change [data-control=at]")
    assert page.is_hidden("#change [data-control=to]")
    pick(page, "token")
    page.select_option("#change [data-control=at]", "4")
    page.select_option("#change [data-control=to]", "30")
    next_frame(page)
    assert dict(moved(page))["embedding"] == "at 4"
    assert page.text_content("#first tbody tr:nth-child(5) th bdi") == "waits"
    assert address(page) == {"change": "token", "at": "4", "to": "30"}


def test_the_address_opens_the_same_change_in_a_new_window(change_reader):
    page = change_reader("#~change=token-k&at=3&tokens=9-8-7-6-5")
    next_frame(page)
    assert page.is_checked("#change [value=token-k]")
    assert page.input_value("#change [data-control=at]") == "3"
    assert dict(moved(page))["layers.0.weights"] == "at 3–4"
    assert said(page, "#change .compared") == (
        "Compared with the run without the change: tokens of your own, random weights.")
    assert page.is_hidden("#change .origin")
    page.check("#change [value='']")
    assert address(page) == {"tokens": "9-8-7-6-5"}
    assert page.is_hidden("#change .moved")


@pytest.mark.parametrize("tensor, step", [
    ("layers.1.scores", "step=scores&layer=1"), ("layers.0.k_rotated", "step=rope"),
    ("logits", "step=logits")])
def test_a_tensor_s_name_leads_to_its_step_in_the_walk(change_reader, tensor, step):
    page = change_reader()
    pick(page, "token-k")
    page.click(f"#change .moved code:text-is('{tensor}')")
    next_frame(page)
    assert step in page.evaluate("location.hash")
    top = page.evaluate("document.querySelector('#walk').getBoundingClientRect().top")
    assert top < page.viewport_size["height"]


def test_the_sentence_is_a_live_region_that_changes_once(change_reader):
    page = change_reader()
    page.evaluate("""() => {
      window.spoken = [];
      const line = document.querySelector("#change .sentence");
      new MutationObserver(() => window.spoken.push(line.textContent))
        .observe(line, { childList: true, characterData: true, subtree: true }); }""")
    pick(page, "scale-one")
    assert page.get_attribute("#change .sentence", "role") == "status"
    assert page.evaluate("spoken") == [page.text_content("#change .sentence")]


def test_changes_are_made_with_the_keyboard_alone(change_reader):
    page = change_reader()
    page.focus("#change input[value='']")
    page.keyboard.press("ArrowDown")
    next_frame(page)
    assert page.is_checked("#change [value=another-wq]")
    assert said(page, "#change .sentence").startswith("43 of 50 tensors moved")


def test_without_scripts_the_changes_are_a_list_in_words(change_reader):
    page = change_reader(scripts=False)
    text = said(page, "#change")
    assert "the page needs its scripts" in text
    for change in CHANGES:
        assert change["what"].replace("W_Q", "WQ").replace("W_K", "WK") in text
    assert page.is_hidden("#change .effects")
    assert page.is_hidden("#change input[value=mha]")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
        change_reader, axe_violations, scheme, width):
    page = change_reader("#~change=token&at=2&to=9", scheme=scheme, width=width)
    next_frame(page)
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
