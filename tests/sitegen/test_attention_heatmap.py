"""The heatmap without scripts: what the trace holds is what the page says."""

import re

import numpy as np
import pytest

from sitegen.notation import fixed, signed, signed_class, weight_class
from sitegen.traces import read_array
from tests.synthetic_trace import add_trace, synthetic_trace

LAYER, HEAD, PARTNER, ROW = 1, 2, 3, 4


def block(*options):
    """Return the directive's text with options, one a line."""
    lines = "".join(f"    {option}\n" for option in ("trace: demo", *options))
    return f"/// attention-heatmap | heat\n{lines}\nWhat to see.\n///\n"


CHOSEN = (f"layer: {LAYER}", f"head: {HEAD}", f"row: {ROW}")


@pytest.fixture
def page_of(site):
    """Return a function: a trace and options → the page as a parser sees it."""
    def build(trace, *options):
        add_trace(site, trace)
        return site.tree(block(*options))

    return build


@pytest.fixture
def problems_of(site):
    """Return a function: a trace and options → the problems of the build."""
    def build(trace, *options):
        add_trace(site, trace)
        return site.problems(block(*options))

    return build


def text_of(node):
    """Return a node's text, white space as single spaces."""
    return re.sub(r"\s+", " ", node.text()).strip()


def panel_of(page, name):
    return page.css_first(f'#heat [data-panel="{name}"]')


def cells_of(panel):
    """Return rows of (class, text) of a panel's table, without its sums."""
    return [[(cell.attributes["class"].split()[0], text_of(cell))
             for cell in row.css("td:not(.sum)")] for row in panel.css("tbody tr")]


def weights_of(trace):
    """Return the weights of the chosen layer, [H, T, S]."""
    return read_array(trace["tensors"][f"layers.{LAYER}.weights"])[0]


def test_every_cell_has_the_trace_s_number_and_its_colour(page_of):
    trace = synthetic_trace()
    cells = cells_of(panel_of(page_of(trace, *CHOSEN), "head"))
    for query, row in enumerate(weights_of(trace)[HEAD]):
        expected = [(weight_class(w), fixed(w, 2)) if key <= query
                    else ("masked", "masked") for key, w in enumerate(row)]
        assert cells[query] == expected


def test_rows_and_columns_are_headed_by_position_and_label(page_of):
    panel = panel_of(page_of(synthetic_trace()), "head")
    heads = [text_of(head) for head in panel.css('tbody th[scope="row"]')]
    assert heads == ["0 the", "1 river", "2 meets", "3 the", "4 quiet", "5 sea"]
    columns = [text_of(head) for head in panel.css('thead th[scope="col"]')]
    assert columns == [*heads, "sum"]


def test_every_row_says_its_sum(page_of):
    panel = panel_of(page_of(synthetic_trace(), *CHOSEN), "head")
    assert [text_of(cell) for cell in panel.css("tbody td.sum")] == ["1.00"] * 6


def test_the_followed_row_is_framed_and_written_out(page_of):
    trace = synthetic_trace()
    panel = panel_of(page_of(trace, *CHOSEN), "head")
    followed = panel.css("tbody tr.followed")
    assert [text_of(row.css_first("th")) for row in followed] == ["4 quiet"]
    row = weights_of(trace)[HEAD, ROW]
    terms = " + ".join(fixed(weight, 3) for weight in row[:ROW + 1])
    most = int(row.argmax())
    label = ("the", "river", "meets", "the", "quiet", "sea")[most]
    written = text_of(panel.css_first(".followed-row"))
    assert f"Row {ROW} {terms} " in written
    assert "= 1.000" in written
    assert f"most from {most}, “{label}”" in written


def test_the_chosen_cell_has_every_recorded_digit(page_of):
    trace = synthetic_trace()
    page = page_of(trace, *CHOSEN)
    row = weights_of(trace)[HEAD, ROW]
    scores = read_array(trace["tensors"][f"layers.{LAYER}.scores"])[0]
    key = int(row.argmax())
    said = text_of(page.css_first("#heat .chosen-cell"))
    assert f"takes {fixed(row[key], 6)} from" in said
    assert f"score before the mask is {fixed(scores[HEAD, ROW, key], 6)}." in said


def test_layer_and_head_0_and_the_last_row_are_shown_unless_asked_otherwise(page_of):
    page = page_of(synthetic_trace())
    shown = page.css_first("#heat attention-heatmap").attributes
    places = [shown[name] for name in ("data-layer", "data-head", "data-query")]
    assert places == ["0", "0", "5"]


def test_two_heads_that_share_keys_stand_beside_their_difference(page_of):
    trace = synthetic_trace()
    page = page_of(trace, *CHOSEN, "compare: true")
    weights = weights_of(trace)
    difference = weights[HEAD] - weights[PARTNER]
    cells = cells_of(panel_of(page, "difference"))
    for query in range(6):
        for key in range(query + 1):
            number = difference[query, key]
            assert cells[query][key] == (signed_class(number), signed(number, 2))
    partner = cells_of(panel_of(page, "partner"))
    assert partner[5][0][1] == fixed(weights[PARTNER, 5, 0], 2)
    titles = [text_of(title) for title in page.css("#heat .panel-title b")]
    assert titles == ["Head 2", "Head 3, the same keys and values", "Head 2 − head 3"]


def test_without_comparison_the_other_panels_are_hidden_and_carry_no_numbers(page_of):
    page = page_of(synthetic_trace())
    for name in ("partner", "difference"):
        assert "hidden" in panel_of(page, name).attributes
        assert not panel_of(page, name).css("td")
    assert "hidden" not in panel_of(page, "head").attributes


def test_a_head_alone_offers_no_comparison(page_of):
    page = page_of(synthetic_trace(), "alone: true")
    assert page.css_first('#heat [data-control="compare"]') is None
    assert [node.attributes["data-panel"] for node in page.css("#heat [data-panel]")] \
        == ["head"]


def test_a_model_with_a_kv_head_for_each_head_offers_no_comparison(page_of):
    page = page_of(synthetic_trace(heads=4, kv_heads=4))
    assert panel_of(page, "partner") is None
    assert page.css_first('#heat [data-control="compare"]') is None


@pytest.mark.parametrize(("options", "message"), [
    (["layer: 2"], "3:12: the trace has no weights of layer 2"),
    (["head: 4"], "3:11: layer 0 has no head 4"),
    (["row: 6"], "3:10: the trace has no query position 6"),
])
def test_what_the_trace_has_no_room_for_is_a_problem(problems_of, options, message):
    assert problems_of(synthetic_trace(), *options) == [message]


def test_every_wrong_option_is_told_at_once(problems_of):
    assert len(problems_of(synthetic_trace(), "head: 9", "row: 9")) == 2


def test_the_head_that_is_strongest_in_something_is_shown(page_of):
    trace = synthetic_trace()
    diagonals = np.stack([
        np.diagonal(read_array(trace["tensors"][f"layers.{layer}.weights"])[0],
                    -1, axis1=-2, axis2=-1).mean(-1) for layer in range(2)])
    layer, head = np.unravel_index(diagonals.argmax(), diagonals.shape)
    figure = page_of(trace, "strongest: previous").css_first("#heat attention-heatmap")
    shown = figure.attributes
    assert (shown["data-layer"], shown["data-head"]) == (str(layer), str(head))


def test_no_head_is_strongest_in_what_the_prompt_does_not_do(problems_of):
    assert problems_of(synthetic_trace(), "strongest: induction") == [
        "1:1: no part of the trace's prompt comes again"]


def test_a_comparison_needs_two_heads_of_one_group(problems_of):
    trace = synthetic_trace(heads=2, kv_heads=2)
    assert problems_of(trace, "compare: true") == [
        "3:14: no two query heads of this model share a KV head"]


def test_an_unknown_trace_is_a_problem(site):
    add_trace(site, synthetic_trace())
    assert site.problems(block().replace("demo", "dmeo")) == ["2:12: no trace 'dmeo'"]


def test_labels_are_text_whatever_they_hold(page_of):
    labels = ["<b>bold</b>", "", "\u202eabc", "a\nb", "שלום", "x" * 400]
    page = page_of(synthetic_trace(labels=labels))
    panel = panel_of(page, "head")
    shown = [text_of(head.css_first("bdi")) for head in panel.css("tbody th")]
    assert shown == ["<b>bold</b>", "∅", "U+202Eabc", "a␊b", "שלום", "x" * 400]
    assert not panel.css("th b")


def test_up_to_32_positions_are_a_table_and_33_are_a_picture(page_of):
    panel = panel_of(page_of(synthetic_trace(32, 1, 2, 2)), "head")
    assert len(panel.css(".attention tbody tr")) == 32
    panel = panel_of(page_of(synthetic_trace(33, 1, 2, 2)), "head")
    picture = panel.css_first("picture img").attributes
    assert picture["src"].startswith("data:image/png;base64,")
    assert (picture["width"], picture["height"]) == ("33", "33")
    assert "layer 0, head 0" in picture["alt"]


def test_a_picture_comes_with_its_row_s_largest_weights(page_of):
    trace = synthetic_trace(40, 2, 4, 2)
    panel = panel_of(page_of(trace, *CHOSEN), "head")
    row = weights_of(trace)[HEAD, ROW]
    order = np.argsort(-row, kind="stable")[:ROW + 1]
    shown = [text_of(head.css_first("i")) for head in panel.css(".largest tbody th")]
    assert shown == [str(key) for key in order]
    numbers = [text_of(line.css_first("td")) for line in panel.css(".largest tbody tr")]
    assert numbers == [fixed(row[key], 3) for key in order]


def test_a_long_row_is_written_as_its_largest_terms_and_the_rest(page_of):
    trace = synthetic_trace(32, 2, 4, 2)
    panel = panel_of(page_of(trace, f"layer: {LAYER}", f"head: {HEAD}"), "head")
    row = weights_of(trace)[HEAD, 31]
    largest = sorted(np.argsort(-row, kind="stable")[:8])
    rest = row.sum() - row[largest].sum()
    written = text_of(panel.css_first(".followed-row .nums"))
    terms = " + ".join(fixed(row[key], 3) for key in largest)
    assert written == f"{terms} + {fixed(rest, 3)} from 24 others = 1.000"


def test_many_heads_are_a_list_and_a_few_are_a_strip(page_of):
    page = page_of(synthetic_trace(4, 2, 9, 3))
    assert len(page.css('#heat select[data-control="head"] option')) == 9
    assert len(page.css("#heat .pick-layer input")) == 2


def test_the_island_carries_weights_and_scores_and_no_other_tensor(page_of):
    trace = synthetic_trace()
    trace["tensors"]["logits"] = {"dims": ["batch", "vocab"], "shape": [1, 1],
                                  "unit": "logit", "values": [0.5]}
    island = page_of(trace).css_first("#trace-demo").text()
    assert '"layers.1.scores"' in island
    assert '"layers.0.weights"' in island
    assert '"logits"' not in island


def test_a_trace_without_scores_says_nothing_of_them(page_of):
    trace = synthetic_trace()
    for layer in range(2):
        del trace["tensors"][f"layers.{layer}.scores"]
    page = page_of(trace)
    assert "score" not in text_of(page.css_first("#heat .chosen-cell"))


def test_the_figure_says_where_its_numbers_come_from(page_of):
    origin = text_of(page_of(synthetic_trace()).css_first("#heat .origin"))
    assert origin.startswith("Synthetic (seed 47): 2 layers, 4 query heads, 2 KV")
    assert "Random weights, not a language model" in origin
