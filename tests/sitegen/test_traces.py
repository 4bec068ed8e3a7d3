"""Traces are run or read, and refused where their numbers cannot be right."""

import json
import sys

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.traces import describe_trace, parse_trace
from tests.synthetic_trace import synthetic_trace

WEIGHTS = "layers.0.weights"
TABLE = """
| [[value t:model.hidden_size]] |
|---|
| [[value t:layers.0.weights[0,1,2,2] .3f]] |
"""


def complaints(data):
    """Return the messages about a trace's data, or its text."""
    text = data if isinstance(data, str) else json.dumps(data)
    return [problem.message for problem in parse_trace("t", "t.json", text)[1]]


def cells(data, name=WEIGHTS):
    """Return a tensor's numbers as an array that can be written back."""
    return np.array(data["tensors"][name]["values"]).reshape(
        data["tensors"][name]["shape"])


def changed(index, value, name=WEIGHTS):
    """Return a synthetic trace with one number changed."""
    data = synthetic_trace()
    array = cells(data, name)
    array[index] = value
    data["tensors"][name]["values"] = array.ravel().tolist()
    return data


@pytest.mark.parametrize("packed", [False, True])
def test_a_sound_trace_is_accepted(packed):
    assert complaints(synthetic_trace(packed=packed)) == []


def test_a_row_that_does_not_sum_to_one_is_named():
    data = changed((0, 1, 3, 0), 0.5)
    total = cells(data)[0, 1, 3].sum()
    assert complaints(data) == [f"{WEIGHTS}: row [head 1, query 3] sums to "
                                f"{total:.6g}, expected 1 within 1e-05 (float64)"]


def test_a_forbidden_cell_that_is_not_zero_is_named():
    assert (f"{WEIGHTS}: [head 2, query 1, key 4] is forbidden and holds 1e-06, "
            "expected exactly 0") in complaints(changed((0, 2, 1, 4), 1e-6))


def test_a_weight_below_zero_is_named():
    assert f"{WEIGHTS}: [head 0, query 5, key 1] is below zero" in complaints(
        changed((0, 0, 5, 1), -0.25))


def test_a_mask_at_a_wrong_place_is_named():
    data = synthetic_trace()
    tensor = data["tensors"]["layers.0.masked_scores"] = dict(
        data["tensors"]["layers.0.scores"])
    scores = cells(data, "layers.0.scores")
    masked = np.where(np.tril(np.ones((6, 6), bool)), scores, -np.inf)
    tensor["values"] = ["-Infinity" if np.isinf(v) else v for v in masked.ravel()]
    assert complaints(data) == []
    tensor["values"][1] = 0.5
    assert complaints(data) == ["layers.0.masked_scores: [head 0, query 0, key 1]: "
                                "expected -Infinity exactly where the mask forbids"]


def spoiled(*path, value):
    """Return a synthetic trace in which the thing at a path is another."""
    data = synthetic_trace()
    node = data
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return data


@pytest.mark.parametrize(("data", "expected"), [
    (spoiled("format", value="x"), "format: "),
    (spoiled("format_minor", value="x"), "format_minor: "),
    (spoiled("tensors", WEIGHTS, "unit", value="x"), f"tensors.{WEIGHTS}.unit: "),
    (spoiled("tensors", WEIGHTS, "shape", value=[1, 4, 6, 5]),
     f"{WEIGHTS}: 144 numbers, expected 120 for shape [1, 4, 6, 5]"),
    (spoiled("tensors", WEIGHTS, "shape", value=[4, 6, 6]),
     f"{WEIGHTS}: 4 dims for a shape of 3 axes"),
    (spoiled("tensors", WEIGHTS, "shape", value=[2, 2, 6, 6]),
     f"{WEIGHTS}: shape [2, 2, 6, 6] does not fit an input of 1 × 6"),
    (spoiled("tensors", WEIGHTS, "dims", value=["batch", "head", "key", "query"]),
     f"{WEIGHTS}: its axes are ['batch', 'head', 'key', 'query'], expected batch"),
    (spoiled("tensors", WEIGHTS, "values", value=["NaN"] * 144),
     f"{WEIGHTS}: row [head 0, query 0] sums to nan"),
    (spoiled("tensors", WEIGHTS, "values", value=["x"] * 144), f"tensors.{WEIGHTS}."),
    (spoiled("tensors", WEIGHTS, "values", value=[None] * 144), f"tensors.{WEIGHTS}."),
    (spoiled("input", "token_ids", value=[[1, 2, 3, 4, 5, 99]]),
     "input.token_ids: 99 is no token of a vocabulary of 32"),
    (spoiled("input", "token_ids", value=[[1, 2]]), "input: expected ids, labels and"),
    (spoiled("input", "position_ids", value=[[0, 1], [0]]), "input: expected ids"),
    ({"format_major": 2}, "trace format 2 is newer than this generator's 1"),
    ([], "trace: []: expected a object"),
    ("", "not JSON: Expecting value: line 1 column 1 (char 0)"),
    ('{"a": NaN}', "not JSON: NaN is no number of JSON"),
    ('{"a": -Infinity}', "not JSON: -Infinity is no number of JSON"),
    ('{"a": 1e999}', "not JSON: 1e999 is no number of JSON"),
    ('{"a": 1, "b": 2, "a": 1}', "not JSON: 'a' stands twice in one object"),
    ("[" * 100_000, "not JSON: maximum recursion depth exceeded"),
], ids=lambda value: value[:40] if isinstance(value, str) else "")
def test_a_trace_that_breaks_its_schema_or_its_meaning_is_refused(data, expected):
    assert complaints(data)[0].startswith(expected)


@pytest.mark.parametrize("payload", ["eA==", "====", "x"])
def test_packed_numbers_that_cannot_be_unpacked_are_named(payload):
    data = synthetic_trace(packed=True)
    data["tensors"][WEIGHTS]["data"] = payload
    assert WEIGHTS in complaints(data)[0]


def test_each_batch_item_is_held_to_its_own_positions():
    data = synthetic_trace()
    for name, tensor in data["tensors"].items():
        tensor["shape"] = [2, *tensor["shape"][1:]]
        tensor["values"] = tensor["values"] * 2 if name else None
    for key, rows in data["input"].items():
        data["input"][key] = rows * 2
    assert complaints(data) == []
    data["input"]["position_ids"] = [list(range(6)), [5, 4, 3, 2, 1, 0]]
    assert "is forbidden" in complaints(data)[0]


def test_an_exponent_in_a_hash_is_no_number():
    data = synthetic_trace()
    data["producer"]["sha256"] = "1e999" + "0" * 59
    assert complaints(data) == []


# -------------------------------------------------------------------------- traces.toml
def with_trace(site, how, text="Text.\n"):
    site.add("traces.toml", how)
    site.article(text)
    return site


def told(site):
    return [f"{problem.place}: {problem.message}" for problem in site.failure()]


def table_of(html):
    """Return the texts of the table's cells."""
    return [cell.text().strip() for cell in LexborHTMLParser(html).css("th, td")]


def test_a_recorded_trace_gives_values_their_numbers(site):
    (site.folder / "t.json").write_text(json.dumps(synthetic_trace()))
    html = with_trace(site, '[t]\nfile = "t.json"\n', TABLE).build()["a/index.html"]
    weight = cells(synthetic_trace())[0, 1, 2, 2]
    assert table_of(html) == ["32", f"{weight:.3f}"]


def test_a_program_s_output_is_a_trace(site):
    (site.folder / "make.py").write_text(
        f"print({json.dumps(synthetic_trace())!r})\n")
    html = with_trace(site, '[t]\nrun = ["python", "make.py"]\n', TABLE).build()
    assert table_of(html["a/index.html"])[0] == "32"


@pytest.mark.parametrize(("how", "expected"), [
    ('run = ["python", "-c", "import sys; sys.exit(\'no disk\')"]',
     "content/traces.toml: t: 'python -c import sys; sys.exit('no disk')' ended with "
     "status 1: no disk"),
    ('run = ["no-such-program"]', "content/traces.toml: t: 'no-such-program' cannot be "
     "run: [Errno 2] No such file or directory: 'no-such-program'"),
    ('run = ["python", "-c", "print(1)"]',
     "content/traces.toml [t]: trace: 1: expected a object"),
    ('run = ["python", "-c", "import sys; sys.stdout.buffer.write(b\'\\\\xff\')"]',
     "content/traces.toml: t: "),
    ('file = "no.json"', "content/traces.toml: t: no file 'no.json'"),
    ('file = "../x.json"', "content/traces.toml: t: no file '../x.json'"),
    ('file = "latin.json"', "latin.json: cannot be read: "),
    ('file = "newer.json"',
     "newer.json: trace format 2 is newer than this generator's 1"),
    ('file = 3', "content/traces.toml:2: t.file: 3: expected a string"),
    ("", "content/traces.toml:1: t: {}: "),
])
def test_a_trace_that_cannot_be_made_is_named(site, how, expected):
    (site.folder / "latin.json").write_bytes(b"\xe9")
    (site.folder / "newer.json").write_text('{"format_major": 2}')
    assert told(with_trace(site, f"[t]\n{how}\n"))[0].startswith(expected)


def test_a_program_that_does_not_end_is_stopped(site):
    sleeping = (f'run = ["{sys.executable}", "-c", "import time; time.sleep(60)"]\n'
                "limits = {seconds = 1}")
    assert told(with_trace(site, f"[t]\n{sleeping}\n"))[0].endswith(
        "did not end within 1 s")


def test_a_trace_with_problems_is_told_once_not_at_each_use(site):
    (site.folder / "t.json").write_text("{}")
    problems = told(with_trace(site, '[t]\nfile = "t.json"\n', TABLE))
    assert problems and all(line.startswith("t.json: ") for line in problems)


def test_the_sentence_on_a_trace_names_model_and_program():
    words = {"source_random": "{name} {script} {dtype}", "source_trained": "no"}
    trace = parse_trace("t", "t.json", json.dumps(synthetic_trace()))[0]
    assert describe_trace(trace, words) == "Synthetic tiny_llama.py float64"


def test_the_sentence_on_trained_weights_says_what_for_where_that_is_told():
    words = {"source_trained": "{name}: trained", "source_task": "{name}: {task}"}
    told_sentences = []
    for changes in ({"trained": True}, {"trained": True, "task": "trained to repeat"}):
        data = synthetic_trace()
        data["model"] |= changes
        trace = parse_trace("t", "t.json", json.dumps(data))[0]
        told_sentences.append(describe_trace(trace, words))
    assert told_sentences == ["Synthetic: trained", "Synthetic: trained to repeat"]
