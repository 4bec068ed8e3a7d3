"""The exported trace: its form, its meaning, and the source it comes from."""

import ast
import base64
import copy
import hashlib
import json
import re
import sys
from math import prod
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from tests.model.loading import PATH, SOURCE

SCHEMA = Path(__file__).parents[2] / "static" / "schema" / "trace.v1.schema.json"
PER_LAYER = [
    "attn_norm", "q", "k", "v", "q_rotated", "k_rotated", "scores", "masked_scores",
    "weights", "heads", "merged", "attn_out", "resid_mid", "mlp_norm", "gate", "up",
    "mlp_act", "mlp_out", "resid_out"]


@pytest.fixture(scope="module")
def text(llama, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    assert llama.main(["--export-trace", str(path)]) == 0
    return path.read_text("ascii")


@pytest.fixture(scope="module")
def trace(text):
    def refuse(name):
        raise ValueError(f"{name} is no JSON")
    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_trace_is_valid_against_the_schema(trace, validator):
    assert list(validator.iter_errors(trace)) == []


SPOILED = {
    "another major version": lambda t: t.update(format_major=2),
    "null for a value": lambda t: t["tensors"]["logits"].update(values=[None]),
    "a word for a value": lambda t: t["tensors"]["logits"].update(values=["x"]),
    "no values": lambda t: t["tensors"]["logits"].pop("values"),
    "values twice": lambda t: t["tensors"]["logits"].update(
        encoding="f32-deflate-base64", data=""),
    "an unknown axis": lambda t: t["tensors"]["logits"]["dims"].append("time"),
    "an unknown unit": lambda t: t["tensors"]["logits"].update(unit="metre"),
    "a tensor's name with a blank": lambda t: t["tensors"].update({"a b": {}}),
    "a folder in the script": lambda t: t["producer"].update(script="home/me/x.py"),
    "a path in the arguments": lambda t: t["producer"]["arguments"].append("/home/me"),
    "a check without a limit": lambda t: t["checks"][0].pop("limit"),
    "trained as a word": lambda t: t["model"].update(trained="no"),
    "no rope pairing": lambda t: t["model"].pop("rope_pairing"),
    "a flat list of tokens": lambda t: t["input"].update(token_ids=[1, 2]),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_schema_refuses(what, trace, validator):
    spoiled = copy.deepcopy(trace)
    SPOILED[what](spoiled)
    assert len(list(validator.iter_errors(spoiled))) >= 1


def test_a_later_minor_version_may_add_keys(trace, validator):
    newer = copy.deepcopy(trace)
    newer["format_minor"] = 1
    for part in (newer, newer["model"], newer["input"], newer["checks"][0],
                 newer["tensors"]["logits"], newer["producer"]):
        part["added_later"] = [1]
    assert list(validator.iter_errors(newer)) == []


def test_every_tensor_of_the_design_is_there_in_order_of_making(trace):
    layers = [f"layers.{layer}.{name}" for layer in range(2) for name in PER_LAYER]
    assert list(trace["tensors"]) == ["embedding", *layers, "final_norm", "logits",
                                      "next_token_probs"]


def test_axes_have_the_sizes_of_the_configuration(llama):
    config, ids = llama.ALL_DIFFERENT
    model = llama.TinyLlama(config, llama.draw_weights(config, 1))
    sizes = {"batch": 5, "position": 7, "query": 7, "key": 7, "head": 6, "kv_head": 2,
             "vocab": 37}
    channels = {"q": 10, "k": 10, "v": 10, "q_rotated": 10, "k_rotated": 10,
                "heads": 10, "merged": 60, "gate": 44, "up": 44, "mlp_act": 44}
    for name, array in llama.record_tensors(model, ids).items():
        record = llama.tensor_record(name, array)
        channel = channels.get(name.split(".")[-1], 28)
        expected = [sizes.get(dim, channel) for dim in record["dims"]]
        assert record["shape"] == expected, name
        assert prod(record["shape"]) == len(record["values"])


def test_values_are_rounded_and_infinities_are_words(trace, llama):
    scores = trace["tensors"]["layers.0.masked_scores"]["values"]
    assert scores.count("-Infinity") == 4 * 15
    for tensor in trace["tensors"].values():
        for value in tensor["values"]:
            assert value == "-Infinity" or value == round(value, 6)
    assert "-0.0" not in re.findall(r"-?[0-9.e-]+", json.dumps(trace["tensors"]))
    assert [llama.json_number(v) for v in (np.inf, -np.inf, np.nan, 1.5)] == [
        "Infinity", "-Infinity", "NaN", 1.5]


def test_recorded_parameters_give_the_recorded_logits(trace, llama):
    weights = {}
    for name, weight in trace["parameters"].items():
        numbers = np.frombuffer(base64.b64decode(weight["data"]), "<f4")
        weights[name] = numbers.reshape(weight["shape"])
    sizes = {name: trace["model"][name] for name in llama.Config.__dataclass_fields__}
    model = llama.TinyLlama(llama.Config(**sizes), weights)
    recorded = np.array(trace["tensors"]["logits"]["values"]).reshape(1, 6, 32)
    np.testing.assert_allclose(model(trace["input"]["token_ids"]), recorded, rtol=0,
                               atol=0.5e-6 + 1e-9)


def test_checks_are_recorded_with_one_digit(trace):
    assert len(trace["checks"]) == 24 and all(c["passed"] for c in trace["checks"])
    for check in trace["checks"]:
        assert check["measured"] == float(f"{check['measured']:.0e}")
        assert 0 <= check["measured"] <= check["limit"]
    assert {c["limit"] for c in trace["checks"]} == {0.0, 1e-11, 5e-6}


def test_the_producer_is_the_file_without_its_folder(trace, text):
    assert trace["producer"]["script"] == "tiny_llama.py"
    assert trace["producer"]["sha256"] == hashlib.sha256(PATH.read_bytes()).hexdigest()
    assert str(PATH.parent) not in text


def test_one_tensor_stands_on_a_line(text, trace):
    lines = text.splitlines()
    assert len(lines) > len(trace["tensors"]) + len(trace["parameters"])
    assert sum(line.count('"values":') > 1 for line in lines) == 0


def test_labels_are_those_of_the_tokens(trace):
    assert len(trace["vocabulary"]) == 32
    labels = [trace["vocabulary"][token] for token in trace["input"]["token_ids"][0]]
    assert trace["input"]["token_labels"] == [labels]
    assert " ".join(labels) == "the river meets the quiet sea"


def test_each_step_is_marked_once_and_each_tensor_is_made_in_one():
    steps = re.findall(r"^ *# step: (\S+) — \S", SOURCE, re.M)
    assert len(steps) == len(set(steps)) >= 26
    for name in ["embedding", *PER_LAYER, "final_norm", "logits"]:
        assert len(re.findall(rf'(?:tap|keep)\("{name}"', SOURCE)) == 1, name
    unmarked = {"q", "k", "v", "k_rotated", "up"}       # share a step with others
    assert {*PER_LAYER, "embedding", "final_norm", "logits"} - set(steps) == unmarked


def test_the_source_is_python_3_10_and_needs_numpy_alone():
    tree = ast.parse(SOURCE, feature_version=(3, 10))
    imports = [node for node in ast.walk(tree)
               if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {alias.name if isinstance(node, ast.Import) else node.module
                for node in imports for alias in node.names}
    assert imported - sys.stdlib_module_names == {"numpy"}
