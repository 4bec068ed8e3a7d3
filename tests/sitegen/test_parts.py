"""Rows of attention as whole parts: their sum, their error, their bytes."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.parts import (
    decode_rows,
    encode_rows,
    pack_counts,
    unpack_counts,
    whole_parts,
)

CASES = json.loads((Path(__file__).parents[1] / "cases" / "parts.json").read_text())
PARTS = [255, 4095, 65535]


def causal_weights(length, heads=3, sharpness=4.0, seed=5):
    """Return [H, T, T] of float32, as a model in float32 has them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, sharpness, (heads, length, length))
    scores[0, :, 0] += 12        # a head that rests on the first position
    powers = np.tril(np.exp(scores - scores.max(-1, keepdims=True)))
    weights = powers / powers.sum(-1, keepdims=True)
    return weights.astype(np.float32).astype(float)


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("length", [1, 2, 7, 64])
def test_rows_sum_to_the_whole_and_no_weight_moves_by_a_part(parts, length):
    weights = causal_weights(length)
    counts = whole_parts(weights, parts)
    assert (counts.sum(-1, dtype=int) == parts).all()
    exact = weights / weights.sum(-1, keepdims=True)
    assert np.abs(counts / parts - exact).max() < 1 / parts
    assert not counts[weights == 0].any()


@given(st.lists(st.floats(0, 1), min_size=1).filter(lambda w: sum(w) > 0.1))
def test_any_row_keeps_its_sum_its_zeros_and_its_order(row):
    weights = np.array(row)
    counts = whole_parts(weights, 255).astype(int)
    assert counts.sum() == 255
    assert not counts[weights == 0].any()
    order = np.argsort(weights, kind="stable")
    assert (np.diff(counts[order]) >= -1).all(), "at most the remainders' one apart"


def test_equal_weights_share_the_remainder_from_the_left():
    assert whole_parts(np.ones(4) / 4, 255).tolist() == [64, 64, 64, 63]


@pytest.mark.parametrize("parts", PARTS)
def test_what_was_encoded_comes_back(parts):
    weights = causal_weights(33)[None]
    allowed = np.tril(np.ones((33, 33), bool))
    text = encode_rows(weights, allowed, parts)
    found = decode_rows(text, allowed, weights.shape)
    assert (found == whole_parts(weights, parts)).all()


def test_forbidden_is_known_by_position_and_not_by_the_value_zero():
    weights = np.array([[[1.0, 0.0], [1.0, 0.0]]])
    allowed = np.array([[True, False], [True, True]])
    text = encode_rows(weights, allowed, 255)
    assert decode_rows(text, allowed, (1, 2, 2)).tolist() == [[[255, 0], [255, 0]]]
    with pytest.raises(ValueError, match="3 counts, expected 4"):
        decode_rows(text, np.ones((2, 2), bool), (1, 2, 2))


@pytest.mark.parametrize("parts", [0, 254, 65536])
def test_a_number_of_parts_that_has_no_bytes_is_refused(parts):
    with pytest.raises(ValueError, match="expected 255 to 65535"):
        whole_parts(np.ones(2) / 2, parts)


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: str(case["parts"]))
def test_the_bytes_are_those_that_the_page_s_script_reads(case):
    forbidden = np.array(CASES["forbidden"], bool)
    counts = np.array(case["counts"]).reshape(case["heads"], -1)
    assert (counts.reshape(-1, 3).sum(-1) == case["parts"]).all()
    allowed = counts[:, ~forbidden].ravel().astype(np.uint16)
    assert pack_counts(allowed).hex() == case["bytes"]
    assert (unpack_counts(bytes.fromhex(case["bytes"])) == allowed).all()


def test_large_counts_cost_three_bytes_and_small_ones_one():
    assert len(pack_counts(np.array([0, 254], np.uint16))) == 2
    assert len(pack_counts(np.array([255, 4095], np.uint16))) == 6
