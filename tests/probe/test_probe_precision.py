"""--precision: rounding and a mistake lie apart, measured in each type by itself."""

import gc
import weakref

import pytest
import torch

from sitegen.schemas import schema_errors
from tests.probe.scripts import probe

pytestmark = pytest.mark.torch
PROMPT = "to the sea and on"
ITEM_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
SCALARS = 2 * 3 * 2 * len(PROMPT) * 10          # 2·L·Hkv·T·dh of the small Llama
ROUNDING = {"float64": 1e-5, "float32": 2e-5, "bfloat16": 1e-1, "float16": 1e-2}


@pytest.fixture
def arguments(folder_of):
    return ["--device", "cpu", "--model", folder_of("llama"), "--prompt", PROMPT,
            "--precision"]


@pytest.fixture(scope="module")
def model_of(folder_of):
    """Return a function: the name of a type → the small Llama in it, and its tokens."""
    def model(dtype):
        options = probe.parse_arguments([
            "--device", "cpu", "--model", str(folder_of("llama")), "--dtype", dtype,
            "--prompt", PROMPT])
        loaded, _, (_, _, tokens), _ = probe.load(options)
        return loaded, torch.tensor([tokens])
    return model


def test_each_type_has_a_record_that_the_schema_knows(record, arguments):
    status, trace, _ = record(*arguments)
    assert status == 0 and trace["format_minor"] == 3
    assert list(schema_errors("trace.v1.schema.json", trace)) == []
    assert [record["id"] for record in trace["precision"]] == list(probe.PRECISIONS)
    assert trace["producer"]["arguments"][-1] == "--precision"
    for record in trace["precision"]:
        right = max(record["cached"], record["chunks"])
        wrong = min(record["wrong_position"], record["stale"])
        assert right <= ROUNDING[record["id"]] < wrong
        assert record["bytes"] == SCALARS * ITEM_BYTES[record["id"]]
        assert record["flips"] <= len(PROMPT)


def test_a_record_without_a_key_or_with_a_word_is_refused(record, arguments):
    _, trace, _ = record(*arguments)
    for spoil in (lambda r: r.pop("stale"), lambda r: r.update(flips=-1),
                  lambda r: r.update(id="float8"), lambda r: r.update(cached=None)):
        spoiled = {**trace, "precision": [dict(trace["precision"][0])]}
        spoil(spoiled["precision"][0])
        assert len(list(schema_errors("trace.v1.schema.json", spoiled))) == 1


def test_without_the_option_nothing_is_added(record, arguments):
    _, trace, told = record(*arguments[:-1])
    assert trace["format_minor"] == 1 and "precision" not in trace
    assert "--precision" not in trace["producer"]["arguments"]
    assert "the same prompt in" not in told


def test_a_right_position_that_is_said_changes_no_bit(model_of):
    model, ids = model_of("float32")
    with torch.inference_mode():
        silent = probe.last_logits(model, ids)
        said = probe.last_logits(model, ids, len(PROMPT) - 1)
    assert torch.equal(silent, said)


def test_what_is_right_is_not_taken_for_a_mistake(model_of, monkeypatch):
    """The planted case: no position is off, so nothing but rounding is measured."""
    model, ids = model_of("float32")
    right, last_logits = probe.measure_precision(model, ids), probe.last_logits
    monkeypatch.setattr(probe, "last_logits",
                        lambda model, tokens, position=None: last_logits(model, ids))
    spoiled = probe.measure_precision(model, ids)
    for mistake in ("wrong_position", "stale"):
        assert spoiled[mistake] < ROUNDING["float32"] < right[mistake]


def test_float64_logits_are_not_narrowed_before_they_are_compared():
    near = torch.tensor([1.0, 1.0 + 1e-12], dtype=torch.float64)
    assert probe.widened(near)[1] != probe.widened(near)[0]
    assert probe.widened(near.half()).dtype == torch.float32


def test_float64_is_as_fine_as_softmax_and_norms_let_it_be(model_of, monkeypatch):
    """The article's claim: transformers calculates both in float32, whatever the type.
    """
    model, ids = model_of("float32")
    model = model.to(torch.float64)
    in_float32 = probe.measure_precision(model, ids)["cached"]
    softmax = torch.nn.functional.softmax
    monkeypatch.setattr(torch.nn.functional, "softmax",
                        lambda scores, dim, dtype=None: softmax(scores, dim=dim))
    for norm in model.modules():
        if type(norm).__name__.endswith("RMSNorm"):
            monkeypatch.setattr(norm, "forward", lambda hidden, norm=norm: (
                norm.weight * hidden * torch.rsqrt(
                    hidden.square().mean(-1, keepdim=True) + norm.variance_epsilon)))
    assert probe.measure_precision(model, ids)["cached"] < 1e-13 < in_float32


def test_one_model_is_in_memory_at_a_time(record, arguments, monkeypatch):
    load_weights, loaded, alive = probe.load_weights, [], []

    def watched(*inputs):
        gc.collect()
        alive.append(sum(model() is not None for model in loaded))
        model = load_weights(*inputs)
        loaded.append(weakref.ref(model))
        return model

    monkeypatch.setattr(probe, "load_weights", watched)
    assert record(*arguments)[0] == 0
    assert alive == [0, 0, 0, 0, 0]


def test_a_type_that_overflows_or_is_not_calculated_in_is_left_out(
        record, arguments, monkeypatch):
    load_weights, device_can = probe.load_weights, probe.device_can

    def overflowing(options, located, dtype):
        model = load_weights(options, located, dtype)
        if dtype == torch.float16:
            with torch.no_grad():
                model.lm_head.weight.fill_(6e4)
        return model

    monkeypatch.setattr(probe, "load_weights", overflowing)
    monkeypatch.setattr(probe, "device_can", lambda device, dtype: (
        dtype != torch.float64 and device_can(device, dtype)))
    status, trace, told = record(*arguments)
    assert status == 0
    assert [record["id"] for record in trace["precision"]] == ["float32", "bfloat16"]
    assert "not in float64: cpu does not calculate in it" in told
    assert "not in float16: the logits are not finite" in told


def test_a_device_without_a_type_is_asked_not_guessed():
    assert not probe.device_can("cpu", torch.bool)
    assert probe.device_can("cpu", torch.float64)


@pytest.mark.parametrize("prompt", ["a", "ab"])
def test_a_prompt_too_short_is_one_line(record, arguments, prompt):
    status, trace, told = record(*arguments[:-2], prompt, "--precision")
    assert (status, trace) == (2, None)
    line = told.splitlines()[-1]
    assert line.startswith(f"probe_pretrained.py: --precision: {len(prompt)} tokens, ")


def test_a_device_that_holds_no_float64_is_one_line(record, arguments, monkeypatch):
    needs = probe.estimate_bytes
    monkeypatch.setattr(probe, "get_max_memory", lambda: {"cpu": 400_000})
    monkeypatch.setattr(probe, "estimate_bytes", lambda config, shapes, item, length: {
        **needs(config, shapes, item, length), "weights": 50_000 * item})
    assert record(*arguments[:-1])[0] == 0
    status, _, told = record(*arguments, output="other.json")
    line = told.splitlines()[-1]
    assert status == 2
    assert line.startswith("probe_pretrained.py: --precision, in float64: needs about")
