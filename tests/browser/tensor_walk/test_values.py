"""What a step draws: tables, canvases, a row worked out; and whom it follows."""

import numpy as np
import pytest

from sitegen.notation import fixed, signed
from tests.browser.harness import wait_until
from tests.browser.tensor_walk.walk_pages import (
    SMALL,
    address,
    current,
    focused_cell,
    go,
    next_frame,
    press,
    rows,
    said,
)


def test_arrows_move_the_chosen_cell_and_one_cell_is_the_tab_stop(walk_reader):
    page = walk_reader("#~step=scores&query=2&key=1")
    grid = "#walk .current [data-role=output]"
    page.focus(f"{grid} td[tabindex='0']")
    assert focused_cell(page) == ["layers.0.scores", 2, 1]
    press(page, "ArrowDown", "ArrowRight")
    assert focused_cell(page) == ["layers.0.scores", 3, 2]
    press(page, "Control+End")
    assert focused_cell(page) == ["layers.0.scores", 5, 5]
    press(page, "Home")
    assert focused_cell(page) == ["layers.0.scores", 5, 0]
    assert page.locator(f"{grid} td[tabindex='0']").count() == 1
    assert page.is_hidden("#walk .opened")
    press(page, " ")
    assert page.is_visible("#walk .opened")


def test_a_row_of_softmax_is_worked_out(walk_reader, demo):
    page = walk_reader("#~step=weights&head=1&query=4&layer=1")
    scores = demo.tensor("layers.1.masked_scores")[0, 1, 4]
    powers = np.exp(scores - scores.max())
    found = page.eval_on_selector_all("#walk .softmax-row tbody tr", """(rows) =>
      rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))""")
    for key, texts in enumerate(found):
        numbers = [scores[key], scores[key] - scores.max(), powers[key],
                   powers[key] / powers.sum()]
        assert texts == [fixed(number, 3) for number in numbers]
    assert len(found) == 6
    assert said(page, "#walk .softmax-row caption") == (
        f"Row 4 of head 1, worked out. The largest score is {fixed(scores.max(), 3)}; "
        f"the exponentials sum to {fixed(powers.sum(), 3)}.")


@pytest.mark.parametrize("letter", ["q", "k", "v"])
def test_a_split_keeps_each_number_and_its_colour(walk_reader, demo, letter):
    page = walk_reader("#~step=split_heads&layer=1")
    page.select_option("#walk [data-control=split]", letter)
    next_frame(page)
    flat, cut, moved = page.evaluate("""() =>
      [...document.querySelectorAll("#walk .split-table")].map((table) =>
        [...table.rows].map((row) => [row.className.split(" ")[0], row.cells[0]
          .textContent, ...[...row.cells].slice(1).map((c) => c.textContent)]))""")
    heads = demo.tensor(f"layers.1.{letter}")[0]
    count = len(heads)
    colours = [row[0] for row in flat]
    assert len(set(colours)) == 6
    for position in range(6):
        numbers = heads[:, position].ravel()
        assert flat[position][1:] == [str(position), *(signed(n, 2) for n in numbers)]
        for head in range(count):
            numbers = [signed(number, 2) for number in heads[head, position]]
            row = [colours[position], f"{position}, head {head}", *numbers]
            assert cut[position * count + head] == row
            assert moved[head * 6 + position] == row


def test_a_wide_tensor_is_one_canvas_with_one_live_cell(walk_reader, demo):
    page = walk_reader("#~step=gate")
    box = "#walk .current [data-role=output]"
    assert page.locator(f"{box} canvas").count() == 1
    assert page.locator(f"{box} [role=row]").count() == 1
    assert page.locator(f"{box} [role=gridcell]").count() == 1
    page.focus(f"{box} [role=grid]")
    press(page, "ArrowRight", "ArrowRight", "ArrowUp")
    gate = demo.tensor("layers.0.gate")[0]
    assert page.text_content(f"{box} [role=gridcell]") == (
        f"4 quiet, 2: {signed(gate[4, 2], 3)}")
    grid = page.locator(f"{box} [role=grid]")
    assert grid.get_attribute("aria-activedescendant") == page.get_attribute(
        f"{box} [role=gridcell]", "id")
    assert grid.get_attribute("aria-colcount") == "96"
    press(page, "End", "Enter")
    assert address(page)["open"] == "layers.0.gate[0,4,95]"
    assert address(page)["query"] == "4"


def test_a_canvas_is_painted_in_the_page_s_colours(walk_reader, demo):
    page = walk_reader("#~step=gate")
    box = "#walk .current [data-role=output]"
    painted = page.evaluate("""(box) => {
      const canvas = document.querySelector(`${box} canvas`);
      const side = canvas.width / 96;
      const { data } = canvas.getContext("2d")
        .getImageData(0, 0, canvas.width, canvas.height);
      const ramp = [...document.querySelectorAll("#walk [data-when=signed] .ramp i")]
        .map((stop) => getComputedStyle(stop).backgroundColor);
      return [...Array(96).keys()].map((column) => {
        const at = 4 * Math.floor((column + 0.5) * side);
        const [r, g, b] = data.slice(at, at + 3);
        return ramp.indexOf(`rgb(${r}, ${g}, ${b})`) - 8;
      });
    }""", box)
    gate = demo.tensor("layers.0.gate")[0]
    share = gate[0] / np.abs(gate).max()
    stops = np.copysign(np.floor(np.abs(share) * 8 + 0.5), share)
    assert painted == stops.astype(int).tolist()


def test_a_weight_is_drawn_once_its_line_is_opened(walk_reader):
    page = walk_reader("#~step=projections")
    weight = "#walk .current details[data-tensor$=wk]"
    assert page.locator(f"{weight} canvas").count() == 0
    page.click(f"{weight} summary")
    page.wait_for_selector(f"{weight} canvas")
    page.focus(f"{weight} [role=grid]")
    press(page, "ArrowRight", "Enter")
    assert address(page)["open"] == "layers.0.wk*[0,1]"


def test_the_walk_follows_the_page_s_selection_and_sets_it(walk_reader):
    page = walk_reader("#~step=heads")
    page.click("#heat .pick-head label:has(input[value='3'])")
    page.click("#heat tbody tr:nth-child(3) td:nth-child(2)")
    next_frame(page)
    assert page.is_checked("#walk .pick-head input[value='3']")
    assert "meets" in said(page, "#walk .current [data-role=output] tr.followed")
    go(page, "weights", 1)
    page.click("#walk .current [data-role=output] tbody tr:nth-child(5) "
               "td:nth-child(4)")
    next_frame(page)
    assert "layer 1, head 3" in page.text_content("#heat caption")
    assert said(page, "#heat .chosen-cell").startswith("Cell 4, 2")


def test_a_step_is_followed_by_the_mark_of_its_lines(walk_reader):
    page = walk_reader()
    page.evaluate("""() => document.dispatchEvent(new CustomEvent("selection-change", {
      detail: { trace: "demo", step: "q_rotated", origin: "a test" } }))""")
    next_frame(page)
    assert current(page) == "rope"


def test_other_tokens_and_a_change_are_followed(walk_reader):
    page = walk_reader("#~step=masked_scores")
    assert rows(page, "layers.0.masked_scores")[0][1] == "masked"
    page.evaluate("location.hash = '#~step=masked_scores&tokens=5-4-3-2&"
                  "change=mask-off'")
    wait_until(page, "document.querySelectorAll('#walk .current "
                           "[data-role=output] tbody tr').length === 4")
    found = rows(page, "layers.0.masked_scores")
    assert "masked" not in [text for row in found for text in row]
    assert "head 4, query 4, key 4" in said(page, "#walk .current [data-role=output] p")
    assert "5" not in said(page, "#walk .current [data-role=output] tbody th >> nth=0")
    page.evaluate("location.hash = '#~step=embedding&tokens=7'")
    wait_until(page, "document.querySelectorAll('#walk .current "
                           "[data-role=output] tbody tr').length === 1")
    assert current(page) == "embedding"


def test_a_recording_that_the_model_does_not_compute_is_said_and_shown(
        walk_reader, wrong_site, demo):
    page = walk_reader("#~step=logits", site=wrong_site)
    assert "does not recompute the recording" in said(
        page, "#walk [data-when=disagrees]")
    wrong = demo.tensor("logits")[0, 0, 5] + 0.001
    page.click("#walk .current [data-role=output] tbody td:nth-of-type(6)")
    next_frame(page)
    assert f"{wrong:.6f}".replace("-", "") in said(page, "#walk .opened")


def test_focused_walks_draw_their_own_steps_and_follow_the_page(walk_reader):
    page = walk_reader(path=SMALL)
    page.wait_for_selector("#two .current .tensor-table[role=grid]")
    assert current(page, "#one") == "scores"
    assert current(page, "#two") == "weights"
    page.click("#two [data-control=next]")
    page.check("#two .pick-head input[value='2']", force=True)
    next_frame(page)
    assert current(page, "#two") == "heads"
    assert page.is_checked("#one .pick-head input[value='2']")
    page.click("#one .current tbody tr:nth-child(2) td:nth-child(3)")
    next_frame(page)
    assert page.is_visible("#one .opened")
    assert page.is_hidden("#two .opened")
    assert "open" not in address(page)
    assert address(page)["query"] == "1"


def test_a_logit_is_followed_to_a_row_of_the_embedding(walk_reader):
    page = walk_reader("#~step=logits&open=logits[0,5,7]")
    opened = "#walk .opened"
    seen = [current(page)]
    page.focus(f"{opened} td button >> nth=0")
    for _ in range(12):
        press(page, "Enter")
        seen.append(current(page))
        trail = address(page)["open"].split(">")
        if trail[-1].startswith("embedding*"):
            break
        page.focus(f"{opened} td button >> nth=0")
    assert seen[:3] == ["logits", "final_norm", "resid_out"]
    assert seen[-1] == "embedding"
    assert trail[0] == "logits[0,5,7]"
    chosen = page.text_content("#walk .current td.chosen")
    assert chosen == rows(page, "embedding")[5][0]
