"""What the article on the KV cache says: found again by a second decoder with a cache,
and the sentences that are no numbers."""

import re

import numpy as np
import pytest

from tests.article import second_cache as second
from tests.article.conftest import CACHE_ARTICLE
from tests.article.second_cache import ROUNDING, assert_same, gap

IDS = np.array([[2, 12, 10, 18, 20, 21] * 2])
SIZES = [4, 3, 1, 1, 1, 1, 1]


@pytest.fixture(scope="module")
def whole(arrays):
    """The logits of the page's twelve tokens in one call, and its reader."""
    return second.read_in_calls(arrays, IDS, [12])


def test_every_number_of_the_text_is_left_by_a_script(printed):
    text = (CACHE_ARTICLE / "index.md").read_text("utf-8")
    names = set(re.findall(r"\[\[value run:(\w+)", text))
    assert len(names) > 100
    assert [name for name in sorted(names)
            if not any(hasattr(module, name) for module in printed.values())] == []


def test_the_trace_is_what_the_text_says_of_it(cache):
    assert (cache.recorded_ids == IDS).all() and cache.recorded_sizes == SIZES
    assert cache.recorded_prompt == 7 and 0 < cache.recorded_gap <= ROUNDING


def test_the_twin_repeats_and_a_longer_run_leaves_earlier_rows(arrays, whole, cache):
    logits, reader = whole
    assert (logits[0, 6:-1].argmax(-1) == IDS[0, 7:]).all()
    short, before = second.read_in_calls(arrays, IDS[:, :7], [7])
    assert gap(logits[:, :7], short) <= ROUNDING and cache.appended_gap <= ROUNDING
    for key, rows in before.rows.items():
        assert all(gap(now, was) <= ROUNDING
                   for now, was in zip(reader.rows[key], rows, strict=True))


def test_calls_of_any_size_agree(arrays, whole, cache):
    for sizes in (SIZES, [1] * 12, [5, 7], [1, 10, 1]):
        assert gap(second.read_in_calls(arrays, IDS, sizes)[0], whole[0]) <= ROUNDING
    assert (cache.demo_ways, cache.other_ways) == (2 ** 5, 2 ** 6)
    assert max(cache.demo_ways_gap, cache.other_ways_gap,
               cache.twin_single_gap) <= ROUNDING


def test_rows_may_be_exchanged_in_pairs_but_keys_not_alone(arrays, whole, cache):
    order = [10, 3, 8, 0, 9, 1, 4, 7, 2, 6, 5]

    def last_after(exchange):
        _, reader = second.read_in_calls(arrays, IDS[:, :11], [11])
        rows = dict(reader.rows)
        for layer in range(2):
            for row, other in enumerate(order):
                reader.rows[layer, row] = exchange(rows[layer, row], rows[layer, other])
        return reader.read(IDS[:, 11:])

    kept = whole[0][:, 11:]
    assert gap(last_after(lambda own, other: other), kept) <= ROUNDING
    assert cache.permuted_gap <= ROUNDING
    assert_same(gap(last_after(lambda own, other: (other[0], own[1])), kept),
                cache.permuted_keys_gap)


def test_the_same_token_has_the_same_entry_in_layer_0_alone(whole, cache):
    rows = whole[1].rows
    assert cache.again == 6 and IDS[0, 0] == IDS[0, 6]
    assert (rows[0, 0][1] == rows[0, 6][1]).all()
    assert (cache.again_key_0, cache.again_value_0) == (0, 0)
    values = np.stack([rows[1, position][1] for position in range(12)])
    found = np.max(np.abs(values[0] - values[6])) / np.max(np.abs(values[0]))
    also = np.max(np.abs(values[0] - values[6])) / np.max(np.abs(values[6]))
    assert cache.again_value_1 == pytest.approx(found) or (
        cache.again_value_1 == pytest.approx(also))


def test_a_replaced_token_changes_its_own_entry_then_all_later_ones(
        arrays, whole, cache):
    kept = {layer: [np.stack([whole[1].rows[layer, p][side] for p in range(12)])
                    for side in (0, 1)] for layer in (0, 1)}
    for j in range(12):
        ids = IDS.copy()
        ids[0, j] = cache.replacement
        rows = second.read_in_calls(arrays, ids, [12])[1].rows
        for layer in (0, 1):
            found = [np.abs(np.stack([rows[layer, p][side] for p in range(12)])
                            - kept[layer][side]).max(axis=(1, 2, 3))
                     / np.abs(kept[layer][side]).max() for side in (0, 1)]
            changes = np.max(found, axis=0)
            assert changes == pytest.approx(cache.changes[layer, j], rel=1e-6,
                                            abs=ROUNDING)
            changed = set(np.flatnonzero(changes > ROUNDING))
            assert changed == ({j} if layer == 0 else set(range(j, 12)))
    largest = cache.changes[1][np.arange(11), np.arange(1, 12)]
    assert largest.min() > 10 * np.triu(cache.changes[1], 2).max()
    assert cache.earlier_change == 0 < cache.least_later_change < 1e-4


def test_a_common_prefix_can_be_used_again_and_no_position_more(arrays, cache):
    assert cache.shared_prefix == 4 and cache.prefix_gap <= ROUNDING
    other = cache.next_prompt
    own = second.read_in_calls(arrays, other, [12])[0]
    for length, printed in ((4, cache.prefix_gap), (5, cache.prefix_too_long_gap)):
        _, reader = second.read_in_calls(arrays, IDS, [12])
        reader.length = length
        assert_same(gap(reader.read(other[:, length:]), own[:, length:]), printed)


def test_multiply_adds_and_bytes_are_those_of_the_products_and_arrays(arrays, cache):
    ends = np.cumsum(SIZES)
    assert cache.counted_cached == [second.counted(arrays, size, end - size)
                                    for size, end in zip(SIZES, ends, strict=True)]
    assert cache.counted_full == [second.counted(arrays, end, 0) for end in ends]
    assert cache.counted_bytes == [2 * 2 * 2 * 8 * 8 * end for end in ends]
    assert (cache.adds_gap, cache.bytes_gap) == (0, 0)
    assert cache.last_ratio == 12 == cache.last_full / cache.last_cached
    assert cache.long_cached == sum(second.counted(arrays, 1, t) for t in range(2048))
    assert cache.long_full == sum(second.counted(arrays, t, 0) for t in range(1, 2049))
    assert cache.long_step == second.counted(arrays, 1, 2047)
    assert cache.long_attention == 2 * 2 * 4 * 8 * 2047
    assert (cache.answer_read, cache.answer_written) == (7 * 64, 64)


def test_without_a_mask_the_last_row_of_layer_0_is_right_and_layer_1s_keys_are_not(
        arrays, whole):
    _, open_ended = second.read_in_calls(arrays, IDS, [12], sees=lambda *_: True)
    first = {name: reader.rows[1, 11] for name, reader in
             (("right", whole[1]), ("open", open_ended))}
    assert gap(first["open"][0], first["right"][0]) <= ROUNDING    # the last row
    others = [gap(open_ended.rows[1, p][1], whole[1].rows[1, p][1]) for p in range(11)]
    assert min(others) > 1e-3


def test_bytes_and_traffic_follow_from_the_configurations(printed):
    memory = printed["experiments_memory"]
    assert memory.tinyllama_token_bytes == 2 * 22 * 4 * 64 * 2 == 22_528
    assert memory.tinyllama_context_bytes == 2048 * 22_528 == 46_137_344
    assert memory.mha_token_bytes == 2 * 32 * 32 * 128 * 2 == 524_288
    assert memory.gqa_token_bytes == 2 * 32 * 8 * 128 * 2 == 131_072
    assert memory.large_token_bytes == 2 * 80 * 8 * 128 * 2 == 327_680
    assert memory.large_token_bytes < memory.mha_token_bytes
    width, inner, layers = 4096, 14336, 32
    of_layer = width * 4096 * 2 + width * 1024 * 2 + 3 * width * inner
    matrices = layers * of_layer + width * 128_256
    held = 8192 * 131_072
    attention = layers * 2 * 4096 * 8192            # of one query at full length
    assert memory.traffic_step_ratio == pytest.approx(
        (matrices + attention) / (2 * matrices + held))
    assert memory.traffic_prefill_ratio == pytest.approx(
        8192 * (matrices + attention) / (2 * matrices + held))
    assert memory.traffic_weights == pytest.approx(2e-9 * matrices)
    assert memory.traffic_batch_cache == pytest.approx(16e-9 * held)
    assert memory.traffic_even * held >= 2 * matrices > (memory.traffic_even - 1) * held
    assert memory.answer_bytes == 2 * 80 * 8 * 128 * 8192 * 2
    assert memory.answer_bytes_mha == 8 * memory.answer_bytes


def test_the_real_models_mistakes_lie_outside_rounding(printed):
    memory = printed["experiments_memory"]
    for dtype, least in (("float64", 1e5), ("float32", 1e4), ("float16", 10)):
        assert memory.room(dtype) > least
    assert memory.limit_bfloat16 > memory.precision["bfloat16"]["wrong_position"]
