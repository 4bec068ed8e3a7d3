"""The numbers of "The KV cache" that tell how a cache goes wrong, and how one knows.

    python experiments_broken.py

A mistake is a Cache of tiny_llama.py with one method changed.  Each is fed the same
tokens in one call, in two chunks and one by one, since most of them are invisible in
one of the three.  Then the twin, which is trained to repeat sequences of distinct
tokens, generates with it.  It runs beside tiny_llama.py and twin.npz and needs NumPy
alone.  The twin knows no language.

Axes: N sequences, B batch, T positions of a call, S positions so far.
"""

import numpy as np
from tiny_llama import Cache, Config, TinyLlama, read_weights, rotary_angles, rotate

ROUNDING = 1e-12        # of the largest value: what float64 may be off by
N_DISTINCT, N_SEQUENCES, SEQUENCE_SEED = 8, 200, 2027
COMPARED = 5            # sequences whose logits are compared


# ------------------------------------------------------------------------ nine mistakes

class Restarted(Cache):
    """Each call counts its positions from 0."""

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries - self.length, keys - self.length


class OneTooFar(Cache):
    """After the first call, positions are one too high."""

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries + (self.length > 0), keys + (self.length > 0)


class Unrotated(Cache):
    """Keys are stored as they were before RoPE; only a call's own are turned."""

    def write(self, layer, k, v):
        new = self.first_position + self.length + np.arange(k.shape[2])
        angles = rotary_angles(new, Config().head_dim, Config().rope_theta)
        turned_back = rotate(k, np.cos(angles), -np.sin(angles))
        keys, values = super().write(layer, turned_back, v)
        return np.concatenate([keys[:, :, :self.length], k], axis=2), values


class UpperLeft(Cache):
    """The mask goes by row and column: query t of a call sees keys 0 to t."""

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries, keys + self.length


class OneTooMany(Cache):
    """The mask lets each query see one position of its future."""

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries, keys - 1


class Unmasked(Cache):
    """Every query of a call sees every key of it."""

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries, np.full_like(keys, queries[0])


class Overwriting(Cache):
    """New entries are written from row 0 on."""

    def write(self, layer, k, v):
        count = k.shape[2]
        self.keys[layer, :, :, :count], self.values[layer, :, :, :count] = k, v
        end = self.length + count
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]


class OneLayer(Cache):
    """All layers write to the first layer's part."""

    def write(self, layer, k, v):
        return super().write(0, k, v)


class FedAgain(Cache):
    """Every call is given all tokens so far, although the cache has them."""


# ------------------------------------------------------------------ how each is noticed

def gap(found, expected):
    """Return the largest difference over the largest expected size."""
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def read(model, cache, token_ids, start, end):
    """Return the logits of positions start to end of token_ids, [N, T, V]."""
    begin = 0 if isinstance(cache, FedAgain) else start
    return model(token_ids[:, begin:end], cache)[:, start - end:]


def new_cache(kind, model, token_ids):
    """Return a cache that can hold all tokens, even where every call feeds them all."""
    batch, length = token_ids.shape
    return kind(model, batch, length * (length + 1) // 2)


def gap_of(kind, model, token_ids, sizes):
    """How far off are the logits? Against one call with a right cache, of the largest,
    when token_ids [B, T] are read in calls of these sizes."""
    cache, ends = new_cache(kind, model, token_ids), np.cumsum(sizes)
    found = [read(model, cache, token_ids, end - size, end)
             for size, end in zip(sizes, ends, strict=True)]
    return gap(np.concatenate(found, axis=1), model(token_ids))


def repeated_sequences(count, distinct, seed):
    """Return token ids [N, 2n]: n distinct tokens in random order, and once more."""
    order = np.random.default_rng(seed).random((count, Config().vocab_size))
    first = order.argsort(axis=1)[:, :distinct]
    return np.hstack([first, first])


def generated_share(kind, model, sequences):
    """What does it say? The prompt is the first half and the first token of the second,
    read in two chunks; the rest is generated, the likeliest token at each step.  The
    share of generated tokens that repeat the first half."""
    half = sequences.shape[1] // 2
    cache, ids = new_cache(kind, model, sequences), sequences[:, :half + 1]
    read(model, cache, ids, 0, half - 3)
    logits = read(model, cache, ids, half - 3, half + 1)
    while True:
        ids = np.hstack([ids, logits[:, -1:].argmax(axis=-1)])
        if ids.shape == sequences.shape:
            return float(np.mean(ids[:, half + 1:] == sequences[:, half + 1:]))
        logits = read(model, cache, ids, ids.shape[1] - 1, ids.shape[1])


def signs_of(kind):
    """Return a mistake's four signs: the gap in one call, in two chunks and one by one,
    and the share of the repeat that is still told."""
    some = held_out[:COMPARED]
    length = some.shape[1]
    ways = ([length], [length // 2 - 3, length // 2 + 3], [1] * length)
    return (*(gap_of(kind, twin, some, sizes) for sizes in ways),
            generated_share(kind, twin, held_out))


# --------------------------------------------------------------- windows and eviction

class Allowed:
    """Stands for the key positions, and answers the comparison with a mask."""

    def __init__(self, mask):
        self.mask = mask

    def __le__(self, queries):
        return self.mask


class Window(Cache):
    """A query sees the last `width` positions, its own included."""

    width = 0

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        back = queries[:, None] - keys
        return queries, Allowed((back >= 0) & (back < self.width))


def window_of(width):
    """Return the class of caches with a window of this width."""
    return type("Window", (Window,), {"width": width})


def evict(cache, keep, recount=False):
    """Drop the oldest rows until `keep` are left. The rest keep their positions, unless
    positions are counted anew: the mistake."""
    dropped = max(0, cache.length - keep)
    cache.length -= dropped
    for array in (cache.keys, cache.values):
        kept = array[..., dropped:dropped + cache.length, :].copy()
        array[..., :cache.length, :] = kept
    cache.first_position += 0 if recount else dropped


def rolling(model, token_ids, width, recount=False):
    """Return the logits, one token at a time, of a cache that never holds more than
    `width` rows, and how many it held."""
    cache, logits, held = Cache(model, len(token_ids), width), [], 0
    for position in range(token_ids.shape[1]):
        evict(cache, width - 1, recount)
        logits.append(model(token_ids[:, position:position + 1], cache))
        held = max(held, cache.length)
    return np.concatenate(logits, axis=1), held


# ------------------------------------------------------- batches of different lengths

def pad_mask(pads, length, blind):
    """Return [B, 1, T, T]: nobody looks at padding, which stands on the left.

    blind  False: a padded query sees itself, so that its row is not empty
    """
    position = np.arange(length)
    causal = position <= position[:, None]
    real = position >= np.array(pads)[:, None]
    itself = np.zeros_like(causal) if blind else np.eye(length, dtype=bool)
    return ((causal & real[:, None]) | itself)[:, None]


class Padded(Cache):
    """A cache whose mask knows the padding."""

    mask = None

    def positions(self, batch, count):
        queries, keys = super().positions(batch, count)
        return queries, keys if self.mask is None else Allowed(self.mask)


def pad_on_the_left(model, prompts, blind=False, masked=True):
    """Return the last row's logits of prompts of different lengths in one batch, and
    how many of its logits are no numbers."""
    longest = max(map(len, prompts))
    pads = [longest - len(prompt) for prompt in prompts]
    ids = np.array([[0] * pad + prompt
                    for pad, prompt in zip(pads, prompts, strict=True)])
    cache = Padded(model, len(prompts), longest)
    cache.mask = pad_mask(pads, longest, blind) if masked else None
    with np.errstate(invalid="ignore"):
        logits = model(ids, cache)
    return logits[:, -1], int(np.isnan(logits[:, -1]).any(axis=-1).sum())


def read_last_row(model, prompt, pads):
    """With padding on the right, which row is the prompt's? The gap of the last real
    token's row from the prompt alone, and of the last row."""
    logits = model(np.array([prompt + [0] * pads]))[0]
    alone = model(np.array([prompt]))[0, -1]
    return gap(logits[len(prompt) - 1], alone), gap(logits[-1], alone)


# ------------------------------------------------------------------- what is printed
twin = TinyLlama(Config(), read_weights("twin.npz")[0])
held_out = repeated_sequences(N_SEQUENCES, N_DISTINCT, SEQUENCE_SEED)       # [200, 16]
broken_sequences, broken_distinct = held_out.shape[0], N_DISTINCT
broken_batch, broken_length = COMPARED, 2 * N_DISTINCT
right_one, right_chunks, right_single, right_told = signs_of(Cache)

# A name ends in the way that the tokens were read, or in what was told.
restarted_one, restarted_chunks, restarted_single, restarted_told = signs_of(Restarted)
far_one, far_chunks, far_single, far_told = signs_of(OneTooFar)
unrotated_one, unrotated_chunks, unrotated_single, unrotated_told = signs_of(Unrotated)
left_one, left_chunks, left_single, left_told = signs_of(UpperLeft)
many_one, many_chunks, many_single, many_told = signs_of(OneTooMany)
unmasked_one, unmasked_chunks, unmasked_single, unmasked_told = signs_of(Unmasked)
over_one, over_chunks, over_single, over_told = signs_of(Overwriting)
layer_one, layer_chunks, layer_single, layer_told = signs_of(OneLayer)
again_one, again_chunks, again_single, again_told = signs_of(FedAgain)

found_by_one, found_by_chunks, found_by_single = (
    sum(sign > ROUNDING for sign in signs) for signs in (
        (restarted_one, far_one, unrotated_one, left_one, many_one, unmasked_one,
         over_one, layer_one, again_one),
        (restarted_chunks, far_chunks, unrotated_chunks, left_chunks, many_chunks,
         unmasked_chunks, over_chunks, layer_chunks, again_chunks),
        (restarted_single, far_single, unrotated_single, left_single, many_single,
         unmasked_single, over_single, layer_single, again_single)))
most_told = max(restarted_told, far_told, unrotated_told, left_told, many_told,
                unmasked_told, over_told, layer_told, again_told)
answer_unnoticed = 9 - found_by_single

window, window_back, some = N_DISTINCT, N_DISTINCT - 1, held_out[:COMPARED]
windowed = read(twin, new_cache(window_of(window), twin, some), some, 0, some.shape[1])
rolled, rolled_rows = rolling(twin, some, window)
recounted, _ = rolling(twin, some, window, recount=True)
rolled_gap, recounted_gap = gap(rolled, windowed), gap(recounted, windowed)
rolled_full_gap = gap(rolled, twin(some))
window_needed_told, narrow_told = (generated_share(window_of(width), twin, held_out)
                                   for width in (window, window - 1))

short_prompt, long_prompt = held_out[0, :9].tolist(), held_out[1, :12].tolist()
short_length, batch_items = len(short_prompt), 2
alone = [twin(np.array([prompt]))[0, -1] for prompt in (short_prompt, long_prompt)]
pads_left = len(long_prompt) - len(short_prompt)
padded_rows, _ = pad_on_the_left(twin, [short_prompt, long_prompt])
padded_gap = gap(padded_rows, np.array(alone))
unmasked_rows, _ = pad_on_the_left(twin, [short_prompt, long_prompt], masked=False)
padding_seen_gap = gap(unmasked_rows[0], alone[0])
_, blind_items = pad_on_the_left(twin, [short_prompt, long_prompt], blind=True)
last_real_gap, last_row_gap = read_last_row(twin, short_prompt, pads_left)

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
