"""The numbers of "Inside attention" that need no model, only its recording.

    python experiments_on_rows.py

Each function asks one question of an array or a row, changes one thing, and returns
what that did; the names at the end are the ones that the article prints.  It
reads trace.json and needs NumPy alone.  The recorded weights come from a model with
random parameters: the numbers show arithmetic and say nothing about language.

Axes: T queries, S keys.
"""

import json
from pathlib import Path

import numpy as np


def read_tensor(trace, name):
    """Return one tensor of a trace in the shape that it was recorded with."""
    entry = trace["tensors"][name]
    return np.array(entry["values"], float).reshape(entry["shape"])


def softmax(scores):
    """Return positive numbers that sum to one along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def direct_reshape(flat, num_heads):
    """Why reshape and transpose? [B, T, H*dh] is reshaped to [B, H, T, dh] at once; the
    share of numbers that land elsewhere, and how many positions fill "head 0"."""
    batch, length, channels = flat.shape
    head_dim = channels // num_heads
    wrong_shape = (batch, num_heads, length, head_dim)
    place = np.arange(flat.size).reshape(flat.shape)
    split = place.reshape(batch, length, num_heads, head_dim).swapaxes(1, 2)
    moved = place.reshape(wrong_shape) != split
    position = np.broadcast_to(np.arange(length)[:, None], flat.shape)
    return float(moved.mean()), len(np.unique(position.reshape(wrong_shape)[0, 0]))


def score_spread(head_dim, num_keys, draws, seed):
    """Why divide by sqrt(head_dim)? Random q and k of unit variance, of one head size;
    the standard deviation of q·k, and the mean of the largest of num_keys weights
    without the division and with it."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(draws, 1, head_dim))
    k = rng.normal(size=(draws, num_keys, head_dim))
    scores = (q * k).sum(axis=-1)                                    # [draws, S]
    largest = [float(softmax(scores * scale).max(axis=-1).mean())
               for scale in (1.0, head_dim ** -0.5)]
    return [float(scores.std()), *largest]


def softmax_along(scores, axis):
    """Which axis does softmax normalize? The axis; the smallest and the largest sum of
    a row along the keys, which ought to be one."""
    weights = np.moveaxis(softmax(np.moveaxis(scores, axis, -1)), -1, axis)
    sums = weights.sum(axis=-1)
    return float(sums.min()), float(sums.max())


def four_masks(scores, query):
    """Mask before softmax or after? One row of scores [T, S], four treatments; what the
    permitted weights sum to when hidden scores are -inf, hidden weights are zeroed, the
    same is divided by its sum, hidden scores are zeroed. Then how far from the first
    the third is, and a mask of -1e9."""
    row, visible = scores[query], np.arange(scores.shape[1]) <= query
    before = softmax(np.where(visible, row, -np.inf))
    after = softmax(row) * visible
    zeros = softmax(np.where(visible, row, 0.0))
    renormalized = after / after.sum()
    large = softmax(np.where(visible, row, -1e9))
    return [float(treated[visible].sum())
            for treated in (before, after, renormalized, zeros)] + [
        float(np.abs(other - before).max()) for other in (renormalized, large)]


def drop_weights(row, rate, draws, seed):
    """Why do rows not sum to one in training? Dropout with one rate, drawn many times;
    mean and standard deviation of the row's sum, the deviation by formula, and the
    largest entry."""
    kept = np.random.default_rng(seed).random((draws, len(row))) >= rate
    dropped = row * kept / (1.0 - rate)
    formula = (rate / (1.0 - rate) * (row ** 2).sum()) ** 0.5
    sums = dropped.sum(axis=-1)
    return [float(v) for v in (sums.mean(), sums.std(), formula, dropped.max())]


def choose_next_token(probabilities, draws, seed):
    """Which token comes next? One distribution, read in two ways; the most likely id
    with its probability, and how often it comes when ids are drawn."""
    greedy = int(np.argmax(probabilities))
    drawn = np.random.default_rng(seed).choice(
        len(probabilities), size=draws, p=probabilities / probabilities.sum())
    return greedy, float(probabilities[greedy]), float(np.mean(drawn == greedy))


# ----------------------------------------------------------------- published numbers

trace = json.loads(Path("trace.json").read_text("utf-8"))
recorded_scores = read_tensor(trace, "layers.0.scores")              # [1, 4, 6, 6]
recorded_weights = read_tensor(trace, "layers.0.weights")            # [1, 4, 6, 6]
recorded_v = read_tensor(trace, "layers.0.v")                        # [1, 2, 6, 8]
misplaced_share, positions_in_wrong_head = direct_reshape(
    read_tensor(trace, "layers.0.merged"), trace["model"]["num_attention_heads"])
mean_weight = float(recorded_weights.mean())

spread_4, unscaled_4, scaled_4 = score_spread(4, 16, 1000, 7)
spread_64, unscaled_64, scaled_64 = score_spread(64, 16, 1000, 7)
spread_512, unscaled_512, scaled_512 = score_spread(512, 16, 1000, 7)
# Dividing by sqrt(hidden_size) where sqrt(head_dim) is meant shrinks scores by this.
sizes = trace["model"]
wrong_divisor_ratio = (sizes["head_dim"] / sizes["hidden_size"]) ** 0.5

along_keys_least, along_keys_most = softmax_along(recorded_scores, 3)
along_queries_least, along_queries_most = softmax_along(recorded_scores, 2)
along_heads_least, along_heads_most = softmax_along(recorded_scores, 1)
along_batch_least, along_batch_most = softmax_along(recorded_scores, 0)

(masked_before_sum, masked_after_sum, renormalized_sum, zeros_sum,
 renormalized_gap, large_negative_gap) = four_masks(recorded_scores[0, 0], 2)
leaked_share = 1.0 - zeros_sum
row_2 = recorded_weights[0, 0, 2, :3]                                # [3]
row_product_0, row_product_1, row_product_2 = (
    float(product) for product in row_2 * recorded_v[0, 0, :3, 0])
row_sum = float(row_2.sum())

dropout_rate = 0.1
dropout_mean, dropout_deviation, dropout_formula, _ = drop_weights(
    recorded_weights[0, 0, 2], dropout_rate, 100000, 7)
first_row_largest = drop_weights(recorded_weights[0, 0, 0], dropout_rate, 100, 7)[-1]

greedy_id, greedy_probability, drawn_share = choose_next_token(
    read_tensor(trace, "next_token_probs")[0], 10000, 7)
greedy_label = trace["vocabulary"][greedy_id]

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
