"""A larger matrix is one canvas with one live cell."""

import numpy as np

from sitegen.notation import fixed
from sitegen.parts import DEFAULT_PARTS
from tests.browser.attention_heatmap.pages import next_frame, press, said
from tests.browser.harness import wait_until


def test_a_large_matrix_is_a_canvas_with_one_live_cell(heatmap_reader, weights):
    page = heatmap_reader(length=128)
    size = page.evaluate("""() => {
      const map = document.querySelector("#first .map");
      const { width, height } = map.querySelector("canvas");
      return [width, height, map.querySelectorAll("[role=row]").length,
        map.querySelectorAll("[role=gridcell]").length,
        map.querySelectorAll("*").length];
    }""")
    assert size[:4] == [128, 128, 1, 1]
    assert size[4] <= 18
    page.focus("#first .map")
    ids = set()
    for key in ("Control+Home", "ArrowDown", "ArrowDown", "ArrowRight"):
        press(page, key)
        ids.add(page.get_attribute("#first .map", "aria-activedescendant"))
    assert len(ids) == 4
    number = fixed(weights(128)[0, 2, 1], 3)
    cell = page.text_content("#first [role=gridcell]")
    assert cell == f"2 meets, 1 river: {number}"
    assert page.get_attribute("#first [role=row]", "aria-rowindex") == "3"
    live = page.get_attribute("#first .map", "aria-activedescendant")
    assert page.get_attribute("#first [role=gridcell]", "id") == live


def test_a_tap_on_the_canvas_chooses_the_cell_under_it(heatmap_reader):
    page = heatmap_reader(length=128)
    box = page.evaluate("""() => {
      const box = document.querySelector("#first canvas").getBoundingClientRect();
      return [box.left, box.top, box.width, box.height];
    }""")
    left, top, width, height = box
    page.mouse.click(left + width * 40.5 / 128, top + height * 100.5 / 128)
    next_frame(page)
    assert said(page, "#first .chosen-cell").startswith("Cell 100, 40")


def test_the_canvas_has_the_colours_of_the_ramp_and_none_where_forbidden(
        heatmap_reader, weights):
    for scheme in ("light", "dark"):
        page = heatmap_reader(length=128, scheme=scheme)
        wrong = page.evaluate("""(stops) => {
          const canvas = document.querySelector("#first canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, 128, 128);
          const ramp = [...document.querySelectorAll("#first .weights-key i")]
            .map((stop) => getComputedStyle(stop).backgroundColor);
          return stops.filter((stop, i) => {
            const [r, g, b, opacity] = data.slice(4 * i, 4 * i + 4);
            if (stop === null) return false;
            return stop < 0 ? opacity !== 0 : `rgb(${r}, ${g}, ${b})` !== ramp[stop];
          }).length;
        }""", stops_of(weights(128)[0]))
        assert wrong == 0, scheme


def stops_of(matrix):
    """Return the stop of each cell, -1 where forbidden, row by row.

    A page has a large matrix as whole parts of a number: a weight within a part of
    the border between two stops may have either, and gets None.
    """
    low, high = (np.floor((matrix + side / DEFAULT_PARTS) * 16 + 0.5)
                 for side in (-1, 1))
    allowed = np.tril(np.ones(matrix.shape, bool))
    assert (low == high)[allowed].mean() > 0.9
    stops = np.where(allowed, np.where(low == high, low, None), -1)
    return [stop if stop is None else int(stop) for stop in stops.ravel()]


def test_the_row_s_largest_weights_follow_the_selection(heatmap_reader, weights):
    page = heatmap_reader("#~layer=0&head=1&query=90&key=0", length=128)
    row = weights(128)[1, 90]
    wait_until(page, "document.querySelector('#first .largest caption')"
                           ".textContent.includes('row 90')")
    order = np.argsort(-row, kind="stable")[:8]
    shown = page.evaluate("[...document.querySelectorAll("
                          "'#first [data-panel=head] .largest tbody i')].map("
                          "(index) => Number(index.textContent))")
    assert shown == order.tolist()
