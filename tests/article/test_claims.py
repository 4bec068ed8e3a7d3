"""Each number of the article's model experiments, computed a second time.

The second computation is plain_model.py or a loop over scalars, and sizes vary.
"""

import numpy as np
import pytest

from tests.article.plain_model import Changes, forward, shares, turn


def plain(case, **changes):
    """Run the second decoder on a case; keywords as in plain_model.Changes."""
    model, _, ids = case
    return forward(model.config, model.weights, ids, Changes(**changes))


def gap(one, other):
    return float(np.max(np.abs(np.asarray(one) - np.asarray(other))))


def test_the_second_decoder_agrees_with_the_model(case, experiments):
    model, token_ids, _ = case
    tensors, second = experiments.run(model, token_ids), plain(case)
    for name in second:
        assert tensors[name][0] == pytest.approx(second[name], abs=1e-11), name


def test_one_token_has_one_embedding_one_first_key_and_two_second_keys(
        case, experiments):
    model, token_ids, ids = case
    first, second = ids.index(ids[0]), ids.index(ids[0], 1)
    found = experiments.same_token_twice(
        experiments.run(model, token_ids), first, second)
    keys = plain(case)["layers.1.k"]
    assert found[:2] == [0.0, 0.0]
    assert found[2] == pytest.approx(gap(keys[:, first], keys[:, second]), rel=1e-9)
    assert found[2] > 0.1


@pytest.mark.parametrize("position", [1, 3, 5])
def test_a_changed_token_moves_its_own_row_and_later_ones(case, experiments, position):
    model, token_ids, ids = case
    assert experiments.change_one_token(model, token_ids, position) == (
        0.0, len(ids) - position)


def test_change_one_token_notices_a_model_that_sees_the_future(case, experiments):
    model, token_ids, _ = case

    def leaking(ids, cache=None, tap=experiments.tiny_llama.pass_through):
        def unmasked(name, value):
            seen.update({name: value})
            is_mask = name.endswith("masked_scores")
            return tap(name, seen[name.replace("masked_", "")] if is_mask else value)

        seen = {}
        return model(ids, cache, unmasked)

    leaking.config, leaking.dtype = model.config, model.dtype
    assert experiments.change_one_token(leaking, token_ids, 4)[0] > 1e-3


def test_a_scaled_embedding_moves_layer_0_only_through_epsilon(case, experiments):
    model, token_ids, _ = case
    factor = model.config.hidden_size ** 0.5
    found = experiments.scale_the_embedding(model, token_ids, factor)
    one, other = plain(case), plain(case, factor=factor)
    for layer in (0, 1):
        name = f"layers.{layer}.weights"
        assert found[layer] == pytest.approx(gap(one[name], other[name]), rel=1e-6)
    squares = [[(t[name] ** 2).sum() for name in ("layers.0.attn_out", "embedding")]
               for t in (one, other)]
    assert found[2:] == pytest.approx([(a / b) ** 0.5 for a, b in squares], rel=1e-9)
    assert found[0] < 1e-3 < found[1]


def test_one_input_channel_reaches_every_query_channel(case, experiments):
    model, token_ids, _ = case
    normed = experiments.run(model, token_ids)["layers.0.attn_norm"]
    wq = model.weights["layers.0.wq"].copy()
    dh, heads = model.config.head_dim, model.config.num_attention_heads
    assert experiments.change_one_channel(normed, wq, dh, 2) == (heads, heads * dh)
    wq[2, :dh] = 0.0                # a head that does not read channel 2
    assert experiments.change_one_channel(normed, wq, dh, 2) == (
        heads - 1, (heads - 1) * dh)


@pytest.mark.parametrize("position", [0, 2, 4])
def test_value_query_and_key_have_separate_effects(case, experiments, position):
    model, token_ids, _ = case
    found = experiments.replace_one_projection(model, token_ids, position, seed=1)
    config, base = model.config, plain(case)
    vectors = np.random.default_rng(2).normal(
        size=(config.num_attention_heads, config.head_dim))

    def changed(name, replaced, count):
        other = plain(case, replaced={(0, replaced): (position, vectors[:count])})
        return np.abs(other[f"layers.0.{name}"] - base[f"layers.0.{name}"]) > 0

    kv_heads = config.num_key_value_heads
    rows = changed("scores", "q", len(vectors)).any(axis=(0, 2))
    columns = changed("scores", "k", kv_heads).any(axis=(0, 1))
    assert not changed("weights", "v", kv_heads).any()
    assert changed("heads", "v", kv_heads).any()
    assert list(np.flatnonzero(rows)) == list(np.flatnonzero(columns)) == [position]
    assert found == (0.0, rows.sum(), columns.sum())


@pytest.mark.parametrize("pads", [1, 2, 3])
def test_padding_disturbs_nobody_unless_it_sees_nothing(case, experiments, pads):
    model, token_ids, ids = case
    alone, other, *nan_rows = experiments.pad_on_the_left(model, token_ids, pads)

    def allowed(query, key):
        return key <= query and not (query >= pads > key)

    padded = forward(model.config, model.weights, [5] * pads + ids,
                     Changes(allowed=allowed))
    assert gap(padded["logits"][pads:], plain(case)["logits"]) < 1e-11
    assert alone < 1e-11 and other == 0.0
    assert nan_rows == [pads, pads + len(ids)]


def test_padding_that_is_seen_moves_the_real_rows(case, experiments):
    model, _, ids = case
    seen = forward(model.config, model.weights, [5, *ids])["logits"][1:]
    assert gap(seen, plain(case)["logits"]) > 1e-2


def test_the_update_is_a_sum_over_heads(case, experiments):
    model, token_ids, ids = case
    heads, wo = experiments.run(model, token_ids)["layers.0.heads"], model.weights[
        "layers.0.wo"]
    dh = model.config.head_dim
    found, reached = experiments.sum_of_heads(heads, wo)
    total = [[sum(heads[0, h, t, c] * wo[h * dh + c, d] for h in range(heads.shape[1])
                  for c in range(dh)) for d in range(wo.shape[1])]
             for t in range(len(ids))]
    assert gap(total, plain(case)["layers.0.attn_out"]) < 1e-12
    assert found < 1e-12
    assert reached == model.config.hidden_size
    with_idle_block = wo.copy()
    with_idle_block[:dh] = 0.0
    assert experiments.sum_of_heads(heads, with_idle_block)[1] == 0


def test_rows_whose_largest_weight_contributes_less_are_counted(case, experiments):
    model, token_ids, ids = case
    second, config, other, rows = plain(case), model.config, 0, 0
    for layer in range(config.num_hidden_layers):
        wo, v = model.weights[f"layers.{layer}.wo"], second[f"layers.{layer}.v"]
        for h in range(config.num_attention_heads):
            block = wo[h * config.head_dim:(h + 1) * config.head_dim]
            shared = h * config.num_key_value_heads // config.num_attention_heads
            for t in range(1, len(ids)):
                weights = second[f"layers.{layer}.weights"][h, t, :t + 1]
                lengths = [float(np.hypot.reduce(w * (v[shared, s] @ block)))
                           for s, w in enumerate(weights)]
                other += np.argmax(lengths) != np.argmax(weights)
                rows += 1
    found = experiments.weights_and_contributions(
        model, experiments.run(model, token_ids))
    assert found == (other, rows)
    assert 0 < other < rows


def test_silenced_heads_move_the_logits_as_computed_again(case, experiments):
    model, token_ids, _ = case
    changes, sharpness = experiments.silence_each_head(model, token_ids)
    base, expected, largest = plain(case), [], []
    for layer in range(model.config.num_hidden_layers):
        for head in range(model.config.num_attention_heads):
            without = plain(case, silenced=(layer, head))
            expected.append(gap(without["logits"][-1], base["logits"][-1]))
            largest.append(max(base[f"layers.{layer}.weights"][head, -1]))
    assert changes == pytest.approx(expected, rel=1e-9)
    assert sharpness == pytest.approx(largest, rel=1e-9)


def test_pairings_agree_with_their_weights_and_only_on_the_diagonal_without(
        case, experiments):
    model, token_ids, ids = case
    config = model.config
    normed = experiments.run(model, token_ids)["layers.0.attn_norm"]
    wq, wk = model.weights["layers.0.wq"], model.weights["layers.0.wk"]
    reordered, diagonal, mixed = experiments.exchange_pairing(
        normed, wq, wk, config.head_dim, config.rope_theta)

    def neighbours(vector, position):
        order = [*range(0, len(vector), 2), *range(1, len(vector), 2)]
        return turn(vector[order], position, config.rope_theta)

    def score(h, t, s, rotation):
        q, k = plain_case["layers.0.q"], plain_case["layers.0.k"]
        shared = h * len(k) // len(q)
        return rotation(q[h, t], t) @ rotation(k[shared, s], s) / config.head_dim ** 0.5

    plain_case = plain(case)
    differences = np.array([
        [[score(h, t, s, neighbours) - plain_case["layers.0.scores"][h, t, s]
          for s in range(len(ids))] for t in range(len(ids))]
        for h in range(config.num_attention_heads)])
    off_diagonal = ~np.eye(len(ids), dtype=bool)
    assert reordered < 1e-12 and diagonal < 1e-12
    assert mixed == pytest.approx(np.abs(differences[:, off_diagonal]).max(), rel=1e-9)
    assert mixed > 0.1


@pytest.mark.parametrize("shift", [7, 100])
def test_shifted_positions_leave_the_logits(case, experiments, shift):
    model, token_ids, ids = case
    moved = plain(case, positions=[shift + t for t in range(len(ids))])
    assert experiments.shift_positions(model, token_ids, shift) < 1e-11
    assert gap(moved["logits"], plain(case)["logits"]) < 1e-11
    one_moved = plain(case, positions=[*range(len(ids) - 1), len(ids) - 1 + shift])
    assert gap(one_moved["logits"], plain(case)["logits"]) > 1e-3


def test_rms_norm_does_not_centre(case, experiments):
    model, token_ids, _ = case
    states = experiments.run(model, token_ids)["embedding"]
    eps = model.config.rms_norm_eps
    squares, means = [], []
    for state in states[0]:
        scale = (sum(x * x for x in state) / len(state) + eps) ** -0.5
        squares += [(x * scale) ** 2 for x in state]
        means.append(abs(sum(x * scale for x in state) / len(state)))
    expected = (sum(squares) / len(squares)) ** 0.5, max(means)
    assert experiments.root_mean_square(states, eps) == pytest.approx(expected)
    assert expected[1] > 0.1
    centred = states - states.mean(axis=-1, keepdims=True)
    assert experiments.root_mean_square(centred, eps)[1] < 1e-12


def test_cache_scalars_are_those_of_a_real_cache(case, experiments):
    model, _, _ = case
    for config in (model.config, experiments.PRETRAINED):
        without_weights = experiments.TinyLlama(config, {})
        cache = experiments.Cache(without_weights, batch=1, capacity=3)
        assert experiments.cache_scalars(config) * 3 == (
            cache.keys.size + cache.values.size)


def test_the_checkpoint_keeps_11264_scalars_for_a_token(experiments):
    assert (experiments.pretrained_cache_scalars, experiments.pretrained_bytes_float32,
            experiments.pretrained_bytes_two) == (11264, 45056, 22528)


def test_heads_that_share_keys_attend_differently(case, experiments):
    weights = plain(case)["layers.0.weights"]
    assert gap(weights[0], weights[1]) > 0.1
    if len(weights) == 4:
        assert experiments.heads_0_1_gap == pytest.approx(gap(weights[0], weights[1]))


def test_the_first_row_follows_from_the_mask_alone(case):
    second = plain(case)
    for name in second:
        if name.endswith("weights"):
            assert (second[name][:, 0] == np.eye(second[name].shape[1])[0]).all()
            assert list(shares(np.ones(3), 0, lambda q, k: k <= q)) == [1, 0, 0]


@pytest.mark.parametrize("one, other, expected", [
    ([1, 2, 3], [10, 20, 30], (0, 3)), ([1, 2, 3], [3, 2, 1], (3, 3)),
    ([1, 2, 3, 4], [1, 3, 2, 4], (1, 6))])
def test_rankings_are_compared_pair_by_pair(experiments, one, other, expected):
    assert experiments.ranked_otherwise(one, other) == expected


def test_what_the_sentences_say_of_the_numbers_holds(experiments, row_experiments):
    """Words such as 'only', 'more' and 'disagree' are as true as the numbers beside."""
    e, r = experiments, row_experiments
    assert e.scaled_weights_0 < 1e-3 < 0.1 < e.scaled_weights_1
    assert e.scaled_update_share < 1.5 < e.update_share
    assert e.repeat_key_gap_1 > 0.1 and e.heads_0_1_gap > 0.1
    assert 0 < e.other_key_rows < e.compared_rows
    assert 0 < e.exchanged_pairs < e.head_pairs
    assert e.least_silenced < 0.8 * e.most_silenced
    assert e.pairing_mixed_gap > 0.5 and e.normed_mean > 0.1
    assert r.along_queries_least < 0.9 and r.along_queries_most > 1.1
    assert r.along_heads_most > 1.1 and r.along_batch_most == 6.0
    assert r.masked_after_sum < 0.9 and r.leaked_share > 0.1
    assert r.first_row_largest > 1 and r.misplaced_share > 0.9
    assert r.unscaled_4 < r.unscaled_64 < r.unscaled_512
    assert max(r.scaled_4, r.scaled_64, r.scaled_512) < 0.3
    assert abs(r.drawn_share - r.greedy_probability) < 0.02
