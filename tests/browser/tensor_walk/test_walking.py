"""From the embedding to the next token: by keyboard, by list, by name, by address."""

import numpy as np
import pytest

from sitegen.notation import fixed, signed
from sitegen.tensor_values import read_tensor
from sitegen.walk import layers_of, read_walk, resolve
from tests.browser.harness import wait_until
from tests.browser.tensor_walk.conftest import ROOT
from tests.browser.tensor_walk.walk_pages import (
    address,
    current,
    focused_cell,
    go,
    next_frame,
    press,
    rows,
    said,
)

STEPS = read_walk(ROOT / "content")[0]
ORDER = [(step.id, layer) for scope in (None, 0, 1, 2) for step in STEPS.values()
         for layer in layers_of(step, 2) if layer == scope]


def expected(trace, name, head):
    """Return the texts of a tensor's numbers, one matrix of it."""
    dims, array = read_tensor(trace, name)
    matrices = array.reshape(-1, *array.shape[-2:])
    if dims[1] == "kv_head":
        head //= 2
    matrix = matrices[min(head, len(matrices) - 1)]
    write = fixed if name.endswith(("weights", "probs")) else signed
    return [["masked" if not allowed else write(number, 2)
             for number, allowed in zip(row, mask, strict=True)]
            for row, mask in zip(matrix, _allowed(name, matrix), strict=True)]


def _allowed(name, matrix):
    masked = name.endswith(("weights", "masked_scores"))
    return np.tri(*matrix.shape) > 0 if masked else np.ones(matrix.shape, bool)


def test_by_keyboard_alone_from_the_embedding_to_the_next_token(walk_reader):
    page = walk_reader()
    while not page.evaluate("document.activeElement.matches('#walk td')"):
        press(page, "Tab")
    assert focused_cell(page) == ["embedding", 5, 0]
    seen = [current(page)]
    for _ in ORDER[1:]:
        press(page, "n")
        seen.append(current(page))
        assert page.evaluate("document.activeElement.closest('#walk .current')")
    assert seen == [step for step, _ in ORDER]
    assert said(page, "#walk .walk-position").startswith("Step 40 of 40.")
    press(page, "n")
    assert current(page) == "next_token_probs"
    assert focused_cell(page)[0] == "next_token_probs"
    press(page, "End", "Enter")
    assert page.is_visible("#walk .opened")
    assert address(page)["open"] == "next_token_probs[0,31]"
    press(page, "p")
    assert current(page) == "logits"


def test_each_step_shows_the_numbers_of_the_trace(walk_reader, demo):
    page = walk_reader("#~head=3")
    for step, layer in ORDER:
        go(page, step, layer if STEPS[step].scope == "layer" else None)
        assert current(page) == step
        for pattern in STEPS[step].outputs:
            name = resolve(pattern, layer, demo.data["model"])
            if read_tensor(demo, name)[1].shape[-1] <= 32:
                assert rows(page, name) == expected(demo, name, 3), name


def test_buttons_go_both_ways_and_end_at_the_ends(walk_reader):
    page = walk_reader()
    assert page.is_disabled("#walk [data-control=previous]")
    page.click("#walk [data-control=next]")
    page.click("#walk [data-control=next]")
    next_frame(page)
    assert current(page) == "projections"
    assert said(page, "#walk .announcement").startswith(
        "Step 3 of 40, layer 0: Query, key and value projections. Three learned")
    page.click("#walk [data-control=previous]")
    next_frame(page)
    assert current(page) == "attn_norm"
    go(page, "next_token_probs", None)
    assert page.is_disabled("#walk [data-control=next]")


def test_a_tensor_is_found_by_its_name(walk_reader, demo):
    page = walk_reader()
    field = "#walk [data-control=find]"
    names = page.eval_on_selector_all("#walk datalist option",
                                      "(found) => found.map(({ value }) => value)")
    assert len(names) == len(set(names)) == len(demo.data["tensors"]) + 2 * 4
    page.fill(field, "layers.1.v")
    press(page, "Enter")
    assert current(page) == "split_heads"
    assert page.is_checked("#walk .pick-layer input[value='1']")
    page.fill(field, "nowhere")
    press(page, "Enter")
    assert said(page, "#walk [data-when=unfound]") == (
        "No step makes a tensor called “nowhere”.")
    assert current(page) == "split_heads"
    page.fill(field, "logits")
    press(page, "Enter")
    assert current(page) == "logits"
    assert page.is_hidden("#walk [data-when=unfound]")


def test_letters_in_the_field_and_the_list_do_not_walk(walk_reader):
    page = walk_reader()
    page.focus("#walk [data-control=find]")
    press(page, "n", "p", "n")
    assert current(page) == "embedding"
    assert page.input_value("#walk [data-control=find]") == "npn"


def test_the_layer_s_buttons_stay_in_the_step(walk_reader, demo):
    page = walk_reader("#~step=scores&layer=0&head=1")
    page.check("#walk .pick-layer input[value='1']", force=True)
    next_frame(page)
    assert current(page) == "scores"
    assert rows(page, "layers.1.scores") == expected(demo, "layers.1.scores", 1)
    assert said(page, "#walk .current h3") == "Scores, layer 1"
    go(page, "logits", None)
    assert page.is_hidden("#walk .pick-layer")


def test_the_address_shows_what_it_says_in_a_new_window(walk_reader):
    page = walk_reader()
    go(page, "heads", 1)
    page.check("#walk .pick-head input[value='2']", force=True)
    page.click("#walk .current tbody tr:nth-child(4) td:nth-child(6)")
    state = address(page)
    assert state == {"layer": "1", "head": "2", "query": "3", "key": "0",
                     "step": "heads", "open": "layers.1.heads[0,2,3,4]"}
    other = walk_reader(page.evaluate("location.hash"))
    for part in (".current", ".opened", ".walk-position"):
        assert said(other, f"#walk {part}") == said(page, f"#walk {part}")
    assert current(other) == "heads"
    assert other.is_checked("#walk .pick-head input[value='2']")


def test_a_link_changes_the_walk_without_a_reload(walk_reader):
    page = walk_reader()
    page.evaluate("location.hash = '#~step=rope&layer=1&query=2'")
    wait_until(page, "document.querySelector('#walk .current').dataset.step"
                           " === 'rope'")
    assert said(page, "#walk .current h3") == "Rotary positions, layer 1"


@pytest.mark.parametrize("fragment", [
    "#~step=nothing&layer=7&head=99&query=-1&key=x", "#~open=%5B%5D", "#~open=a[0]",
    "#the-walk", "#~step=", "#~open=layers.0.q[0,9,9,9]"])
def test_an_address_without_sense_leaves_the_walk(walk_reader, fragment):
    page = walk_reader(fragment)
    next_frame(page)
    assert current(page) == "embedding"
    assert page.is_hidden("#walk .opened")
