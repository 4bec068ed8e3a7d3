"""The same random weights in Hugging Face's LlamaForCausalLM give the same numbers.

Run by `make test-torch`, which installs PyTorch and transformers; without them these
tests fail rather than pass by.
"""

import importlib

import numpy as np
import pytest

pytestmark = pytest.mark.torch

SIZES = {
    "article": {},
    "all different": {
        "hidden_size": 30, "intermediate_size": 44, "num_hidden_layers": 3,
        "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10,
        "vocab_size": 37, "rope_theta": 500.0, "rms_norm_eps": 1e-3,
        "tie_word_embeddings": False},
    "multi-query": {"num_key_value_heads": 1},
    "multi-head": {"num_key_value_heads": 4},
}
IDS = np.array([[1, 2, 3, 1, 4, 5, 9], [6, 5, 6, 7, 31, 0, 2]])
PLACES = {"wq": "self_attn.q_proj", "wk": "self_attn.k_proj", "wv": "self_attn.v_proj",
          "wo": "self_attn.o_proj", "w_gate": "mlp.gate_proj", "w_up": "mlp.up_proj",
          "w_down": "mlp.down_proj", "attn_norm": "input_layernorm",
          "mlp_norm": "post_attention_layernorm", "embedding": "embed_tokens",
          "final_norm": "norm"}


def their_name(name):
    """Return Hugging Face's name of one of our weights."""
    if name == "lm_head":
        return "lm_head.weight"
    *layer, short = name.split(".")
    return ".".join(["model", *layer, PLACES[short], "weight"])


@pytest.fixture(scope="module")
def torch():
    return importlib.import_module("torch")


@pytest.fixture(scope="module", params=SIZES)
def pair(request, llama, torch):
    """Our model and theirs, float64, with the same weights."""
    transformers = importlib.import_module("transformers")
    config = llama.Config(**SIZES[request.param])
    settings = {name: getattr(config, name) for name in config.__dataclass_fields__}
    theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        **settings, attn_implementation="eager", attention_bias=False, mlp_bias=False))
    weights = llama.draw_weights(config, 13)
    state = {their_name(name): torch.tensor(
        weight.T if weight.ndim == 2 and name != "embedding" else weight)
        for name, weight in weights.items()}
    if config.tie_word_embeddings:
        state["lm_head.weight"] = state["model.embed_tokens.weight"]
    theirs.load_state_dict(state, strict=True)
    return llama.TinyLlama(config, weights), theirs.double().eval()


def closeness(found, expected):
    """Return the largest difference over the largest expected size."""
    expected = expected.detach().numpy()
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / np.abs(expected).max()


# Their norms, angles and softmax pass through float32 even in a float64 model.
LIMIT = 1e-6


def test_logits_attention_weights_and_states_agree(pair, llama, torch):
    ours, theirs = pair
    with torch.no_grad():
        expected = theirs(torch.tensor(IDS), output_attentions=True,
                          output_hidden_states=True)
    made = llama.record_tensors(ours, IDS)
    assert closeness(made["logits"], expected.logits) < LIMIT
    for layer, weights in enumerate(expected.attentions):
        assert closeness(made[f"layers.{layer}.weights"], weights) < LIMIT
    states = [made["embedding"], *(made[f"layers.{layer}.resid_out"] for layer in
                                   range(ours.config.num_hidden_layers - 1)),
              made["final_norm"]]
    for found, state in zip(states, expected.hidden_states, strict=True):
        assert closeness(found, state) < LIMIT


def test_cached_steps_agree(pair, llama, torch):
    ours, theirs = pair
    cache, past = llama.Cache(ours, *IDS.shape), None
    for start, end in ((0, 3), (3, 4), (4, 7)):
        with torch.no_grad():
            step = theirs(torch.tensor(IDS[:, start:end]), past_key_values=past,
                          use_cache=True)
        past = step.past_key_values
        assert closeness(ours(IDS[:, start:end], cache), step.logits) < LIMIT
    for layer in range(ours.config.num_hidden_layers):
        assert closeness(cache.keys[layer], past.layers[layer].keys) < LIMIT
        assert closeness(cache.values[layer], past.layers[layer].values) < LIMIT


def test_neighbouring_pairs_would_not_agree(pair, llama, torch, monkeypatch):
    ours, theirs = pair

    def neighbours(heads, cos, sin):
        even, odd = heads[..., 0::2], heads[..., 1::2]
        return np.concatenate([even * cos - odd * sin, odd * cos + even * sin], axis=-1)

    monkeypatch.setitem(type(ours).__call__.__globals__, "rotate", neighbours)
    with torch.no_grad():
        expected = theirs(torch.tensor(IDS)).logits
    assert closeness(ours(IDS), expected) > 1e-3
