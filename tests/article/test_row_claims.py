"""Each number of the article's experiments on single rows, computed a second time."""

import json
import math
from itertools import product

import numpy as np
import pytest

SCORES = np.random.default_rng(11).normal(0, 2, (2, 3, 5, 7))


def loop_softmax(numbers):
    powers = [math.exp(number) for number in numbers]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("batch, length, heads, head_dim",
                         [(1, 6, 4, 8), (2, 5, 3, 4), (1, 7, 2, 6), (2, 4, 1, 8)])
def test_a_direct_reshape_misplaces_what_index_arithmetic_says(
        row_experiments, batch, length, heads, head_dim):
    flat = np.zeros((batch, length, heads * head_dim))
    moved, filled = 0, set()
    for b, h, t, c in np.ndindex(batch, heads, length, head_dim):
        right = ((b * length + t) * heads + h) * head_dim + c
        place = ((b * heads + h) * length + t) * head_dim + c
        moved += right != place
        if b == h == 0:
            filled.add(place // (heads * head_dim) % length)
    assert row_experiments.direct_reshape(flat, heads) == (
        pytest.approx(moved / flat.size), len(filled))


@pytest.mark.parametrize("head_dim, num_keys", [(4, 16), (9, 5), (64, 16), (512, 16)])
def test_undivided_scores_spread_with_the_root_of_the_head_size(
        row_experiments, head_dim, num_keys):
    spread, undivided, divided = row_experiments.score_spread(
        head_dim, num_keys, 500, 3)
    rng = np.random.default_rng(3)
    q, k = rng.normal(size=(500, head_dim)), rng.normal(size=(500, num_keys, head_dim))
    scores = np.array([k[n] @ q[n] for n in range(500)])
    assert spread == pytest.approx(np.sqrt(np.mean((scores - scores.mean()) ** 2)))
    assert spread == pytest.approx(head_dim ** 0.5, rel=0.05)
    for found, scale in ((undivided, 1.0), (divided, 1 / math.sqrt(head_dim))):
        largest = [max(loop_softmax(row * scale)) for row in scores]
        assert found == pytest.approx(sum(largest) / len(largest))
    assert undivided > divided


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_softmax_along_an_axis_sums_to_one_only_along_it(row_experiments, axis):
    weights = np.empty_like(SCORES)
    others = [n for n in range(4) if n != axis]
    for index in np.ndindex(*(SCORES.shape[n] for n in others)):
        line = [slice(None)] * 4
        for n, i in zip(others, index, strict=True):
            line[n] = i
        weights[tuple(line)] = loop_softmax(SCORES[tuple(line)])
    sums = [sum(weights[index]) for index in np.ndindex(SCORES.shape[:3])]
    found = row_experiments.softmax_along(SCORES, axis)
    assert found == pytest.approx((min(sums), max(sums)))
    along_the_keys = found == pytest.approx((1, 1))
    assert along_the_keys == (axis == 3)


def test_softmax_over_an_axis_of_length_one_makes_every_weight_one(row_experiments):
    assert row_experiments.softmax_along(SCORES[:1], 0) == (7.0, 7.0)


@pytest.mark.parametrize("query", [0, 2, 4])
def test_four_masks_as_scalars(row_experiments, query):
    scores = SCORES[1, 2]
    row, seen = [math.exp(s) for s in scores[query]], query + 1
    whole, permitted = sum(row), sum(row[:seen])
    (before, after, renormalized, zeros, difference,
     large_difference) = row_experiments.four_masks(scores, query)
    assert before == pytest.approx(1) and renormalized == pytest.approx(1)
    assert after == pytest.approx(permitted / whole)
    assert zeros == pytest.approx(permitted / (permitted + len(row) - seen))
    assert difference < 1e-15 and large_difference == 0.0
    assert after < 0.99 and zeros < 0.99


def test_the_last_row_is_indifferent_to_how_it_is_masked(row_experiments):
    square = SCORES[0, 0, :, :5]
    assert row_experiments.four_masks(square, 4)[:4] == pytest.approx([1, 1, 1, 1])


@pytest.mark.parametrize("row, rate", [
    ([0.02, 0.92, 0.06], 0.1), ([0.25] * 4, 0.5), ([1.0], 0.2),
    ([0.1, 0.2, 0.3, 0.4], 0.3)])
def test_dropout_as_an_average_over_all_outcomes(row_experiments, row, rate):
    mean = square = 0.0
    for outcome in product((0, 1), repeat=len(row)):
        chance = math.prod(1 - rate if kept else rate for kept in outcome)
        total = sum(w * kept / (1 - rate) for w, kept in zip(row, outcome, strict=True))
        mean, square = mean + chance * total, square + chance * total ** 2
    deviation = (square - mean ** 2) ** 0.5
    draws = 20000
    found_mean, found_deviation, formula, largest = row_experiments.drop_weights(
        np.array(row), rate, draws, seed=5)
    assert mean == pytest.approx(1)
    assert formula == pytest.approx(deviation)
    assert found_mean == pytest.approx(1, abs=5 * deviation / draws ** 0.5)
    assert found_deviation == pytest.approx(deviation, rel=0.05)
    assert largest == pytest.approx(max(row) / (1 - rate))


@pytest.mark.parametrize("logits", [[0.1, 2.0, -1.0], [3.0, 0.0, 0.0, 2.9, 1.0]])
def test_choosing_a_token_is_not_the_distribution(row_experiments, logits):
    probabilities = loop_softmax(logits)
    greedy, probability, share = row_experiments.choose_next_token(
        np.array(probabilities), 20000, seed=1)
    best = max(probabilities)
    assert (greedy, probability) == (probabilities.index(best), pytest.approx(best))
    assert share == pytest.approx(best, abs=5 * (best * (1 - best) / 20000) ** 0.5)


@pytest.fixture(scope="module")
def trace(reader_folder):
    return json.loads((reader_folder / "trace.json").read_text("utf-8"))


def test_published_row_is_the_recorded_one(row_experiments, trace):
    def cell(name, *index):
        entry = trace["tensors"][f"layers.0.{name}"]
        flat = int(np.ravel_multi_index(index, entry["shape"]))
        return entry["values"][flat]

    products = [cell("weights", 0, 0, 2, s) * cell("v", 0, 0, s, 0) for s in range(3)]
    assert [row_experiments.row_product_0, row_experiments.row_product_1,
            row_experiments.row_product_2] == products
    assert sum(products) == pytest.approx(cell("heads", 0, 0, 2, 0), abs=3e-6)
    assert row_experiments.row_sum == pytest.approx(1, abs=2e-6)
    assert row_experiments.leaked_share + row_experiments.zeros_sum == pytest.approx(1)


def test_every_matrix_has_the_mean_that_its_rows_give_it(row_experiments, trace):
    for layer in range(trace["model"]["num_hidden_layers"]):
        weights = trace["tensors"][f"layers.{layer}.weights"]["values"]
        assert sum(weights) / len(weights) == pytest.approx(1 / 6, abs=1e-6)
    assert row_experiments.mean_weight == pytest.approx(1 / 6, abs=1e-6)


def test_a_divisor_of_the_hidden_size_shrinks_scores(row_experiments, trace):
    sizes = trace["model"]
    score = 5.0 / math.sqrt(sizes["hidden_size"])
    assert row_experiments.wrong_divisor_ratio == pytest.approx(
        score / (5.0 / math.sqrt(sizes["head_dim"])))


def test_greedy_token_is_the_largest_recorded_probability(row_experiments, trace):
    recorded = trace["tensors"]["next_token_probs"]["values"]
    assert recorded[row_experiments.greedy_id] == max(recorded)
    label = trace["vocabulary"][row_experiments.greedy_id]
    assert row_experiments.greedy_label == label
