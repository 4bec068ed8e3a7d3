"""The mask aligner without scripts: four masks of one rectangle, right and wrong."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sitegen.directives.mask_aligner import MASKS, aligned, findings_of, panel_of
from sitegen.notation import fixed
from sitegen.traces import read_array
from tests.site_builder import SmallSite, text_of
from tests.sitegen.test_run_controls import STORED
from tests.synthetic_trace import add_trace, synthetic_trace

# tests/js/mask-alignment.test.js reads the same table.
TABLE = json.loads((Path(__file__).parents[1] / "cases/masks.json").read_text("utf-8"))
CASES, ODDS = TABLE["cases"], TABLE["odds"]
STORED_COUNT, NEW, LAYER, HEAD = 2, 3, 1, 3
LIMIT = 1e-15


def block(*options):
    """Return the directive's text with options, one a line."""
    lines = "".join(f"    {option}\n" for option in ("trace: demo", *options))
    return f"/// mask-aligner | masks\n{lines}\nWhat to see.\n///\n"


CHUNK = (f"layer: {LAYER}", f"head: {HEAD}", f"stored: {STORED_COUNT}", f"new: {NEW}")


def computed_trace(**sizes):
    """Return a trace that the page can compute, as far as the generator sees."""
    return {**synthetic_trace(**sizes), "parameters": STORED}


@pytest.fixture
def panels(site):
    """The panels of a chunk, by mask, as a parser sees them."""
    add_trace(site, computed_trace())
    return {panel.attributes["data-mask"]: panel
            for panel in site.tree(block(*CHUNK)).css("#masks .panel")}


def table_of(panel):
    """Return the rows of a panel's table: a word or a number for each cell."""
    return [[text_of(cell.html) for cell in row.css("td")]
            for row in panel.css("tbody tr")]


def sentences(panel):
    """Return what a panel says, without what is hidden."""
    for hidden in panel.css(".sentence [hidden]"):
        hidden.decompose()
    return text_of(panel.css_first(".sentence").html)


def rectangle(case):
    """Return the scores of a case's chunk, [T, S]."""
    stored, end = case["stored"], case["stored"] + case["new"]
    return np.log(np.array(ODDS, float))[stored:end, :end]


def expected(case, t):
    """Return (weights, leak, hidden) of a row, by fractions; None for no number."""
    odds = [Fraction(odd) * (sign == "X") for odd, sign in
            zip(ODDS[case["stored"] + t], case["allowed"][t], strict=False)]
    weights = [odd / sum(odds) if sum(odds) else None for odd in odds]
    leak, hidden = (part[t] and Fraction(*part[t]) for part in
                    (case["leak"], case["hidden"]))
    return weights, leak, hidden


def is_near(found, fraction):
    """Return whether a number is a fraction, or NaN where there is none."""
    return np.isnan(found) if fraction is None else abs(found - fraction) <= LIMIT


def fault_in(case, found):
    """Return the first row of an Aligned that is not as worked out by hand, or None."""
    patterns = ["".join("X" if seen else "." for seen in row) for row in found.allowed]
    if patterns != case["allowed"]:
        return patterns
    for t in range(case["new"]):
        weights, leak, hidden = expected(case, t)
        if not (all(map(is_near, found.weights[t], weights))
                and is_near(found.leak[t], leak) and is_near(found.hidden[t], hidden)):
            return t
    return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: "{mask}-{stored}-{new}".format(
    **case))
def test_each_mask_gives_what_was_worked_out_by_hand(case):
    found = aligned(rectangle(case), case["stored"], case["mask"])
    assert fault_in(case, found) is None
    parts, holds = findings_of(found, case["stored"])
    assert (parts["missed"], holds["same"]) == (case["missed"], case["same"])


def test_a_mask_in_another_s_place_is_noticed():
    exchanged = 0
    for case in CASES:
        for mask in MASKS:
            found = aligned(rectangle(case), case["stored"], mask)
            stored, mask = case["stored"], case["mask"]
            alike = np.array_equal(
                found.allowed, aligned(rectangle(case), stored, mask).allowed)
            assert (fault_in(case, found) is None) == alike
            exchanged += not alike
    assert exchanged > len(CASES)


def test_weights_that_forget_the_mask_before_the_sum_are_noticed():
    case = CASES[0]
    found = aligned(rectangle(case), case["stored"], "right")
    late = aligned(rectangle(case), case["stored"], "late")
    found.weights[:] = late.weights * found.allowed
    assert fault_in(case, found) == 0


def test_each_panel_has_the_numbers_of_its_mask(panels):
    scores = read_array(computed_trace()["tensors"][f"layers.{LAYER}.scores"])
    chunk = scores[0, HEAD, STORED_COUNT:STORED_COUNT + NEW, :STORED_COUNT + NEW]
    assert [*panels] == [*MASKS]
    for mask, panel in panels.items():
        found = aligned(chunk, STORED_COUNT, mask)
        for t, row in enumerate(table_of(panel)):
            cells = [fixed(weight, 2) if seen else "masked" for weight, seen in
                     zip(found.weights[t], found.allowed[t], strict=True)]
            sums = found.weights[t].sum(), found.leak[t], found.hidden[t]
            assert row == [*cells, *(fixed(number, 2) for number in sums)]
        total = [text_of(cell.html) for cell in panel.css("tfoot td")[1:]]
        assert total == [fixed(found.leak.sum(), 2), fixed(found.hidden.sum(), 2)]


def test_what_the_right_mask_would_have_otherwise_is_framed(panels):
    def framed_in(panel):
        return [[key for key, cell in enumerate(row.css("td"))
                 if "wrong" in cell.attributes["class"]]
                for row in panel.css("tbody tr")]

    framed = {mask: framed_in(panel) for mask, panel in panels.items()}
    assert framed == {"right": [[], [], []], "left": [[1, 2], [2, 3], [3, 4]],
                      "late": [[3], [4], []], "early": [[2], [3], [4]]}


def test_keys_are_headed_by_what_is_stored_and_what_is_new(panels):
    for panel in panels.values():
        stored, new = panel.css("thead th[scope=colgroup]")
        assert (stored.attributes["colspan"], new.attributes["colspan"]) == ("2", "3")
        rows = [text_of(head.html) for head in panel.css("tbody th")]
        assert rows == ["2 meets", "3 the", "4 quiet"]


def test_the_sign_of_each_mistake_is_told(panels):
    said = {mask: sentences(panel) for mask, panel in panels.items()}
    assert said["right"].startswith("Nothing leaks, nothing is hidden.")
    assert "the recording’s rounding" in said["right"]
    assert "Keys hidden from each new token, its own among them: 2." in said["left"]
    assert "At 2–3 a later token is read" in said["late"]
    assert "No new token sees its own key" in said["early"]
    for mask in ("left", "late", "early"):
        assert said[mask].endswith("Every row sums to 1 all the same, so row sums do "
                                   "not notice.")
    assert "row sums" not in said["right"]


def test_a_mask_that_does_not_show_here_is_called_right(site):
    add_trace(site, computed_trace())
    page = site.tree(block("stored: 0", "new: 4"))
    left, early = (sentences(page.css_first(f"[data-mask={mask}]"))
                   for mask in ("left", "early"))
    assert left.startswith("Nothing is stored, so both alignments are one")
    assert "NaN" in early and "Every row sums" not in early
    assert table_of(page.css_first("[data-mask=early]"))[0][-3:] == [
        "NaN", "NaN", "1.00"]
    assert page.css_first("[data-mask=left] .of-stored").attributes.keys() >= {"hidden"}
    page = site.tree(block("stored: 4", "new: 1"))
    late = sentences(page.css_first("[data-mask=late]"))
    assert late.startswith("One new token has no later key") and "leak" not in late


def test_above_layer_0_the_scores_are_said_to_be_the_right_model_s(site):
    add_trace(site, computed_trace())
    for layer, hidden in ((0, True), (1, False)):
        note = site.tree(block(f"layer: {layer}")).css_first("[data-when=above]")
        assert ("hidden" in note.attributes) == hidden


@pytest.mark.parametrize("options, problem", [
    (("layer: 2",), "the trace has no layer 2"),
    (("head: 4",), "the trace has no head 4"),
    (("stored: 4", "new: 3"), "4 stored and 3 new are more than the trace's 6 posi"),
    (("new: 0",), "new"),
])
def test_a_chunk_that_the_trace_has_no_room_for_is_refused(site, options, problem):
    add_trace(site, computed_trace())
    (found,) = site.problems(block(*options))
    assert problem in found


@pytest.mark.parametrize("spoil, problem", [
    (lambda trace: trace["tensors"].pop("layers.1.scores"),
     "the trace 'demo' has no scores of every layer"),
    (lambda trace: trace.pop("parameters"), "the trace 'demo' records no parameters"),
    (lambda trace: trace.update(computed_trace(length=33)),
     "the trace has 33 queries and 33 keys"),
    (lambda trace: trace["tensors"]["layers.0.scores"]["values"].__setitem__(12, 3.0),
     "the right mask's weights are "),
])
def test_a_trace_that_cannot_be_aligned_is_refused(tmp_path, spoil, problem):
    trace = computed_trace()
    spoil(trace)
    site = SmallSite(tmp_path)
    add_trace(site, trace)
    (found,) = site.problems(block("stored: 1", "new: 2"))
    assert found.startswith(f"1:1: {problem}")


def test_a_panel_counts_only_what_its_rows_show():
    scores = np.zeros((3, 3))
    panel = panel_of("early", scores, 0)
    assert panel.holds == {"same": False, "blind": True, "leaking": False,
                           "empty": True, "sums": False}
    assert panel.parts == {"leak": "0.00", "hidden": "1.83", "leaking": "",
                           "empty": "0", "missed": 1}
