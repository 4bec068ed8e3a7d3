"""What holds for every decoder of this kind, whatever its weights."""

import math
from itertools import combinations

import numpy as np
import pytest

IDS = [[1, 2, 3, 1, 4, 5], [9, 8, 7, 6, 5, 0], [3, 3, 3, 3, 3, 3]]
T = 6
CHUNKINGS = [np.diff([0, *cuts, T]).tolist() for count in range(T)
             for cuts in combinations(range(1, T), count)]


@pytest.fixture(scope="module", params=["float64", "float32"])
def model(request, llama):
    """Sizes that all differ, in both dtypes."""
    config = llama.Config(
        hidden_size=20, intermediate_size=28, num_hidden_layers=3, head_dim=10,
        num_attention_heads=8, num_key_value_heads=2, vocab_size=13,
        tie_word_embeddings=False)
    return llama.TinyLlama(config, llama.draw_weights(config, 11), request.param)


@pytest.fixture(scope="module")
def made(model, llama):
    return llama.record_tensors(model, IDS)


def near(model):
    """Return how far numbers of order one may lie apart in this dtype."""
    return {"float64": 1e-12, "float32": 1e-5}[model.dtype.name]


def test_the_default_sizes_are_the_articles(llama):
    assert llama.Config() == llama.Config(
        hidden_size=32, intermediate_size=96, num_hidden_layers=2, head_dim=8,
        num_attention_heads=4, num_key_value_heads=2, vocab_size=32,
        rope_theta=10000.0, rms_norm_eps=1e-6, tie_word_embeddings=True)


def test_six_tokens_are_shown_of_which_one_is_repeated(llama):
    ids = llama.numbers(llama.TOKENS)
    assert len(ids) == 6 and len(set(ids)) == 5
    assert len(set(llama.LABELS)) == llama.Config().vocab_size


def test_weights_have_the_standard_deviation_of_their_fan_in(llama):
    config = llama.Config(hidden_size=300, intermediate_size=500, head_dim=40)
    for name, weight in llama.draw_weights(config, 0).items():
        if weight.ndim == 2:
            fan_in = 300 if name == "embedding" else weight.shape[0]
            assert abs(weight.std() * math.sqrt(fan_in) - 1) < 0.02, name


def test_gains_lie_around_one_and_differ_from_it_and_each_other(llama):
    gains = [weight for name, weight in llama.draw_weights(llama.Config(), 7).items()
             if name.endswith("norm")]
    assert len(gains) == 5
    for gain in gains:
        assert 0.5 < gain.min() < 0.95 and 1.05 < gain.max() < 1.5
    assert len({gain.tobytes() for gain in gains}) == 5


def test_weights_depend_on_the_seed_alone(llama):
    np.random.seed(1)
    first = llama.draw_weights(llama.Config(), 7)
    np.random.seed(2)
    again = llama.draw_weights(llama.Config(), 7)
    other = llama.draw_weights(llama.Config(), 8)
    assert all(first[name].dtype == np.float32 for name in first)
    assert all((first[name] == again[name]).all() for name in first)
    assert all((first[name] != other[name]).any() for name in first)


@pytest.mark.parametrize("sizes", CHUNKINGS, ids=str)
def test_every_chunking_of_six_tokens_gives_the_logits_of_one_call(model, llama, sizes):
    ids, cache, parts, start = np.array(IDS), llama.Cache(model, 3, T), [], 0
    for size in sizes:
        parts.append(model(ids[:, start:start + size], cache))
        start += size
    np.testing.assert_allclose(np.concatenate(parts, axis=1), model(IDS), rtol=0,
                               atol=near(model))


def test_the_cache_is_made_once_and_read_as_views(model, llama):
    cache = llama.Cache(model, 3, T)
    keys, values = cache.keys, cache.values
    model(np.array(IDS)[:, :2], cache)
    assert cache.keys is keys and cache.values is values and cache.length == 2
    new = np.ones((3, 2, 1, 10), model.dtype)
    for view, whole in zip(cache.write(1, new, new), (keys, values), strict=True):
        assert view.shape == (3, 2, 3, 10) and np.shares_memory(view, whole)


def test_a_full_cache_refuses_and_stays_as_it_was(model, llama):
    cache = llama.Cache(model, 3, 4)
    model(np.array(IDS)[:, :3], cache)
    before = cache.keys.copy()
    with pytest.raises(ValueError, match=r"3 x 2 tokens after 3 do not fit .* 3 x 4"):
        model(np.array(IDS)[:, 3:5], cache)
    assert cache.length == 3 and (cache.keys == before).all()


def test_one_sequence_is_not_repeated_into_a_cache_for_three(model, llama):
    with pytest.raises(ValueError, match=r"1 x 6 tokens after 0 do not fit .* 3 x 6"):
        model(IDS[:1], llama.Cache(model, 3, T))


def test_the_payload_counts_the_filled_positions(model, llama):
    cache, sizes = llama.Cache(model, 3, 50), []
    for position in range(2):
        model(np.array(IDS)[:, position:position + 1], cache)
        sizes.append(cache.payload_bytes())
    per_token = 2 * 3 * 2 * 10 * model.dtype.itemsize
    assert sizes == [3 * per_token, 6 * per_token]


@pytest.mark.parametrize("wrong", [13, -1, 10**20])
def test_a_token_outside_the_vocabulary_is_refused(model, wrong):
    with pytest.raises(ValueError, match=rf"token {wrong} is outside 0\.\.12"):
        model([[1, wrong]])


@pytest.mark.parametrize("wrong", [[[]], [[1.0]], [[1.5, 2.0]], [1, 2]])
def test_what_is_no_batch_of_integers_is_refused(model, wrong):
    with pytest.raises(ValueError):
        model(wrong)


def test_recording_changes_nothing(model, made):
    assert (model(IDS) == made["logits"]).all()


def test_every_tensor_keeps_the_dtype_and_the_batch_axis(model, made):
    assert {tensor.dtype for tensor in made.values()} == {model.dtype}
    assert {tensor.shape[0] for tensor in made.values()} == {3}


def test_pairs_are_first_half_with_second_half(llama):
    cos, sin = np.full((1, 4), 0.6), np.full((1, 4), 0.8)
    turned = llama.rotate(np.eye(8)[:, None, None], cos, sin)[:, 0, 0]
    expected = 0.6 * np.eye(8)
    for channel in range(4):
        expected[channel, channel + 4], expected[channel + 4, channel] = 0.8, -0.8
    assert (turned == expected).all()


def test_pair_zero_turns_by_one_radian_and_each_later_pair_by_less(llama):
    angles = llama.rotary_angles(np.arange(5), 8, 10000.0)
    np.testing.assert_allclose(angles[3], [3, 0.3, 0.03, 0.003], rtol=1e-15)


def test_rotation_turns_every_pair_and_keeps_its_length(made):
    for name in "qk":
        before, after = (made[f"layers.1.{n}"].reshape(3, -1, T, 2, 5)
                         for n in (name, f"{name}_rotated"))
        assert (np.abs(before - after)[:, :, 1:].max(axis=(0, 1, 2, 3)) > 1e-4).all()
        np.testing.assert_allclose(np.hypot(before[..., 0, :], before[..., 1, :]),
                                   np.hypot(after[..., 0, :], after[..., 1, :]),
                                   rtol=1e-5)


def test_far_positions_lose_nothing_to_float32(model, llama):
    far = llama.record_tensors(model, IDS, llama.Cache(model, 3, T, 1_000_000))
    near_by = llama.record_tensors(model, IDS)
    assert np.abs(far["layers.0.q_rotated"] - near_by["layers.0.q_rotated"]).max() > 0.1
    np.testing.assert_allclose(far["logits"], near_by["logits"], rtol=0,
                               atol=1e-8 if model.dtype == "float64" else 1e-5)


def test_attention_output_is_the_sum_of_what_each_head_writes(model, made):
    blocks = model.weights["layers.2.wo"].reshape(8, 10, 20)
    written = sum(made["layers.2.heads"][:, head] @ blocks[head] for head in range(8))
    np.testing.assert_allclose(written, made["layers.2.attn_out"], atol=near(model))


def test_updates_add_up_to_the_last_state(model, made):
    state = made["embedding"]
    for layer in range(3):
        state = state + made[f"layers.{layer}.attn_out"]
        state = state + made[f"layers.{layer}.mlp_out"]
    np.testing.assert_allclose(state, made["layers.2.resid_out"], atol=near(model))


def test_normalized_states_have_a_root_mean_square_of_one_before_the_gain(model, made):
    plain = made["layers.1.attn_norm"] / model.weights["layers.1.attn_norm"]
    np.testing.assert_allclose(np.sqrt((plain ** 2).mean(-1)), 1, atol=1e-4)


def test_a_repeated_token_starts_equal_and_ends_different(made):
    assert (made["embedding"][0, 0] == made["embedding"][0, 3]).all()
    assert np.abs(made["logits"][0, 0] - made["logits"][0, 3]).max() > 0.1


def test_next_token_probabilities_are_the_last_positions(made):
    powers = np.exp(made["logits"][:, -1].astype(float))
    np.testing.assert_allclose(made["next_token_probs"],
                               powers / powers.sum(-1, keepdims=True), rtol=1e-5)


def test_large_scores_and_gates_neither_overflow_nor_warn(llama):
    weights = llama.softmax(np.array([[1000.0, 999.0, -np.inf], [-2000.0, 0.0, 1.0]]))
    assert np.isfinite(weights).all() and weights[0, 2] == 0
    gates = np.array([[[-1000.0, 1000.0]]])
    active = []
    llama.feed_forward(gates, {"w_gate": np.eye(2), "w_up": np.eye(2),
                               "w_down": np.eye(2)},
                       lambda name, value: active.append((name, value)) or value)
    assert (dict(active)["mlp_act"] == [[[0.0, 1e6]]]).all()


def test_query_heads_that_cannot_share_evenly_are_refused(llama):
    with pytest.raises(ValueError):
        llama.attention_weights(np.ones((1, 4, 2, 6)), np.ones((1, 3, 2, 6)),
                                np.tri(2, dtype=bool))
