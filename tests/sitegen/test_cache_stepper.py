"""The cache stepper without scripts: the recorded calls, and what a snippet counted."""

import json
from itertools import accumulate

import numpy as np
import pytest

from sitegen.directives.cache_stepper import REQUIRED, check_options, costs_of
from sitegen.notation import fixed, weight_class
from sitegen.traces import parse_trace
from tests.site_builder import text_of
from tests.sitegen.test_dependency_triangle import sentence_of
from tests.sitegen.test_run_controls import STORED
from tests.synthetic_trace import add_trace, synthetic_trace

SIZES = (3, 1, 1, 2)
STARTS = (0, 3, 4, 5)
PROMPT, LENGTH = 4, sum(SIZES)
NAMES = {"cached": "products", "full": "all_products", "bytes": "held"}
RNG = np.random.default_rng(4)
LOGITS = RNG.normal(0, 2, (1, LENGTH, 32)).round(6)


def generation_trace():
    """Return a trace of SIZES, which the page can compute as far as the generator
    sees."""
    calls = [{"stored": start, "new": new, "difference": start * 1e-16}
             for start, new in zip(STARTS, SIZES, strict=True)]
    trace = {**synthetic_trace(length=LENGTH), "parameters": STORED, "format_minor": 3,
             "generation": {"prompt": PROMPT, "calls": calls}}
    trace["tensors"]["logits"] = {
        "dims": ["batch", "position", "vocab"], "shape": list(LOGITS.shape),
        "unit": "logit", "values": LOGITS.ravel().tolist()}
    return trace


TRACE, _ = parse_trace("demo", "demo.json", json.dumps(generation_trace()))
COUNTED = dict(zip(REQUIRED, map(list, zip(*costs_of(TRACE), strict=True)),
                   strict=True))


def directive(**options):
    """Return the text of a stepper and of the snippet that counts for it."""
    lines = "".join(f"    {name}: {value}\n" for name, value in
                    {"trace": "demo", **NAMES, **options}.items() if value is not None)
    return ("/// snippet\n    file: counted.py\n    show: false\n///\n\n"
            f"/// cache-stepper | stepper\n{lines}\nWhat to see.\n///\n")


def leave(site, **counted):
    """Write the script that leaves the counts behind."""
    site.add("articles/a/counted.py", '"""Counts."""\n' + "".join(
        f"{NAMES[name]} = {value!r}\n" for name, value in
        {**COUNTED, **counted}.items()))


@pytest.fixture
def stepper(site):
    """A site with a recorded generation, and right counts."""
    add_trace(site, generation_trace())
    leave(site)
    return site


def rows_of(page):
    """Return the cells of each call's row, as texts."""
    return [[text_of(cell.html) for cell in row.css("td")]
            for row in page.css(".timeline tbody tr")]


def test_each_call_writes_its_positions_and_reads_those_before(stepper):
    page = stepper.tree(directive())
    for row, start, new in zip(rows_of(page), STARTS, SIZES, strict=True):
        later = LENGTH - start - new
        assert row[:LENGTH] == ["r"] * start + ["w"] * new + [""] * later
    heads = [text_of(row.css_first("th").html)
             for row in page.css(".timeline tbody tr")]
    assert heads == ["call 1 positions 0–2", "call 2 positions 3",
                     "call 3 positions 4", "call 4 positions 5–6"]


def test_the_queries_of_a_call_are_its_own_and_older_ones_are_gone(stepper):
    for strip, start, new in zip(stepper.tree(directive()).css(".asked"), STARTS, SIZES,
                                 strict=True):
        states = [query.attributes["class"] for query in strip.css("i")]
        later = LENGTH - start - new
        assert states == ["gone"] * start + ["made"] * new + ["later"] * later


def test_each_call_has_its_counts_their_sums_and_the_likeliest_token(stepper):
    rows = rows_of(stepper.tree(directive()))
    columns = [list(map(int, column)) for column in
               zip(*([text.replace(",", "") for text in row[-5:]] for row in rows),
                   strict=True)]
    assert columns == [COUNTED["cached"], list(accumulate(COUNTED["cached"])),
                       COUNTED["full"], list(accumulate(COUNTED["full"])),
                       COUNTED["bytes"]]
    ends = [start + new for start, new in zip(STARTS, SIZES, strict=True)]
    assert [row[-6] for row in rows] == [
        f"word{LOGITS[0, end - 1].argmax()}" for end in ends]


def test_the_first_call_after_the_prompt_is_explained(stepper):
    token, powers = LOGITS[0, 4].argmax(), np.exp(LOGITS[0, 4])
    assert sentence_of(stepper.tree(directive())) == (
        "Call 3 of 4 reads the keys and values stored at 0–3, 4 in each layer and KV "
        "head, and writes those at 4, 1 more. Of the queries it reads its own, at 4; "
        "those of earlier calls are gone, and nothing asks for them. It takes "
        f"{COUNTED['cached'][2]:,} multiply-adds. Without a cache, one call over all 5 "
        f"tokens takes {COUNTED['full'][2]:,}, 5 times as many. Largest difference of "
        "its tensors from full recomputation, relative to their largest number: 4e−16. "
        f"It says “word{token}” next, with probability "
        f"{fixed(powers.max() / powers.sum(), 2)}.")


def test_the_first_call_reads_nothing_stored(stepper):
    said = sentence_of(stepper.tree(directive(call=0)))
    assert "reads nothing stored and writes the keys and values at 0–2, 3 in" in said
    assert "as many as without a cache" in said
    assert "times as many" not in said


def test_a_call_over_several_generated_tokens_is_called_a_check(stepper):
    words = "takes generated tokens before a call has made them known"
    assert words in sentence_of(stepper.tree(directive(call=3)))
    assert "3.5 times as many" in sentence_of(stepper.tree(directive(call=3)))
    for call in range(3):
        assert words not in sentence_of(stepper.tree(directive(call=call)))


def test_the_weights_are_those_of_the_new_rows_and_of_all_rows(stepper):
    page = stepper.tree(directive(call=3, layer=1, head=2))
    weights = TRACE.tensor("layers.1.weights")[0, 2]
    for name, first in (("cached", 5), ("whole", 0)):
        found = [[(cell.attributes["class"], text_of(cell.html))
                  for cell in row.css("td")]
                 for row in page.css(f"[data-panel={name}] tbody tr")]
        assert found == [
            [(weight_class(weights[t, s]), fixed(weights[t, s], 2)) if s <= t
             else ("masked", "masked") for s in range(LENGTH)]
            for t in range(first, LENGTH)]
    framed = page.css("[data-panel=whole] .new tr")
    assert len(framed) == SIZES[3]


def problems_with(trace=TRACE, left=None, **options):
    """Return the problems of a directive's options, of a trace or of what is left."""
    counted = {NAMES[name]: counts for name, counts in COUNTED.items()}
    return [message for message, *_ in check_options(
        {**NAMES, **options}, {**counted, **(left or {})}, trace)]


@pytest.mark.parametrize("option", NAMES)
@pytest.mark.parametrize("call", range(len(SIZES)))
def test_a_count_that_is_not_the_formula_s_is_a_problem(option, call):
    counted = list(COUNTED[option])
    counted[call] += 1
    assert problems_with() == []
    assert problems_with(left={NAMES[option]: counted}) == [
        f"'{NAMES[option]}' is {counted}, and by sitegen/costs.py it is "
        f"{COUNTED[option]}"]


@pytest.mark.parametrize("wrong", [[], [1], 5, "many", None])
def test_a_count_of_another_shape_is_a_problem(wrong):
    (problem,) = problems_with(left={"products": wrong})
    assert problem.startswith(f"'products' is {wrong}, and")


@pytest.mark.parametrize(("options", "message"), [
    ({"cached": "nothing"}, "the snippets leave no value 'nothing'"),
    ({"layer": 2}, "the trace has no layer 2"),
    ({"head": 4}, "the trace has no head 4"),
    ({"call": 4}, "the trace has no call 4"),
])
def test_an_option_without_an_answer_is_a_problem(options, message):
    assert problems_with(**options) == [message]


def drop_a_call(trace):
    trace["generation"]["calls"].pop()


def overlap_calls(trace):
    trace["generation"]["calls"][1]["stored"] = 2


@pytest.mark.parametrize("change", [drop_a_call, overlap_calls])
def test_calls_that_do_not_follow_each_other_are_a_problem(change):
    data = generation_trace()
    change(data)
    trace, _ = parse_trace("demo", "demo.json", json.dumps(data))
    assert problems_with(trace) == [
        "the calls of 'demo' do not cover its 7 positions in turn"]


def test_a_trace_without_a_generation_stops_the_build(stepper):
    trace = generation_trace()
    del trace["generation"], trace["parameters"]
    add_trace(stepper, trace)
    assert stepper.problems(directive()) == [
        "6:1: the trace 'demo' records no generation",
        "6:1: the trace 'demo' records no parameters"]


def test_a_snippet_that_counts_wrong_stops_the_build(stepper):
    leave(stepper, bytes=[8, 8, 8, 8])
    (problem,) = stepper.problems(directive())
    assert problem.startswith("6:1: 'held' is [8, 8, 8, 8], and by sitegen/costs.py")


def test_the_counts_have_to_be_named(stepper):
    (problem,) = stepper.problems(directive(full=None))
    assert problem == "6:5: cache-stepper: 'full' is missing"


def test_a_snippet_that_fails_is_the_only_problem(stepper):
    stepper.add("articles/a/counted.py", "1 / 0\n")
    (problem,) = stepper.problems(directive())
    assert "ZeroDivisionError" in problem
