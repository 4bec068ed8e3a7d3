"""Each number that the article on the KV cache prints of a right cache, found again by
a second decoder with a cache, and mistakes that must not go by."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.article.conftest import CACHE_ARTICLE
from tests.article.second_cache import (
    ALL_DIFFERENT,
    ARTICLE,
    changes_by,
    read_in_calls,
    ways_to_cut,
)
from tests.article.twice import (
    changed_a_little,
    disagreements,
    gap,
    names_in_text,
    spoiled,
)

IDS = np.array([[2, 12, 10, 18, 20, 21] * 2])
OTHER = np.array([[2, 12, 10, 18, 9, 21, 2, 12, 10, 18, 9, 21]])
PROMPT, SIZES = 7, [4, 3, 1, 1, 1, 1, 1]
ORDER = [10, 3, 8, 0, 9, 1, 4, 7, 2, 6, 5]
REPLACEMENT, LONG = 15, 2048


def of_one_more_token(arrays):
    short, before = read_in_calls(arrays, IDS[:, :PROMPT], [PROMPT])
    longer, after = read_in_calls(arrays, IDS[:, :PROMPT + 1], [PROMPT + 1])
    return {"recorded_prompt": PROMPT, "appended_gap": max(
        gap(longer[:, :PROMPT], short),
        *(gap(after.side(layer, which)[:PROMPT], before.side(layer, which))
          for layer in (0, 1) for which in (0, 1)))}


def of_entries(arrays):
    changes = np.array([changes_by(arrays, IDS, j, REPLACEMENT)
                        for j in range(12)]).swapaxes(0, 1)         # [L, j, p]
    later = np.triu(np.ones((12, 12), bool))
    _, unturned = read_in_calls(arrays, IDS, [12], unturned=True)

    def between(layer, which):
        return gap(*(unturned.rows[layer, p][which] for p in (0, 6)))

    return {"again": 6, "again_key_0": between(0, 0), "again_value_0": between(0, 1),
            "again_value_1": between(1, 1), "replacement": REPLACEMENT,
            "entry_changes": changes.ravel().tolist(),
            "least_later_change": float(changes[1][later].min()),
            "earlier_change": float(changes[:, ~later].max())}


def last_row(arrays, exchanged):
    """Return the last token's logits after the others, of which [key, value] pairs
    were exchanged: exchanged(own pair, the pair that ORDER puts there)."""
    _, reader = read_in_calls(arrays, IDS[:, :11], [11])
    rows = dict(reader.rows)
    for layer, row in rows:
        reader.rows[layer, row] = exchanged(rows[layer, row], rows[layer, ORDER[row]])
    return reader.read(IDS[:, 11:])


def after_prefix(arrays, length):
    """Return how far the other prompt's logits are off after this many rows of the
    page's tokens."""
    _, reader = read_in_calls(arrays, IDS, [12])
    reader.length = length
    own, _ = read_in_calls(arrays, OTHER, [12])
    return gap(reader.read(OTHER[:, length:]), own[:, length:])


def formula(weights, sizes, new, stored):
    """Return the multiply-adds of one sequence's call as the article writes them."""
    (V, D), F = weights["embedding"].shape, weights["layers.0.w_gate"].shape[1]
    L, queries, keys = (sizes.layers, sizes.heads * sizes.head_dim,
                        sizes.kv_heads * sizes.head_dim)
    return (new * (L * (2 * D * queries + 2 * D * keys + 3 * D * F) + D * V)
            + 2 * L * queries * new * (stored + new))


def of_every_chunking(weights, sizes, ids):
    """Return (number of ways, largest gap of the logits, largest difference to the
    formula of multiply-adds, and of bytes)."""
    batch, length = ids.shape
    once, _ = read_in_calls(weights, ids, [length], sizes=sizes)
    ways, apart, adds, held = list(ways_to_cut(length)), [], [], []
    for way in ways:
        logits, reader = read_in_calls(weights, ids, way, sizes=sizes)
        apart.append(gap(logits, once))
        for new, end, (counted, stored_bytes) in zip(
                way, np.cumsum(way).tolist(), reader.costs, strict=True):
            adds.append(counted - batch * formula(weights, sizes, new, end - new))
            held.append(stored_bytes - batch * end * 8 * (
                2 * sizes.layers * sizes.kv_heads * sizes.head_dim))
    return len(ways), max(apart), max(map(abs, adds)), max(map(abs, held))


def drawn(cache):
    """Return two (random weights, sizes, token ids) in two sizes."""
    def exact(weights):
        return {name: array.astype(float) for name, array in weights.items()}

    return [(exact(cache.demo_weights), ARTICLE, np.array(
                [[1, 2, 3, 1, 4, 5], [6, 5, 6, 7, 31, 0]])),
            (exact(cache.other_weights), ALL_DIFFERENT, np.array(
                [[(3 * i * t + 5 * i + t * t) % 37 for t in range(7)]
                 for i in range(5)]))]


def of_calls(arrays, cache):
    demo, other = (of_every_chunking(*one) for one in drawn(cache))
    logits = read_in_calls(arrays, IDS, [12])[0]
    kept = logits[:, 11:]
    return {
        "demo_ways": demo[0], "demo_ways_gap": demo[1], "other_ways": other[0],
        "other_ways_gap": other[1], "adds_gap": max(demo[2], other[2]),
        "bytes_gap": max(demo[3], other[3]),
        "recorded_gap": gap(read_in_calls(arrays, IDS, SIZES)[0], logits),
        "twin_single_gap": gap(read_in_calls(arrays, IDS, [1] * 12)[0], logits),
        "permuted_gap": gap(last_row(arrays, lambda own, other: other), kept),
        "permuted_keys_gap": gap(last_row(
            arrays, lambda own, other: [other[0], own[1]]), kept),
        "shared_prefix": int(np.argmin(IDS[0] == OTHER[0])),
        "prefix_gap": after_prefix(arrays, 4),
        "prefix_too_long_gap": after_prefix(arrays, 5)}


def of_costs(arrays):
    cached, held = map(list, zip(*read_in_calls(arrays, IDS, SIZES)[1].costs,
                                 strict=True))
    full = [read_in_calls(arrays, IDS[:, :end], [end])[1].costs[0][0]
            for end in np.cumsum(SIZES)]
    singles, bytes_then = zip(*read_in_calls(arrays, IDS, [1] * 12)[1].costs,
                              strict=True)
    grows, = set(np.diff(singles).tolist())         # a step, with each stored token
    steps = [singles[0] + grows * stored for stored in range(LONG)]
    recomputed = sum(end * step for end, step in enumerate(steps, 1))
    return {"counted_cached": cached, "counted_full": full, "counted_bytes": held,
            "last_cached": cached[-1], "last_full": full[-1],
            "last_ratio": full[-1] / cached[-1], "total_cached": sum(cached),
            "total_full": sum(full), "token_bytes": bytes_then[0],
            "answer_read": bytes_then[PROMPT - 1] // 8,
            "answer_written": bytes_then[0] // 8, "long_sequence": LONG,
            "long_ratio": recomputed / sum(steps), "long_step": steps[-1],
            "long_attention": steps[-1] - steps[0]}


@pytest.fixture(scope="module")
def again(arrays, cache):
    """Return {name of a number: the same by the second decoder}."""
    return {**of_one_more_token(arrays), **of_entries(arrays),
            **of_calls(arrays, cache), **of_costs(arrays)}


def test_every_number_of_the_text_is_found_again(cache, again):
    assert names_in_text(CACHE_ARTICLE, cache) == set(again)
    assert list(disagreements(cache, again)) == []
    assert (cache.recorded_ids == IDS).all() and cache.recorded_sizes == SIZES


def test_a_number_that_is_a_little_off_is_noticed(cache, again):
    for name in again:
        other = SimpleNamespace(**vars(cache) | {
            name: changed_a_little(getattr(cache, name))})
        assert list(disagreements(other, again)) == [name]


FEWER = ("for count in range(length) for cuts", "for count in range(2) for cuts")
MISTAKES = {
    "values are exchanged alone": (
        "keys = last_row(lambda cache: exchange(cache.keys))",
        "keys = last_row(lambda cache: exchange(cache.values))", {"permuted_keys_gap"}),
    "the prefix is not too long": ("for length in (shared, shared + 1))",
                                   "for length in (shared, shared))",
                                   {"prefix_too_long_gap"}),
    "keys for values": ('("layers.0.k", "layers.0.v", "layers.1.v")',
                        '("layers.0.k", "layers.0.v", "layers.1.k")',
                        {"again_value_1"}),
    "one stored token too many": ("multiply_adds(Config(), 1, long_sequence - 1)",
                                  "multiply_adds(Config(), 1, long_sequence)",
                                  {"long_step", "long_attention"}),
    "the largest for the least": ("changes[1][is_later].min()",
                                  "changes[1][is_later].max()",
                                  {"least_later_change"}),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_the_script_is_noticed(mistake, cache_folder, again, tmp_path):
    old, new, names = MISTAKES[mistake]
    module = spoiled(cache_folder / "experiments_cache.py", tmp_path,
                     [FEWER, (old, new)])
    fewer = {"demo_ways", "other_ways"}
    assert set(disagreements(module, again)) - fewer == names
