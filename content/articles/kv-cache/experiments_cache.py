"""The numbers of "The KV cache": what a call writes, reads, costs and leaves alone.

    python experiments_cache.py

Each function asks one question of the small model; the names at the end are the ones
that the article prints.  It runs beside tiny_llama.py, twin.npz and
generation_trace.json, and needs NumPy alone.  The twin is trained to repeat sequences
of distinct tokens; the other weights are random.  Neither knows any language.

Axes: B batch, T positions of a call, S positions so far, L layers, Hkv KV heads,
dh head_dim, D hidden_size.
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
from tiny_llama import (
    ALL_DIFFERENT,
    ARTICLE,
    SEED,
    Cache,
    Config,
    TinyLlama,
    draw_weights,
    pass_through,
    read_weights,
)

ROUNDING = 1e-12        # of the largest value: what float64 may be off by


def gap(found, expected):
    """Return the largest difference over the largest expected size."""
    apart = np.max(np.abs(np.subtract(found, expected)), initial=0.0)
    return float(apart / np.max(np.abs(expected)))


def in_calls(model, token_ids, sizes, cache=None, tap=pass_through):
    """Return the logits [B, T, V] of token_ids [B, T], read in calls of these sizes."""
    cache = cache or Cache(model, *token_ids.shape)
    cuts = np.cumsum(sizes)[:-1]
    return np.concatenate([model(part, cache, tap)
                           for part in np.split(token_ids, cuts, axis=1)], axis=1)


def chunkings(length):
    """Return every way to cut a length into calls: 2 ** (length - 1) lists of sizes."""
    inner = range(1, length)
    return [np.diff([0, *cuts, length]).tolist()
            for count in range(length) for cuts in combinations(inner, count)]


# ------------------------------------------------------------------ one more token

def append_one(model, token_ids, token):
    """What does one more token change? Both sequences run from the beginning; the
    largest change of any earlier key, value or logit, relative to its tensor."""
    before, after = {}, {}
    model(token_ids, None, before.setdefault)
    longer = np.append(token_ids, [[token]], axis=1)
    model(longer, None, after.setdefault)
    kept = [name for name in before if name.endswith(("k_rotated", ".v", "logits"))]
    length = token_ids.shape[1]
    return max(gap(after[name][..., :length, :], before[name]) for name in kept)


def every_chunking(config, weights, token_ids):
    """Does it matter how tokens are cut into calls? The number of ways, and the
    largest difference of any one's logits from those of one call."""
    model = TinyLlama(config, weights)
    whole, ways = model(token_ids), chunkings(token_ids.shape[1])
    return len(ways), max(gap(in_calls(model, token_ids, sizes), whole)
                          for sizes in ways)


def permute_cache(model, token_ids, order):
    """Do cached rows have to stand in order? The last token runs over a cache whose
    rows were exchanged, keys and values together, then keys alone: how far its logits
    are from those of the cache as it was."""
    def last_row(permute):
        cache = Cache(model, *token_ids.shape)
        model(token_ids[:, :-1], cache)
        permute(cache)
        return model(token_ids[:, -1:], cache)

    def exchange(array):
        array[..., :len(order), :] = array[..., order, :]

    kept = last_row(lambda cache: None)
    both = last_row(lambda cache: (exchange(cache.keys), exchange(cache.values)))
    keys = last_row(lambda cache: exchange(cache.keys))
    return gap(both, kept), gap(keys, kept)


# --------------------------------------------------------- what an entry depends on

def same_token_in_cache(model, token_ids, first, second):
    """Is an entry its token's? Two positions of one token: the difference of their
    keys before rotation in layer 0, and of their values in layers 0 and 1."""
    made = {}
    model(token_ids, None, made.setdefault)
    return [gap(made[name][..., first, :], made[name][..., second, :])
            for name in ("layers.0.k", "layers.0.v", "layers.1.v")]


def other_than(token, unwanted):
    """Return a token id that is not `unwanted`: token, or the next one."""
    return token if token != unwanted else token + 1


def change_each_token(model, token_ids, token):
    """Which entries change with which token? For each replaced position j, the largest
    change of the keys or values at each position p, [L, j, p], over the largest size
    of that layer's tensor."""
    def entries(ids):
        cache = Cache(model, *ids.shape)
        model(ids, cache)
        return cache.keys, cache.values             # each [L, 1, Hkv, T, dh]

    def largest(array):
        return np.max(np.abs(array), axis=(1, 2, 4))                # [L, T]

    kept, changes = entries(token_ids), []
    for j in range(token_ids.shape[1]):
        ids = token_ids.copy()
        ids[0, j] = other_than(token, ids[0, j])
        apart = [largest(now - was) / largest(was).max(axis=1, keepdims=True)
                 for now, was in zip(entries(ids), kept, strict=True)]
        changes.append(np.max(apart, axis=0))
    return np.stack(changes, axis=1)                                # [L, T, T]


def reuse_prefix(model, token_ids, other_ids):
    """May a cache serve another prompt? The two share a prefix.  Its length; how far
    the other prompt's logits are from a run of its own when it goes on from there, and
    when it keeps one position too many."""
    shared = int(np.argmin(token_ids[0] == other_ids[0]))

    def go_on_from(length):
        cache = Cache(model, *token_ids.shape)
        model(token_ids, cache)
        cache.length = length
        return model(other_ids[:, length:], cache)

    own = model(other_ids)
    return shared, *(gap(go_on_from(length), own[:, length:])
                     for length in (shared, shared + 1))


# ----------------------------------------------------------------------- what it costs

class Counted(np.ndarray):
    """An array that counts the multiply-adds of every matrix product it is part of."""

    multiply_adds = 0

    def __matmul__(self, other):
        product = np.asarray(self) @ np.asarray(other)
        Counted.multiply_adds += product.size * self.shape[-1]
        return product.view(Counted)

    def __rmatmul__(self, other):
        return np.asarray(other).view(Counted) @ self


def counted_model(config, weights):
    """Return the model with weights that count."""
    model = TinyLlama(config, weights)
    model.weights = {name: weight.view(Counted)
                     for name, weight in model.weights.items()}
    return model


def counted_cache(model, batch, capacity):
    """Return a cache of arrays that count, as the mixture is made of them alone."""
    cache = Cache(model, batch, capacity)
    cache.keys, cache.values = (array.view(Counted)
                                for array in (cache.keys, cache.values))
    return cache


def count(model, token_ids, cache):
    """Return the multiply-adds of one call."""
    before = Counted.multiply_adds
    model(token_ids, cache)
    return Counted.multiply_adds - before


def count_calls(model, token_ids, sizes):
    """What does each call cost? Multiply-adds with the cache, of one call over all
    tokens so far instead, and the bytes that the cache then holds."""
    B, T = token_ids.shape
    cache, cached, full, held, end = counted_cache(model, B, T), [], [], [], 0
    for size in sizes:
        start, end = end, end + size
        cached.append(count(model, token_ids[:, start:end], cache))
        full.append(count(model, token_ids[:, :end], counted_cache(model, B, end)))
        held.append(cache.payload_bytes())
    return cached, full, held


def multiply_adds(c, new, stored):
    """Return the multiply-adds of a call over one sequence, by the formula."""
    queries, keys = (heads * c.head_dim
                     for heads in (c.num_attention_heads, c.num_key_value_heads))
    of_layer = c.hidden_size * (2 * queries + 2 * keys + 3 * c.intermediate_size)
    by_token = c.num_hidden_layers * of_layer + c.hidden_size * c.vocab_size
    return new * by_token + 2 * c.num_hidden_layers * queries * new * (stored + new)


def cache_bytes(c, positions, item_bytes):
    """Return the bytes of one sequence's keys and values, by the formula."""
    return (2 * c.num_hidden_layers * c.num_key_value_heads * c.head_dim
            * positions * item_bytes)


def check_counts(config, weights, token_ids):
    """Is the formula what is done? The largest difference, over every chunking of a
    batch, of counted and calculated multiply-adds, and of counted and calculated bytes.
    """
    model, (B, T) = counted_model(config, weights), token_ids.shape
    worst_adds = worst_bytes = 0
    for sizes in chunkings(T):
        cached, _, held = count_calls(model, token_ids, sizes)
        ends = np.cumsum(sizes)
        for size, end, adds, held_bytes in zip(sizes, ends, cached, held, strict=True):
            worst_adds = max(worst_adds, abs(
                adds - B * multiply_adds(config, size, int(end) - size)))
            worst_bytes = max(worst_bytes, abs(
                held_bytes - B * cache_bytes(config, int(end), model.dtype.itemsize)))
    return worst_adds, worst_bytes


# ------------------------------------------------------------------- what is printed
trace = json.loads(Path("generation_trace.json").read_text("utf-8"))
recorded_ids = np.array(trace["input"]["token_ids"])  # [1, 12]
recorded_sizes = [call["new"] for call in trace["generation"]["calls"]]
recorded_prompt = trace["generation"]["prompt"]
recorded_gap = max(call["difference"] for call in trace["generation"]["calls"])

twin_weights, _ = read_weights("twin.npz")
twin = TinyLlama(Config(), twin_weights)
demo_config, other_config = ARTICLE[0], ALL_DIFFERENT[0]
demo_ids = np.array(ARTICLE[1])  # [2, 6]
other_ids = np.array(ALL_DIFFERENT[1])  # [5, 7]
demo_weights = draw_weights(demo_config, SEED)
other_weights = draw_weights(other_config, SEED)

appended_gap = append_one(twin, recorded_ids[:, :recorded_prompt],
                          recorded_ids[0, recorded_prompt])
demo_ways, demo_ways_gap = every_chunking(demo_config, demo_weights, demo_ids)
other_ways, other_ways_gap = every_chunking(other_config, other_weights, other_ids)
twin_single_gap = gap(in_calls(twin, recorded_ids, [1] * recorded_ids.size),
                      twin(recorded_ids))
permuted_gap, permuted_keys_gap = permute_cache(twin, recorded_ids,
                                                [10, 3, 8, 0, 9, 1, 4, 7, 2, 6, 5])

again = recorded_ids[0, 1:].tolist().index(recorded_ids[0, 0]) + 1
again_key_0, again_value_0, again_value_1 = same_token_in_cache(
    twin, recorded_ids, 0, again)
replacement = 15
changes = change_each_token(twin, recorded_ids, replacement)
entry_changes = changes.ravel().tolist()
is_own = np.eye(recorded_ids.size, dtype=bool)
is_later = np.triu(np.ones_like(is_own))
layer_0_only_own = bool((changes[0] > ROUNDING)[is_own].all()
                        and (changes[0][~is_own] == 0).all())
layer_1_all_later = bool((changes[1] > ROUNDING)[is_later].all())
earlier_change = float(changes[:, ~is_later].max())
least_later_change = float(changes[1][is_later].min())
assert layer_0_only_own and layer_1_all_later and earlier_change <= ROUNDING

next_prompt = recorded_ids.copy()
next_prompt[0, 4:] = [9, 21, 2, 12, 10, 18, 9, 21]
shared_prefix, prefix_gap, prefix_too_long_gap = reuse_prefix(
    twin, recorded_ids, next_prompt)

counting_twin = counted_model(Config(), twin_weights)
counted_cached, counted_full, counted_bytes = count_calls(
    counting_twin, recorded_ids, recorded_sizes)
total_cached, total_full = sum(counted_cached), sum(counted_full)
total_ratio = total_full / total_cached
last_cached, last_full = counted_cached[-1], counted_full[-1]
last_ratio = last_full / last_cached
assert last_full == recorded_ids.size * last_cached
token_bytes = cache_bytes(Config(), 1, 8)
answer_written = cache_bytes(Config(), 1, 1)        # of one byte: numbers
answer_read = cache_bytes(Config(), recorded_prompt, 1)
adds_gap, bytes_gap = np.max([check_counts(demo_config, demo_weights, demo_ids),
                              check_counts(other_config, other_weights, other_ids)],
                             axis=0).tolist()
assert adds_gap == 0 and bytes_gap == 0

long_sequence = 2048
long_cached = sum(multiply_adds(Config(), 1, stored) for stored in range(long_sequence))
long_full = sum(multiply_adds(Config(), end, 0) for end in range(1, long_sequence + 1))
long_ratio = long_full / long_cached
long_step = multiply_adds(Config(), 1, long_sequence - 1)
long_attention = long_step - multiply_adds(Config(), 1, 0)  # grows with what is stored

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str, list)) and not name.startswith("_"):
            print(f"{name} = {value}")
