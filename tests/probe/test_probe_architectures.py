"""Random models of several architectures: what is recorded is what the model does."""

import json

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from sitegen.traces import parse_trace
from tests.probe.scripts import probe

pytestmark = pytest.mark.torch
PROMPT = "Zoë 🌊</script>"
ROTARY_MODELS = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "phi", "phi3")
DIFFERS = {
    "mistral": ["a query sees a sliding window of 5 positions"],
    "gemma2": ["scores are scaled by 0.377964 instead of 1/√d",
               "scores are soft-capped at 0.5",
               "a query sees a sliding window of 6 positions (layers 0, 2)"],
}


@pytest.fixture(scope="module", params=ROTARY_MODELS)
def recorded(request, folder_of, tmp_path_factory):
    """(name, folder, Trace as the generator reads it) of a small model."""
    folder = folder_of(request.param)
    path = tmp_path_factory.mktemp("traces") / "t.json"
    status = probe.main(["--device", "cpu", "--model", str(folder), "--prompt", PROMPT,
                         "--detail", "all", "--output", str(path)])
    trace, problems = parse_trace("t", "t.json", path.read_text("utf-8"))
    assert (status, problems) == (0, [])
    return request.param, folder, trace


def eager_outputs(folder, ids):
    """Return what transformers gives out itself, without the probe."""
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    with torch.inference_mode():
        return model(torch.tensor(ids), output_attentions=True,
                     output_hidden_states=True)


def test_weights_and_states_are_those_that_transformers_gives_out(recorded):
    _, folder, trace = recorded
    outputs = eager_outputs(folder, trace.data["input"]["token_ids"])
    for layer, weights in enumerate(outputs.attentions):
        assert np.array_equal(trace.tensor(f"layers.{layer}.weights"), weights.numpy())
    for layer, state in enumerate(outputs.hidden_states[1:-1]):
        assert np.array_equal(trace.tensor(f"layers.{layer}.resid_out"), state.numpy())
    assert np.array_equal(trace.tensor("embedding"), outputs.hidden_states[0].numpy())
    chances = torch.softmax(outputs.logits[:, -1], -1).numpy()
    assert np.allclose(trace.tensor("next_token_probs"), chances, rtol=1e-6)


def test_it_is_recorded_as_what_it_is(recorded):
    name, _, trace = recorded
    assert trace.data["model"]["differs"] == DIFFERS.get(name, [])
    assert trace.data["model"]["architecture"] == name
    assert trace.data["model"]["rope_pairing_seen"]


def test_q_and_k_are_recorded_before_and_after_rotation(recorded):
    _, _, trace = recorded
    for letter in "qk":
        plain = trace.tensor(f"layers.1.{letter}")
        turned = trace.tensor(f"layers.1.{letter}_rotated")
        assert np.array_equal(plain[:, :, 0], turned[:, :, 0])
        assert np.abs(plain - turned).max() > 0.1
        lengths = [np.linalg.norm(heads, axis=-1) for heads in (plain, turned)]
        assert np.allclose(*lengths, rtol=1e-5)


def test_every_check_was_made(recorded):
    ids = [check["id"] for check in recorded[2].data["checks"]]
    assert ids == list(probe.CLAIMS)


def test_heads_are_mixtures_and_value_norms_their_lengths(recorded):
    _, folder, trace = recorded
    model = AutoModelForCausalLM.from_pretrained(folder)
    attention = probe.decoder_layers(model)[1].self_attn
    output = probe.first_module(attention, ["o_proj", "dense"]).weight.detach().numpy()
    weights, v = trace.tensor("layers.1.weights"), trace.tensor("layers.1.v")
    v = v.repeat(weights.shape[1] // v.shape[1], axis=1)
    assert np.allclose(trace.tensor("layers.1.heads"), weights @ v, atol=1e-5)
    blocks = output.reshape(len(output), v.shape[1], -1)
    lengths = np.linalg.norm(np.einsum("bhsd,ohd->bhso", v, blocks), axis=-1)
    assert np.allclose(trace.tensor("layers.1.value_norms"), lengths, rtol=1e-4)


def test_the_cache_is_told_beside_its_formula(folder_of, record):
    _, trace, _ = record("--device", "cpu", "--model", folder_of("llama"),
                         "--prompt", "abcde", "--dtype", "bfloat16")
    cache = trace["cache"]
    assert cache["per_token_scalars"] == 2 * 3 * 2 * 10
    assert cache["per_token_bytes"] == 2 * cache["per_token_scalars"]
    assert cache["bytes"] == cache["bytes_by_formula"] == 5 * cache["per_token_bytes"]
    assert [layer["shape"] for layer in cache["layers"]] == [[1, 2, 5, 10]] * 3


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_two_byte_types_keep_their_limits(dtype, folder_of, record):
    status, trace, _ = record("--device", "cpu", "--model", folder_of("llama"),
                              "--prompt", PROMPT, "--dtype", dtype)
    assert status == 0
    assert {check["dtype"] for check in trace["checks"]} == {dtype}
    assert trace["model"]["dtype"] == dtype


def test_layers_and_heads_can_be_chosen(folder_of, record):
    common = ("--device", "cpu", "--model", folder_of("llama"), "--prompt", PROMPT)
    _, whole, _ = record(*common, "--detail", "all")
    status, some, _ = record(*common, "--layers", "0,2", "--heads", "1-2,5",
                             "--detail", "2", output="some.json")
    assert status == 0
    names = [name for name in some["tensors"] if name.endswith(".weights")]
    assert names == ["layers.0.weights", "layers.2.weights"]
    assert some["tensors"]["layers.2.weights"]["head_ids"] == [1, 2, 5]
    both = [parse_trace("t", "t", json.dumps(data))[0].tensor("layers.2.q")
            for data in (whole, some)]
    assert np.array_equal(both[0][:, [1, 2, 5]], both[1])
    assert "layers.0.q" not in some["tensors"]


@pytest.mark.parametrize("parts", [255, 4095, 65535])
def test_rows_of_parts_sum_to_one_and_err_by_less_than_a_part(parts, folder_of, record):
    common = ("--device", "cpu", "--model", folder_of("llama"), "--prompt", PROMPT)
    exact, rounded = (
        parse_trace("t", "t", json.dumps(record(*common, *more)[1]))[0]
        for more in ([], ["--encoding", f"parts-{parts}"]))
    for layer in range(3):
        weights, found = (trace.tensor(f"layers.{layer}.weights")
                          for trace in (exact, rounded))
        assert np.abs(found.sum(-1) - 1).max() < 1e-12
        assert 0 < np.abs(found - weights).max() < 1 / parts
        assert found[weights == 0].max() == 0


def test_a_chat_is_put_into_its_template(folder_of, record, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(folder_of("llama"))
    tokenizer.chat_template = "[{{ messages[0].content }}]"
    model = AutoModelForCausalLM.from_pretrained(folder_of("llama"))
    model.save_pretrained(tmp_path / "chat")
    tokenizer.save_pretrained(tmp_path / "chat")
    _, trace, _ = record("--device", "cpu", "--model", tmp_path / "chat", "--chat",
                         "--prompt", "hi")
    assert trace["input"]["text"] == "[hi]" and trace["input"]["prompt"] == "hi"
    assert trace["input"]["token_labels"] == [["[", "h", "i", "]"]]
