"""What the article on the KV cache says of bytes, traffic and a real model: each number
found again from the published sizes, the measured step and the recording."""

import json
import re
from types import SimpleNamespace

import pytest

from tests.article.conftest import CACHE_ARTICLE, ROOT
from tests.article.twice import (
    changed_a_little,
    disagreements,
    names_in_text,
    spoiled,
)

# (layers, KV heads, head_dim): as published, typed here a second time
SIZES = {"tinyllama": (22, 4, 64), "mha": (32, 32, 128), "gqa": (32, 8, 128),
         "large": (80, 8, 128)}
TEXT = (CACHE_ARTICLE / "index.md").read_text("utf-8")
# The order of numbers in the probe's limits: float32, float16, bfloat16.
LIMIT_OF_BFLOAT16 = re.compile(r'"cached": +\(\S+ \S+ ([\d.e-]+)\)')


@pytest.fixture(scope="module")
def memory(printed):
    return printed["experiments_memory"]


@pytest.fixture(scope="module")
def recording(cache_folder):
    return json.loads((cache_folder / "smollm2_trace.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def measured(cache_folder):
    """Return positions → the record of the measured step."""
    rows = json.loads((cache_folder / "decode.json").read_text("utf-8"))["decode"]
    return {row["positions"]: row for row in rows}


def token_bytes(name):
    """Return the bytes of a key and a value in each layer and KV head."""
    layers, kv_heads, head_dim = SIZES[name]
    return sum(2 * head_dim * 2 for _ in range(layers) for _ in range(kv_heads))


def shapes_of_llama_3_8b():
    """Return the matrices that a token is multiplied with, as (inputs, outputs)."""
    of_layer = [(4096, 4096), (4096, 1024), (4096, 1024), (4096, 4096),
                (4096, 14336), (4096, 14336), (14336, 4096)]
    return [*of_layer * 32, (4096, 128_256)]


def of_traffic():
    """One step at 8,192 tokens, and a prefill of as many, head by head."""
    matrices = sum(inputs * outputs for inputs, outputs in shapes_of_llama_3_8b())
    context, weights = 8192, 2 * matrices
    cache = context * token_bytes("gqa")
    attention = sum(2 * 128 * context for _ in range(32 * 32))      # layers, heads
    step = matrices + attention
    even = next(batch for batch in range(1, 100) if batch * cache >= weights)
    return {"traffic_context": context, "traffic_batch": 16, "traffic_even": even,
            "traffic_weights": weights / 10 ** 9, "traffic_cache": cache / 10 ** 9,
            "traffic_batch_cache": 16 * cache / 10 ** 9,
            "traffic_step_ratio": step / (weights + cache),
            "traffic_prefill_ratio": context * step / (weights + cache)}


def of_the_real_model(recording):
    found = {record["id"]: record for record in recording["precision"]}
    producer = recording["producer"]

    def room(dtype):
        record = found[dtype]
        return (min(record["wrong_position"], record["stale"])
                / max(record["cached"], record["chunks"]))

    limit = float(LIMIT_OF_BFLOAT16.search(
        (ROOT / "probe" / "probe_pretrained.py").read_text("utf-8"))[1])
    return {"real_tokens": len(recording["input"]["token_labels"][0]),
            "real_command": " ".join(["python", producer["script"],
                                      *producer["arguments"]]),
            "room_float32": room("float32"), "room_float16": room("float16"),
            "limit_bfloat16": limit}


def of_the_measured_step(measured):
    first, last = min(measured), max(measured)
    at_last = measured[last]
    return {"decode_first": first, "decode_last": last,
            "decode": list(measured.values()), "decode_step": at_last["preallocated"],
            "decode_copied": at_last["concatenated"] / at_last["preallocated"],
            "decode_recomputed": at_last["recomputed"] / at_last["preallocated"]}


@pytest.fixture(scope="module")
def again(recording, measured):
    """Return {name of a number: the same from the sources}."""
    return {
        "tinyllama_token_bytes": token_bytes("tinyllama"), "tinyllama_context": 2048,
        "tinyllama_context_bytes": 2048 * token_bytes("tinyllama"),
        "mha_token_bytes": token_bytes("mha"), "mha_kv_heads": 32, "mha_layers": 32,
        "gqa_token_bytes": token_bytes("gqa"), "gqa_kv_heads": 8, "gqa_layers": 32,
        "large_token_bytes": token_bytes("large"), "large_layers": 80,
        "answer_bytes": 8192 * token_bytes("large"),
        "answer_bytes_mha": sum(2 * 128 * 2 * 8192 for _ in range(80 * 64)),
        **of_traffic(), **of_the_real_model(recording),
        **of_the_measured_step(measured)}


def test_every_number_of_the_text_is_found_again(memory, again):
    assert names_in_text(CACHE_ARTICLE, memory) == set(again)
    assert list(disagreements(memory, again)) == []


def test_a_number_that_is_a_little_off_is_noticed(memory, again):
    for name in set(again) - {"decode", "real_command"}:
        other = SimpleNamespace(**vars(memory) | {
            name: changed_a_little(getattr(memory, name))})
        assert list(disagreements(other, again)) == [name]


SPOILED = {
    "query heads for KV heads": ('kv_heads or model["num_key_value_heads"]',
                                 'kv_heads or model["num_attention_heads"]',
                                 {"gqa_token_bytes", "tinyllama_token_bytes"}),
    "one matrix of the feed-forward too few": ('3 * model["intermediate_size"]',
                                               '2 * model["intermediate_size"]',
                                               {"traffic_weights", "traffic_even"}),
    "a stored token too many": ("multiply_adds_of(gqa, 1, traffic_context - 1)",
                                "multiply_adds_of(gqa, 1, traffic_context)",
                                {"traffic_step_ratio"}),
    "the worst mistake": ('min(found["wrong_position"]', 'max(found["wrong_position"]',
                          {"room_float32", "room_float16"}),
}


@pytest.mark.parametrize("mistake", SPOILED)
def test_a_mistake_in_the_script_is_noticed(mistake, cache_folder, again, tmp_path):
    old, new, names = SPOILED[mistake]
    module = spoiled(cache_folder / "experiments_memory.py", tmp_path, [(old, new)])
    assert names <= set(disagreements(module, again))


def test_each_printed_name_is_one_scripts(printed):
    """All scripts run in one namespace, where a later one may write over a name."""
    names = re.findall(r"\[\[value run:(\w+)", TEXT)
    assert len(set(names)) > 100
    assert {sum(hasattr(module, name) for module in printed.values())
            for name in names} == {1}


def test_what_is_printed_as_zero_is_zero_or_rounding(printed):
    values = {name: value for module in printed.values()
              for name, value in vars(module).items() if isinstance(value, float | int)}
    zeros = {name for name, form in re.findall(r"\[\[value run:(\w+) (\S+?)\]\]", TEXT)
             if name in values and not re.search("[1-9]", format(values[name], form))}
    assert {"again_key_0", "adds_gap", "left_one", "left_told"} <= zeros
    assert max(values[name] for name in zeros) <= 1e-12


def test_the_large_grouped_model_keeps_less_than_the_small_ungrouped_one(memory):
    assert memory.large_token_bytes < memory.mha_token_bytes
    assert memory.large_layers > memory.mha_layers == memory.gqa_layers


def test_a_batch_reads_more_cache_than_weights_and_a_step_less(memory):
    assert memory.traffic_batch_cache > memory.traffic_weights > memory.traffic_cache
    assert memory.traffic_even - 1 < memory.traffic_weights / memory.traffic_cache
    assert memory.traffic_step_ratio < 1 < 100 < memory.traffic_prefill_ratio


def test_copying_cannot_be_told_from_writing_below_a_thousand_tokens(measured):
    copied = {positions: row["concatenated"] / row["preallocated"]
              for positions, row in measured.items()}
    assert max(copied[positions] for positions in copied if positions < 1000) < 1.05
    assert copied[4096] > 1.1
    assert all(row["recomputed"] > 2 * row["preallocated"] for row in measured.values())


def test_the_real_models_mistakes_lie_outside_rounding_but_in_bfloat16(
        memory, recording):
    found = {record["id"]: record for record in recording["precision"]}
    assert list(found) == ["float64", "float32", "bfloat16", "float16"]
    for dtype, least in (("float64", 1e5), ("float32", 1e4), ("float16", 10)):
        assert memory.room(dtype) > least
    assert found["bfloat16"]["cached"] == found["bfloat16"]["chunks"] == 0
    assert found["bfloat16"]["wrong_position"] < memory.limit_bfloat16
    assert found["float64"]["chunks"] < 1e-13 < 1e-8 < found["float64"]["cached"]


def test_the_real_cache_has_the_bytes_of_its_shapes(recording):
    layers, tokens = 30, len(recording["input"]["token_ids"][0])
    numbers = 2 * layers * 3 * 64 * tokens
    assert [layer["shape"] for layer in recording["cache"]["layers"]] == [
        [1, 3, tokens, 64]] * layers
    assert recording["cache"]["bytes"] == 4 * numbers
    assert recording["cache"]["bytes_by_formula"] == 4 * numbers
    assert {record["id"]: record["bytes"] // numbers
            for record in recording["precision"]} == {
        "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


def test_the_exercises_model_is_the_one_that_is_published(memory):
    assert "80 layers, 64 query heads, 8 KV heads and heads of 128 channels" in TEXT
    assert (SIZES["large"], memory.large["num_attention_heads"]) == ((80, 8, 128), 64)
    assert memory.answer_bytes_mha == 8 * memory.answer_bytes
