"""tiny_llama.py calculates what transformers calculates, layer by layer."""

import numpy as np
import pytest

from tests.probe.scripts import comparison, probe
from tests.probe.small_models import byte_tokenizer, small_config, small_model

pytestmark = pytest.mark.torch
IDS = [[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5, 8, 9, 7]]
SIZES = {
    "all sizes differ": {},
    "one head per key": {"num_key_value_heads": 6},
    "one key for all": {"num_key_value_heads": 1, "head_dim": 14},
    "a tied head": {"tie_word_embeddings": True, "num_hidden_layers": 5},
    "narrow": {"hidden_size": 6, "head_dim": 2, "intermediate_size": 5},
}


def small_llama(changes):
    """Return (model, its weights as a checkpoint has them)."""
    model = small_model(small_config("llama", **changes))
    return model, {name: tensor.clone() for name, tensor in model.state_dict().items()}


@pytest.mark.parametrize("dtype", comparison.LIMITS)
@pytest.mark.parametrize("sizes", SIZES)
def test_every_tensor_agrees(sizes, dtype):
    model, state = small_llama(SIZES[sizes])
    worst, _ = comparison.compare(model, state, IDS, dtype)
    assert len(worst) == 20
    assert max(worst.values())[0] <= comparison.LIMITS[dtype]


def test_the_continuation_agrees():
    model, state = small_llama({})
    _, (ours, theirs) = comparison.compare(model, state, IDS[:1], "float32", count=12)
    assert ours == theirs and len(ours) == 12


def test_transformers_is_as_it_was_afterwards():
    model, state = small_llama({})
    before = comparison.transformers_tensors(model, IDS)
    comparison.compare(model, state, IDS, "float64")
    after = comparison.transformers_tensors(model.float(), IDS)
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("name", ["layers.1.wq", "layers.2.mlp_norm", "final_norm"])
def test_a_wrong_weight_is_noticed(name, monkeypatch):
    model, state = small_llama({})
    read = comparison.numpy_weights

    def spoiled(state, config):
        weights = read(state, config)
        weights[name] = weights[name][..., ::-1]
        return weights
    monkeypatch.setattr(comparison, "numpy_weights", spoiled)
    worst, _ = comparison.compare(model, state, IDS, "float32")
    assert max(worst.values())[0] > 0.01


def test_what_numpy_does_not_calculate_is_refused():
    config = comparison.numpy_config(small_config("qwen2"))
    state = small_model(small_config("qwen2")).state_dict()
    with pytest.raises(ValueError, match=r"no use for .*proj\.bias"):
        comparison.numpy_weights(state, config)
    with pytest.raises(ValueError, match="hidden_act gelu"):
        comparison.numpy_config(small_config("gemma"))
    del state["model.norm.weight"]
    with pytest.raises(ValueError, match=r"has no model\.norm"):
        comparison.numpy_weights(state, config)


def test_the_command_compares_a_saved_checkpoint(tmp_path, capsys):
    model, _ = small_llama({})
    model.save_pretrained(tmp_path)
    byte_tokenizer().save_pretrained(tmp_path)
    status = comparison.main(["--model", str(tmp_path), "--prompt", "abcdef",
                              "--count", "4"])
    printed = capsys.readouterr().out
    assert status == 0 and "4 of 4 tokens agree" in printed
    assert printed.count("pass ") == 20


def test_matrices_are_turned_and_gains_are_not():
    model, state = small_llama({})
    weights = comparison.numpy_weights(state, comparison.numpy_config(model.config))
    assert {name: array.shape for name, array in weights.items()} == (
        comparison.llama.parameter_shapes(comparison.numpy_config(model.config)))
    assert np.array_equal(weights["layers.0.w_up"],
                          state["model.layers.0.mlp.up_proj.weight"].numpy().T)
    assert probe.rope_of(model.config)["rope_theta"] == 500.0
