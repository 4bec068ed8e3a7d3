"""The numbers that tell heads apart, on heads whose numbers are known."""

import numpy as np
import pytest

from sitegen.head_statistics import head_statistics, repetition, strongest_head
from sitegen.recorded import contributions, model_title
from tests.pretrained_trace import packed, parsed, pretrained_trace, put_weights

T = 40


def by_name(statistics):
    return {statistic.name: statistic for statistic in statistics}


def heads_of(kinds, length=T):
    """Return [H, T, T]: heads that rest on position 0, read themselves, the position
    before, everything evenly, or what followed the same token `n` positions earlier."""
    rows = np.arange(length)
    heads = np.zeros((len(kinds), length, length))
    for head, kind in zip(heads, kinds, strict=True):
        if kind == "uniform":
            head[:] = np.tril(np.ones((length, length))) / (rows[:, None] + 1)
        else:
            target = {"first": rows * 0, "self": rows,
                      "previous": np.maximum(rows - 1, 0)}.get(kind)
            if target is None:
                target = np.maximum(rows - kind + 1, 0)
            head[rows, target] = 1
    return heads


@pytest.fixture
def known():
    """A trace of five layers, each with the same six heads of known kinds."""
    data = pretrained_trace(T)
    for layer in range(5):
        put_weights(data, layer, heads_of(
            ["first", "self", "previous", "uniform", "first", "self"]))
    return data


def test_heads_of_known_kinds_have_the_numbers_of_their_kind(known):
    found = by_name(head_statistics(parsed(known)))
    first, own, before, even = 0, 1, 2, 3
    assert found["first"].values.shape == (5, 6)
    assert (found["first"].values[:, first] == 1).all()
    assert (found["self"].values[:, own] == 1).all()
    assert (found["previous"].values[:, before] == 1).all()
    assert np.allclose(found["entropy"].values[:, [first, own, before]], 0)
    for name in ("first", "self", "previous", "entropy"):
        assert np.allclose(found[name].values[:, even], found[name].uniform), name


def test_uniform_attention_puts_the_mean_of_the_reciprocals_on_position_0(known):
    found = by_name(head_statistics(parsed(known)))
    harmonic = sum(1 / row for row in range(1, T + 1)) / T
    assert found["first"].uniform == pytest.approx(harmonic)
    assert found["self"].uniform == pytest.approx(harmonic)
    bits = sum(np.log2(row) for row in range(1, T + 1)) / T
    assert found["entropy"].uniform == pytest.approx(bits)


def test_a_contribution_is_a_weight_times_the_length_of_its_value(known):
    lengths = np.ones((1, 6, T))
    lengths[..., 0] = 0.25
    known["tensors"]["layers.2.value_norms"] = packed(
        lengths, ["batch", "head", "position"], "activation")
    trace = parsed(known)
    rows = contributions(trace, "layers.2")[0]
    assert np.allclose(rows.sum(-1), 1)
    share = 0.25 / (0.25 + np.arange(T))
    assert np.allclose(rows[3, :, 0], share), "of the uniform head"
    found = by_name(head_statistics(trace))
    assert found["first_contribution"].values[2, 3] == pytest.approx(share.mean())


def test_without_lengths_there_are_no_contributions(known):
    for layer in range(5):
        del known["tensors"][f"layers.{layer}.value_norms"]
    assert "first_contribution" not in by_name(head_statistics(parsed(known)))


def test_an_induction_head_reads_what_followed_the_same_token():
    ids = [7, *range(10, 28), *range(10, 28), 9]
    data = pretrained_trace(len(ids), token_ids=ids)
    data["model"]["vocab_size"] = 99
    kinds = [18, 17, "previous", "uniform", "first", "self"]
    for layer in range(5):
        put_weights(data, layer, heads_of(kinds, len(ids)))
    found = by_name(head_statistics(parsed(data), parsed(data)))["induction"]
    assert (found.values[:, 0] == 1).all()
    assert (found.values[:, 1:3] == 0).all()
    assert np.allclose(found.values[:, 3], found.uniform)


@pytest.mark.parametrize(("ids", "found"), [
    ([1, 2, 3, 4, 5, 6, 7, 8], None),
    ([1, 2, 3, 1, 2, 3], None),
    ([5, 5, 5, 5, 5, 5, 5], (0, 2, 5)),
    ([1, 2, 3, 4, 1, 2, 3, 4], (0, 4, 4)),
    ([9, 1, 2, 3, 4, 8, 1, 2, 3, 4, 7], (1, 5, 4)),
    ([1, 2, 3, 4, 1, 2, 3, 4, 1, 2], (0, 4, 6)),
])
def test_a_repeat_is_found_with_its_start_period_and_length(ids, found):
    assert repetition(ids) == found


@pytest.mark.parametrize(("weights", "title"), [
    ("Q4_1 dequantised to float32", "M, 4-bit weights dequantised to float32"),
    ("IQ3_M dequantised to float32", "M, 3-bit weights dequantised to float32"),
    ("float32", "M"), ("BF16 dequantised to float32", "M"),
])
def test_a_quantised_model_is_called_what_it_is(weights, title):
    model = {"name": "M", "dtype": "float32", "weights": weights}
    assert model_title(model) == title


@pytest.mark.parametrize(("name", "head"), [("first", 0), ("self", 2), ("previous", 1)])
def test_the_strongest_head_of_each_kind_is_found(name, head):
    data = pretrained_trace(T)
    for layer in range(5):
        kinds = ["uniform"] * 6 if layer != 3 else [
            "first", "previous", "self", "uniform", "uniform", "uniform"]
        put_weights(data, layer, heads_of(kinds))
    assert strongest_head(parsed(data), name) == (3, head)


def test_a_prompt_that_does_not_repeat_itself_has_no_induction_head():
    data = pretrained_trace(T)
    ids = np.random.default_rng(1).permutation(32)
    data["input"]["token_ids"] = [[*map(int, ids), *map(int, ids[: -(T - 31) : -1])]]
    assert strongest_head(parsed(data), "induction") is None
