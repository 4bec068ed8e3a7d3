"""The bench of the probe measures passes that do what they are said to do."""

import sys

import pytest
import torch

from bench import captures
from tests.probe.small_models import small_config, small_model

pytestmark = pytest.mark.torch
OURS = [way for way in captures.WAYS if way not in ("transformer_lens", "nnsight")]
HELD_BYTES = 64 * 2**20


@pytest.fixture
def model():
    """A small random Llama."""
    return small_model(small_config("llama"))


@pytest.mark.parametrize("way", OURS)
def test_a_way_gives_out_the_weights_of_every_layer(way, model):
    with torch.inference_mode():
        run = captures.prepare(way, model)
        found = run(captures.token_ids(model, 12))
    assert found == (0 if way == "bare" else model.config.num_hidden_layers)


def test_a_way_that_gives_out_less_is_not_measured(model, monkeypatch):
    monkeypatch.setitem(captures.WAYS, "capture", lambda _: lambda ids: 2)
    with pytest.raises(ValueError, match="capture gave out the weights of 2 of 3"):
        captures.prepare("capture", model)


def test_the_model_has_the_sizes_of_the_recorded_one(monkeypatch):
    made = []
    monkeypatch.setattr(captures, "LlamaForCausalLM", lambda config: made.append(
        config) or torch.nn.Identity())
    captures.random_model()
    config, = made
    assert (config.num_hidden_layers, config.num_attention_heads) == (30, 9)
    assert (config.num_key_value_heads, config.head_dim) == (3, 64)
    assert config._attn_implementation == "eager"


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from proc(5)")
def test_what_a_pass_holds_for_a_moment_is_in_its_peak(model, monkeypatch):
    def holds(_):
        def run(ids):
            held = torch.ones(HELD_BYTES // 4) if ids.shape[1] == 12 else None
            del held
            return model.config.num_hidden_layers
        return run
    monkeypatch.setattr(captures, "random_model", lambda: model)
    monkeypatch.setitem(captures.WAYS, "capture", holds)
    added = captures.measure_memory("capture", [12, 13])
    # The system counts what a process holds to within some pages.
    assert 0.98 * HELD_BYTES < added[12] < 1.2 * HELD_BYTES
    assert added[13] < 0.2 * HELD_BYTES, "the peak of the pass before is forgotten"
