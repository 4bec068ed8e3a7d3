"""The capture sees everything, leaves nothing behind, and its checks can fail."""

import json
import weakref

import pytest
import torch
from transformers import AttentionMaskInterface

from tests.probe.scripts import probe
from tests.probe.small_models import small_config, small_model

pytestmark = pytest.mark.torch
IDS = torch.tensor([[5, 7, 5, 11, 2, 250, 9]])


@pytest.fixture
def model():
    """A small random Llama."""
    return small_model(small_config("llama"))


def captured(model):
    """Return {(layer, name): value} of one pass."""
    made = {}
    with torch.inference_mode(), probe.Capture(
            model, lambda layer, name, value: made.setdefault((layer, name), value)):
        model(IDS)
    return made


def hook_count(model):
    """Return how many hooks a model's modules have."""
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks)
               for module in model.modules())


def test_nothing_stays_in_the_model(model):
    before = model(IDS).logits
    assert captured(model)
    assert hook_count(model) == 0
    assert model.config._attn_implementation == "eager"
    assert torch.equal(model(IDS).logits, before)


def test_nothing_stays_in_the_model_after_an_error(model):
    def full(*_):
        raise OSError("no space left")
    with pytest.raises(OSError), probe.Capture(model, full):
        model(IDS)
    assert hook_count(model) == 0
    assert model.config._attn_implementation == "eager"


def test_the_capture_changes_no_bit(model):
    with torch.inference_mode():
        plain = model(IDS).logits
        with probe.Capture(model, lambda *_: None):
            assert torch.equal(model(IDS).logits, plain)


def test_a_capture_without_a_mask_function_is_noticed(model, monkeypatch):
    monkeypatch.setattr(probe, "eager_mask", lambda *_, **__: None)
    recorder = recorded(model)
    assert recorder.worst["forbidden"] > 0 and recorder.worst["recomputed"] > 0.1
    AttentionMaskInterface.register(probe.CAPTURE, probe.eager_mask)


def recorded(model):
    """Return the Recorder of one pass, whose tensors go nowhere."""
    class Nowhere:
        def add(self, *_):
            pass

        update = add

    options = probe.parse_arguments(["--device", "cpu"])
    options.layers, options.detail = [0, 1, 2], []
    recorder = probe.Recorder(Nowhere(), options, model.config, Nowhere())
    with torch.inference_mode():
        probe.full_pass(model, IDS, recorder)
    return recorder


def test_weights_that_no_softmax_gave_are_noticed(model, monkeypatch):
    own = probe.own_eager_attention

    def sharper(module, query, *inputs, **options):
        return own(module, query * 1.01, *inputs, **options)
    assert recorded(model).worst["recomputed"] < 1e-6
    monkeypatch.setattr(probe, "own_eager_attention", sharper)
    assert recorded(model).worst["recomputed"] > 1e-4


def test_rows_that_do_not_sum_to_one_are_noticed(model, monkeypatch):
    own = probe.own_eager_attention

    def less(*inputs, **options):
        mixed, weights = own(*inputs, **options)
        return mixed, weights * 0.999
    monkeypatch.setattr(probe, "own_eager_attention", less)
    assert recorded(model).worst["rows"] == pytest.approx(1e-3, rel=1e-3)


def test_an_update_that_is_not_added_is_noticed(model):
    assert recorded(model).worst["residual"] <= 1e-6
    layer = probe.decoder_layers(model)[1]
    own = layer.forward
    layer.forward = lambda *inputs, **options: own(*inputs, **options) * 1.01
    assert recorded(model).worst["residual"] == pytest.approx(0.01, rel=0.1)


def test_the_cache_is_found_under_the_name_that_the_model_uses(model):
    name = probe.cache_name(model)
    with torch.inference_mode():
        logits = model(IDS).logits[0]
    worst, losses, cache = probe.compare_in_chunks(model, IDS, [3, 1, 3], logits)
    assert worst < 2e-5 and max(losses) < 2e-5 and cache.get_seq_length() == 7
    assert name in ("cache", "past_key_values")


def test_a_cache_that_is_not_passed_on_is_noticed(model, monkeypatch):
    class Forgetful(dict):
        """An output whose cache is found, under a name that the model does not take."""

    own = model.forward
    name = probe.cache_name(model)
    monkeypatch.setattr(probe, "cache_name", lambda _: "kv_cache")

    def forward(input_ids, use_cache, kv_cache=None):
        output = own(input_ids, use_cache=use_cache)
        forgetful = Forgetful(kv_cache=output[name])
        forgetful.logits = output.logits
        return forgetful
    monkeypatch.setattr(model, "forward", forward)
    with pytest.raises(RuntimeError, match="holds 1 tokens after 4"):
        probe.compare_in_chunks(model, IDS, [3, 1, 3], torch.zeros(7, 290))


def test_logits_that_are_not_finite_are_refused(model):
    with torch.inference_mode():
        logits = model(IDS).logits[0]
    model.get_output_embeddings().weight.data[0] = torch.nan
    with pytest.raises(ValueError, match="logits are not finite"):
        probe.compare_in_chunks(model, IDS, [7], logits)


def test_chunks_that_disagree_are_noticed(model):
    with torch.inference_mode():
        logits = model(IDS).logits[0].flip(-1)
    worst, losses, _ = probe.compare_in_chunks(model, IDS, [7], logits)
    assert worst > 0.1 and max(losses) > 0.1


def test_a_failed_check_is_status_1_and_is_in_the_trace(folder_of, record, monkeypatch):
    monkeypatch.setitem(probe.LIMITS, "cached", (0, 0, 0))
    status, trace, _ = record("--device", "cpu", "--model", folder_of("llama"),
                              "--prompt", "abcdefgh")
    assert status == 1
    failed = [check["id"] for check in trace["checks"] if not check["passed"]]
    assert failed == ["cached"]


def test_only_one_layer_is_held(model):
    weights, held = [], []

    def keep(_, name, value):
        if name == "weights":
            weights.append(weakref.ref(value))
            held.append(sum(reference() is not None for reference in weights))
    with torch.inference_mode(), probe.Capture(model, keep):
        model(IDS)
    assert held == [1, 1, 1]


def test_a_model_without_the_interface_gives_out_its_own_weights(model, monkeypatch):
    monkeypatch.setattr(type(model), "set_attn_implementation", lambda *_: None)
    recorder = recorded(model)
    assert recorder.source == "output_attentions"
    assert recorder.worst["forbidden"] == 0 and "recomputed" not in recorder.worst


def test_two_recordings_are_the_same_but_for_the_memory_they_took(folder_of, record):
    def run():
        trace = record("--device", "cpu", "--model", folder_of("qwen3"),
                       "--prompt", "abc")[1]
        trace["environment"]["device"].pop("peak_bytes")
        return json.dumps(trace)
    assert run() == run()


def test_a_trace_names_no_folder(folder_of, record):
    _, trace, _ = record("--device", "cpu", "--model", folder_of("llama"),
                         "--prompt", "abc")
    assert str(folder_of("llama").parent) not in json.dumps(trace)
