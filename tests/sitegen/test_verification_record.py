"""The record prints what a trace measured, and a failure cannot be overlooked."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.directives.verification_record import group_claims, number

MODEL = Path(__file__).parents[2] / "model" / "tiny_llama.py"
RECORD = "/// verification-record | record\n    trace: demo\n\nMeasured.\n///\n"
CHECKS = [
    {"id": "rows", "claim": "rows sum to one", "measured": 2e-16, "limit": 1e-11,
     "unit": "of one", "passed": True, "dtype": "float64"},
    {"id": "rows-float32", "claim": "rows sum to one", "measured": 2e-7, "limit": 5e-6,
     "unit": "of one", "passed": True, "dtype": "float32", "sizes": "article"},
    {"id": "future", "claim": "nothing <later> is seen", "measured": 0, "limit": 0,
     "unit": "weight", "passed": True},
]


@pytest.fixture(scope="module")
def trace():
    """A trace of the model, to which a test may give other checks."""
    made = subprocess.run([sys.executable, MODEL, "--export-trace", "-"],
                          capture_output=True, check=True)
    return json.loads(made.stdout)


@pytest.fixture
def page_of(site, trace):
    """Return a function: checks → the parsed page that shows them."""
    site.add("traces.toml", '[demo]\nfile = "demo.json"\n')

    def build(checks, text=RECORD):
        changed = copy.copy(trace)
        changed["checks"] = checks
        (site.folder / "demo.json").write_text(json.dumps(changed), encoding="utf-8")
        return site.tree(text)

    return build


def rows_of(tree):
    return [[re.sub(r"\s+", " ", cell.text()).strip() for cell in row.css("th, td")]
            for row in tree.css("#record tbody tr")]


def test_a_claim_stands_once_over_its_measurements(page_of):
    tree = page_of(CHECKS)
    assert rows_of(tree) == [
        ["Rows sum to one", "float64", "2 × 10−16 of one", "10−11", "holds"],
        ["float32, article", "2 × 10−7 of one", "5 × 10−6", "holds"],
        ["Nothing <later> is seen", "", "0 weight", "exactly 0", "holds"]]
    assert tree.css_first("#record tbody th").attributes["rowspan"] == "2"
    assert [row.id for row in tree.css("#record tbody tr")] == [
        "check-rows", "check-rows-float32", "check-future"]


def test_how_many_claims_held_and_which_run_made_them_is_said(page_of, trace):
    figure = page_of(CHECKS).css_first("#record")
    assert figure.css_first(".held").text() == "All 2 claims held, in 3 measurements."
    origin = figure.css_first(".origin").text()
    for part in ("tiny_llama.py", "--seed", "float64", "random weights",
                 trace["producer"]["sha256"][:12]):
        assert part in origin
    assert trace["producer"]["sha256"][:13] not in origin


def test_a_failed_check_is_said_in_words_in_its_row_and_above(page_of):
    failed = [{**CHECKS[0], "measured": 0.25, "passed": False}, *CHECKS[1:]]
    tree = page_of(failed)
    assert tree.css_first("#record .held").text() == (
        "1 of 3 measurements FAILED; 2 claims were tested.")
    row = tree.css_first("#check-rows")
    assert row.attributes["class"] == "failed"
    assert "FAILS" in row.text() and "holds" not in row.text() and "0.25" in row.text()
    assert "FAILS" not in tree.css_first("#check-rows-float32").text()


def test_powers_are_superscripts_and_never_parts_of_the_number(page_of):
    cell = page_of(CHECKS).css("#check-rows td")[1]
    assert cell.css_first("sup").text() == "−16"


@pytest.mark.parametrize("value, text", [
    (0, "0"), (0.0, "0"), (1, "1"), (0.5, "0.5"), (0.25, "0.25"), (0.001, "0.001"),
    (64, "64"), (1536, "1536"), (-3, "−3"),
    (1e-11, "10<sup>−11</sup>"), (5e-6, "5&nbsp;×&nbsp;10<sup>−6</sup>"),
    (2.5e-16, "2.5&nbsp;×&nbsp;10<sup>−16</sup>"),
    (-3e-7, "−3&nbsp;×&nbsp;10<sup>−7</sup>"), (2e9, "2&nbsp;×&nbsp;10<sup>9</sup>"),
    ("Infinity", "∞"), ("-Infinity", "−∞"), ("NaN", "not a number"),
])
def test_numbers_are_written_as_a_reader_writes_them(value, text):
    assert number(value) == text


def test_equal_claims_that_do_not_follow_each_other_are_not_joined():
    checks = [CHECKS[0], CHECKS[2], CHECKS[1]]
    assert [len(group) for _, group in group_claims(checks)] == [1, 1, 1]


def test_the_model_s_whole_record_is_printed(page_of, trace):
    tree = page_of(trace["checks"])
    assert [row.id for row in tree.css("#record tbody tr")] == [
        f"check-{check['id']}" for check in trace["checks"]]
    assert len(trace["checks"]) >= 15


@pytest.mark.parametrize("text, message", [
    (RECORD.replace("demo", "dmeo"), "2:12: no trace 'dmeo'"),
    ("/// verification-record\n///\n", "1:1: no trace is named"),
])
def test_a_trace_that_is_not_there_is_a_problem(site, text, message):
    assert message in site.problems(text)


def test_a_trace_without_checks_is_a_problem(site, trace):
    site.add("traces.toml", '[demo]\nfile = "demo.json"\n')
    (site.folder / "demo.json").write_text(json.dumps({**trace, "checks": []}),
                                           encoding="utf-8")
    assert "1:1: the trace 'demo' records no checks" in site.problems(RECORD)
