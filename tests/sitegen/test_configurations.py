"""Published configurations: what each number is held to, and what they take."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from sitegen.configurations import (
    attention_kind,
    count_parameters,
    grouped_heads,
    read_configurations,
    source_address,
    source_name,
)

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "content/configurations.json").read_text("utf-8"))
WANTED = {"tinyllama-1.1b", "llama-2-7b", "llama-2-70b", "llama-3-8b", "llama-3-70b",
          "mistral-7b-v0.1", "qwen2-7b", "qwen3-8b", "gemma-7b", "gemma-2b",
          "falcon-7b", "smollm2-135m"}
# Worked out by hand, 2 × layers × KV heads × head_dim × 2 bytes.
BYTES_OF_A_TOKEN = {
    "smollm2-135m": 23_040, "tinyllama-1.1b": 22_528, "gemma-2b": 18_432,
    "llama-2-7b": 524_288, "falcon-7b": 8_192, "mistral-7b-v0.1": 131_072,
    "qwen2-7b": 57_344, "llama-3-8b": 131_072, "qwen3-8b": 147_456,
    "gemma-7b": 458_752, "llama-2-70b": 327_680, "llama-3-70b": 327_680}


def changed(index=0, **changes):
    """Return the published records, one of them changed; None takes a key away."""
    records = json.loads(json.dumps(STORED))
    for key, value in changes.items():
        if value is None:
            del records[index][key]
        else:
            records[index][key] = value
    return records


def faults_of(records):
    return read_configurations(records)[1]


@pytest.fixture(scope="module")
def configurations():
    """The published configurations, without a fault."""
    found, faults = read_configurations(STORED)
    assert faults == []
    return found


def test_the_asked_models_are_all_there(configurations):
    assert configurations.keys() == WANTED


def test_bytes_of_a_token_are_those_worked_out_by_hand(configurations):
    assert {name: one.bytes_of(1, 2) for name, one in configurations.items()} \
        == BYTES_OF_A_TOKEN


def test_two_sources_at_least_state_what_the_cache_needs():
    for record in STORED:
        for key in ("num_hidden_layers", "num_attention_heads", "num_key_value_heads"):
            stating = [source for source in record["sources"] if key in source["keys"]]
            assert len(stating) >= 2, (record["id"], key)


def test_the_recorded_model_has_the_sizes_that_its_record_says():
    record = next(one for one in STORED if one["id"] == "smollm2-135m")
    source = next(one for one in record["sources"] if "file" in one)
    recorded = json.loads((ROOT / source["file"]).read_text("utf-8"))["model"]
    assert {key: record[key] for key in source["keys"]} \
        == {key: recorded[key] for key in source["keys"]}


def test_parameters_are_counted_from_the_shapes(configurations):
    for one in configurations.values():
        assert count_parameters(one.model) == one.parameters


@pytest.mark.parametrize(("changes", "fault"), [
    ({"num_key_value_heads": 2}, "9 heads cannot share 2 KV heads evenly"),
    ({"parameters": 134_515_009},
     "parameters: 134,515,009; its shapes have 134,515,008, -1"),
    ({"intermediate_size": 1537},
     "parameters: 134,515,008; its shapes have 134,566,848, +51,840"),
    ({"tie_word_embeddings": False},
     "parameters: 134,515,008; its shapes have 162,826,560, +28,311,552"),
    ({"sliding_window": 4096}, "sliding_window: no source states it"),
])
def test_a_number_that_cannot_be_is_told(changes, fault):
    assert f"smollm2-135m: {fault}" in faults_of(changed(**changes))


def test_a_number_is_told_that_no_source_states_or_no_record_has():
    records = changed()
    for source in records[0]["sources"]:
        source["keys"] = [key for key in source["keys"] if key != "head_dim"]
    records[0]["sources"][0]["keys"].append("window")
    assert faults_of(records) == ["smollm2-135m: head_dim: no source states it",
                                  "smollm2-135m: sources: no number 'window'"]


@pytest.mark.parametrize(("changes", "fault"), [
    ({"head_dim": None}, "0: 'head_dim' is missing"),
    ({"head_dim": "64"}, "0.head_dim: \"64\": expected a integer"),
    ({"num_hidden_layers": 0}, "0.num_hidden_layers: 0: expected at least 1"),
    ({"layers": 30}, "0.layers: unknown key; known: "),
    ({"model_type": "gpt2"}, "0.model_type: \"gpt2\": expected one of"),
    ({"id": "Smol LM"}, "0.id: \"Smol LM\": expected lower-case letters"),
    ({"sources": []}, "0.sources: []: [] should be non-empty"),
])
def test_a_record_of_another_form_is_told(changes, fault):
    told, *_ = faults_of(changed(**changes))
    assert told.startswith(fault)


@pytest.mark.parametrize("source", [
    {"address": "https://example.org/a/b", "path": "c.py"},     # no revision
    {"class": "transformers.LlamaConfig"},                      # no version
    {"file": "a.json", "class": "B", "version": "1"},           # two sources in one
    {},
])
def test_a_source_says_where_and_in_which_state_it_was_read(source):
    record = {**STORED[0], "sources": [
        *STORED[0]["sources"], {"read": "2026-11-30", "keys": ["head_dim"], **source}]}
    told, = faults_of([record])
    assert told.startswith("0.sources.3: ")


def test_two_records_cannot_have_one_id():
    assert faults_of([STORED[0], STORED[0]]) == [
        "smollm2-135m: two configurations have this id"]


def test_a_window_caps_the_cache_and_nothing_else(configurations):
    mistral = configurations["mistral-7b-v0.1"]
    llama = configurations["llama-3-8b"]
    assert mistral.bytes_of(4096, 2) == llama.bytes_of(4096, 2) == 2 ** 29
    assert mistral.bytes_of(8192, 2) == 2 ** 29
    assert llama.bytes_of(8192, 2) == 2 ** 30


@pytest.mark.parametrize("batch", [1, 3, 256])
def test_from_the_first_context_on_that_is_said_the_cache_outweighs(
        configurations, batch):
    seen = set()
    for one in configurations.values():
        from_context = one.outweighs_from(batch)
        seen.add(from_context is None)
        if from_context is None:
            assert one.bytes_of(2 ** 40, 1, batch) <= one.parameters
        else:
            assert one.bytes_of(from_context, 1, batch) > one.parameters
            assert one.bytes_of(from_context - 1, 1, batch) <= one.parameters
    assert False in seen and (batch > 1 or True in seen)


def test_attention_is_named_by_how_many_heads_share(configurations):
    def of_kind(kind):
        return {name for name, one in configurations.items() if one.kind == kind}

    assert of_kind("MQA") == {"gemma-2b", "falcon-7b"}
    assert of_kind("MHA") == {"llama-2-7b", "gemma-7b"}
    assert len(of_kind("GQA")) == len(WANTED) - 4
    assert configurations["qwen2-7b"].group == 7


def test_more_kv_heads_take_more_bytes_in_the_same_ratio(configurations):
    llama = configurations["llama-3-8b"]
    sizes = [llama.with_kv_heads(n).bytes_of(100, 2) for n in (1, 2, 4, 8, 16, 32)]
    assert all(larger == 2 * size for size, larger in pairwise(sizes))
    assert attention_kind(llama.with_kv_heads(32).model) == "MHA"


def test_grouped_heads_are_a_divisor_near_eight_and_none_of_a_prime():
    def grouped(heads, kv_heads=None):
        return grouped_heads({"num_attention_heads": heads,
                              "num_key_value_heads": kv_heads or heads})

    assert [grouped(n) for n in (32, 12, 9, 16, 71, 1)] == [8, 6, 3, 8, None, None]
    assert (grouped(32, 4), grouped(32, 1)) == (4, 8)


def test_a_source_is_named_and_an_address_leads_to_its_revision():
    by_kind = {kind: next(source for record in STORED for source in record["sources"]
                          if kind in source) for kind in ("address", "class", "file")}
    assert source_name(by_kind["address"]) \
        == "Lightning-AI/litgpt, litgpt/config.py at 0006c97"
    assert source_address(by_kind["address"]) == (
        "https://github.com/Lightning-AI/litgpt/blob/"
        "0006c973aa7d6ace293e2a5fedaf1f8f804f960c/litgpt/config.py")
    assert source_name(by_kind["class"]) == "transformers.LlamaForCausalLM 5.24.0"
    assert source_name(by_kind["file"]) == "probe/traces/smollm2-135m-instruct.json"
    assert source_address(by_kind["file"]) is source_address(by_kind["class"]) is None
