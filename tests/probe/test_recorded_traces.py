"""The committed traces keep what they promise, and spoiled ones are refused."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest

from sitegen.head_statistics import repetition
from sitegen.schemas import schema_errors
from sitegen.traces import parse_trace
from tests.synthetic_trace import synthetic_trace

FOLDER = Path(__file__).parents[2] / "probe" / "traces"
PATHS = sorted(FOLDER.glob("*.json"))
LARGEST_BYTES = 10_000_000


@pytest.fixture(scope="module", params=PATHS, ids=lambda path: path.stem)
def recorded(request):
    """The text of a committed trace."""
    return request.param.read_text("utf-8")


@pytest.fixture(scope="module")
def small_text():
    """The text of the smallest committed trace."""
    return min((path.read_text("utf-8") for path in PATHS), key=len)


def refusal(text):
    """Return what the generator says of a trace, in one text."""
    trace, problems = parse_trace("x", "x.json", text)
    assert (trace is None) == bool(problems)
    return " ".join(problem.message for problem in problems)


def test_a_text_and_a_repeated_prompt_are_committed():
    prompts = [json.loads(path.read_text("utf-8"))["input"]["token_ids"][0]
               for path in PATHS]
    assert sorted(bool(repetition(ids)) for ids in prompts) == [False, True]


def test_a_committed_trace_is_valid_and_small(recorded):
    assert refusal(recorded) == ""
    assert len(recorded.encode()) <= LARGEST_BYTES


def test_it_is_called_what_it_is(recorded):
    model = json.loads(recorded)["model"]
    assert model["name"] == "SmolLM2-135M-Instruct" and model["trained"]
    assert model["weights"] == "Q4_1 dequantised to float32"
    assert model["differs"] == []


def test_all_its_checks_passed(recorded):
    checks = json.loads(recorded)["checks"]
    assert len(checks) == 9 and all(check["passed"] for check in checks)


def test_every_layer_has_weights_and_value_lengths(recorded):
    trace, _ = parse_trace("x", "x.json", recorded)
    model, length = trace.data["model"], len(trace.data["input"]["token_ids"][0])
    for layer in range(model["num_hidden_layers"]):
        weights = trace.tensor(f"layers.{layer}.weights")
        lengths = trace.tensor(f"layers.{layer}.value_norms")
        assert weights.shape == (1, model["num_attention_heads"], length, length)
        assert np.abs(weights.sum(-1) - 1).max() < 1e-12
        assert lengths.shape == weights.shape[:3] and lengths.min() > 0


def test_the_labels_spell_the_prompt(recorded):
    said = json.loads(recorded)["input"]
    raw = b"".join(bytes.fromhex(token) for token in said["token_bytes"][0])
    assert raw.decode() == said["prompt"]
    assert len(said["token_labels"][0]) == len(said["token_ids"][0])


def test_a_truncated_trace_is_refused(small_text):
    assert "not JSON" in refusal(small_text[:-100])


def test_a_foreign_file_is_refused():
    assert "missing" in refusal('{"attentions": [[1.0]]}')
    assert refusal('["attentions"]') != ""


def test_a_trace_whose_numbers_were_cut_is_refused(small_text):
    data = json.loads(small_text)
    tensor = data["tensors"]["layers.3.weights"]
    tensor["data"] = tensor["data"][:len(tensor["data"]) // 8 * 4]
    assert "layers.3.weights" in refusal(json.dumps(data))


def test_a_trace_whose_numbers_were_exchanged_is_refused(small_text):
    data = json.loads(small_text)
    tensors = data["tensors"]
    tensors["layers.3.weights"]["encoding"] = "parts-60000-deflate-base64"
    assert "sums to" in refusal(json.dumps(data))


def test_a_trace_of_the_first_minor_version_is_still_valid():
    old = synthetic_trace()
    assert old["format_minor"] == 0
    assert list(schema_errors("trace.v1.schema.json", old)) == []


SPOILED = {
    "a path for a script": ("producer", "script", "probe/probe_pretrained.py"),
    "a path for a file": ("model", "files", {"a/b.safetensors": "0" * 64}),
    "a short hash": ("model", "files", {"b.safetensors": "0"}),
    "odd bytes": ("input", "token_bytes", [["abc"]]),
    "a chance above one": ("next_token", 0, {"id": 1, "label": "", "probability": 2}),
    "a negative size": ("cache", "bytes", -1),
    "heads that are no numbers": ("tensors", "layers.0.weights", {"head_ids": ["0"]}),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_schema_notices(what, small_text):
    data = json.loads(small_text)
    assert list(schema_errors("trace.v1.schema.json", data)) == []
    section, key, value = copy.deepcopy(SPOILED[what])
    if section == "tensors":
        value = {**data[section][key], **value}
    data[section][key] = value
    assert len(list(schema_errors("trace.v1.schema.json", data))) == 1
