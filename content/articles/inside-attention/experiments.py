"""The numbers of "Inside attention, one tensor at a time".

    python experiments.py

Each function asks one question of the small model, changes one thing, and returns
what that did; the names at the end are the ones that the article prints.  It runs
beside tiny_llama.py and trace.json and needs NumPy alone.  The weights are random: the
numbers show how the arithmetic behaves and say nothing about language.

Axes: B batch, H heads, T queries, S keys, D hidden_size, dh head_dim.
"""

import json
from functools import partial
from itertools import combinations

import numpy as np
import tiny_llama
from tiny_llama import Cache, Config, TinyLlama, rotate, split_heads

# The published configuration of TinyLlama/TinyLlama-1.1B-Chat-v1.0.
PRETRAINED = Config(
    hidden_size=2048, intermediate_size=5632, num_hidden_layers=22,
    num_attention_heads=32, num_key_value_heads=4, head_dim=64, vocab_size=32000,
    rms_norm_eps=1e-5, tie_word_embeddings=False)


def run(model, token_ids, changes=None, first_position=0):
    """Return every tensor of one run by name.

    changes  name -> function that replaces this tensor on its way
    """
    tensors, changes = {}, changes or {}

    def tap(name, value):
        tensors[name] = changes[name](value) if name in changes else value
        return tensors[name]

    model(token_ids, Cache(model, *token_ids.shape, first_position), tap)
    return tensors


def gap(one, other):
    """Return the largest absolute difference of two arrays."""
    return float(np.max(np.abs(np.subtract(one, other))))


# --------------------------------------------------------------- tokens and states

def same_token_twice(tensors, first, second):
    """Does a token look the same wherever it stands? Two positions of one token; how
    far apart their embeddings, their keys in layer 0 and their keys in layer 1 are."""
    return [gap(tensors[name][..., first, :], tensors[name][..., second, :])
            for name in ("embedding", "layers.0.k", "layers.1.k")]


def change_one_token(model, token_ids, position):
    """Does a row see its future? One token is replaced; the largest change of the
    logits before it, and how many rows from it on change."""
    other = token_ids.copy()
    other[:, position] = (other[:, position] + 1) % model.config.vocab_size
    before, after = run(model, token_ids)["logits"], run(model, other)["logits"]
    change = np.abs(after - before).max(axis=(0, 2))                 # [T]
    return float(change[:position].max()), int(np.count_nonzero(change[position:]))


def scale_the_embedding(model, token_ids, factor):
    """Does attention need embeddings times sqrt(hidden_size)? The states are scaled
    behind the lookup; how far the weights of layer 0 and of layer 1 move, and the
    length of layer 0's update beside the state that it joins, without the factor and
    with it."""
    plain = run(model, token_ids)
    scaled = run(model, token_ids, {"embedding": lambda states: factor * states})
    moved = [gap(plain[f"layers.{n}.weights"], scaled[f"layers.{n}.weights"])
             for n in (0, 1)]
    return moved + [float(np.linalg.norm(t["layers.0.attn_out"])
                          / np.linalg.norm(t["embedding"])) for t in (plain, scaled)]


# ------------------------------------------------------------- queries, keys, values

def change_one_channel(normed, wq, head_dim, channel):
    """Does a head see a slice of the state? One input channel is raised by one; how
    many heads, and how many query channels, change."""
    raised = normed.copy()
    raised[..., channel] += 1.0
    change = split_heads(raised @ wq, head_dim) - split_heads(normed @ wq, head_dim)
    moved = np.abs(change).max(axis=(0, 2)) > 0                      # [H, dh]
    return int(moved.any(axis=1).sum()), int(moved.sum())


def replace_one_projection(model, token_ids, position, seed):
    """What are q, k and v for? At one position of layer 0 first the value, then the
    query, then the key becomes noise; how far the weights move for the value, how many
    rows of the score table change for the query, how many columns for the key."""
    rng = np.random.default_rng(seed)

    def noise(vectors):
        changed = vectors.copy()
        changed[..., position, :] = rng.normal(size=vectors[..., position, :].shape)
        return changed

    def changed(name, replaced):
        tensors = run(model, token_ids, {f"layers.0.{replaced}": noise})
        return np.abs(tensors[f"layers.0.{name}"] - plain[f"layers.0.{name}"])

    plain = run(model, token_ids)
    rows = changed("scores", "q").max(axis=(0, 1, 3)) > 0            # [T]
    columns = changed("scores", "k").max(axis=(0, 1, 2)) > 0         # [S]
    return float(changed("weights", "v").max()), int(rows.sum()), int(columns.sum())


def pad_on_the_left(model, token_ids, pads):
    """Do padded query rows disturb the others? Padding in front, its keys hidden from
    real tokens: the gap of real rows to a run without padding, and to one with other
    padding tokens. Then padded rows may see nothing: rows of NaN after each layer."""
    def padded(filler, first_query):
        def hide(scores):
            hidden = scores.copy()
            hidden[..., first_query:, :pads] = -np.inf
            return hidden

        front = np.full((len(token_ids), pads), filler)
        with np.errstate(invalid="ignore"):
            return run(model, np.hstack([front, token_ids]),
                       {f"layers.{n}.masked_scores": hide
                        for n in range(model.config.num_hidden_layers)})

    real, other = padded(0, pads)["logits"], padded(9, pads)["logits"]
    blind = padded(0, 0)
    return [gap(real[:, pads:], run(model, token_ids)["logits"]),
            gap(real[:, pads:], other[:, pads:])] + [
        int(np.isnan(blind[f"layers.{n}.resid_out"]).any(axis=(0, 2)).sum())
        for n in (0, 1)]


def sum_of_heads(heads, wo):
    """What is W_O for? merged @ W_O against the sum of each head times its own rows of
    W_O; the gap, and how many channels of the stream head 0 reaches through its
    rows."""
    num_heads, head_dim = heads.shape[1], heads.shape[3]
    blocks = wo.reshape(num_heads, head_dim, -1)                     # [H, dh, D]
    written = heads @ blocks                                         # [B, H, T, D]
    reached = np.abs(written[:, 0]).max(axis=(0, 1)) > 0             # [D]
    merged = heads.swapaxes(1, 2).reshape(*written[:, 0].shape[:2], -1)
    return gap(merged @ wo, written.sum(axis=1)), int(reached.sum())


def weights_and_contributions(model, tensors):
    """Is the largest weight the largest contribution? Every row from position 1 on: in
    how many the longest weight x value x W_O belongs to another key, and of how
    many."""
    config, other, rows = model.config, 0, 0
    for layer in range(config.num_hidden_layers):
        weights = tensors[f"layers.{layer}.weights"]                 # [B, H, T, S]
        v = tensors[f"layers.{layer}.v"].repeat(
            weights.shape[1] // config.num_key_value_heads, axis=1)
        blocks = model.weights[f"layers.{layer}.wo"].reshape(
            config.num_attention_heads, config.head_dim, -1)
        length = np.linalg.norm(v @ blocks, axis=-1)                 # [B, H, S]
        contributions = weights * length[:, :, None]
        differ = weights.argmax(axis=-1) != contributions.argmax(axis=-1)
        other, rows = other + differ[..., 1:].sum(), rows + differ[..., 1:].size
    return int(other), int(rows)


def silence_each_head(model, token_ids):
    """Is a head with a sharp row an influential head? One head at a time hands on
    zeros; for each, layer by layer, the largest change of the last position's logits,
    and the largest weight of that position's row."""
    plain, changes, sharpness = run(model, token_ids), [], []
    for layer in range(model.config.num_hidden_layers):
        sharpness += plain[f"layers.{layer}.weights"][0, :, -1].max(axis=-1).tolist()
        for kept in 1.0 - np.eye(model.config.num_attention_heads):
            without = run(model, token_ids, {
                f"layers.{layer}.heads": partial(np.multiply, kept[:, None, None])})
            changes.append(gap(without["logits"][:, -1], plain["logits"][:, -1]))
    return changes, sharpness


def ranked_otherwise(one, other):
    """Do two measures rank the heads alike? Two flat lists; how many pairs the one
    ranks in the other order than the other does, and of how many."""
    pairs = list(combinations(range(len(one)), 2))
    opposite = [(one[i] - one[j]) * (other[i] - other[j]) < 0 for i, j in pairs]
    return sum(opposite), len(pairs)


# ------------------------------------------------------------------------- position

def rotate_neighbours(heads, cos, sin):
    """Return heads [B, H, T, dh] with channels 2i and 2i + 1 turned as a pair."""
    even, odd = heads[..., 0::2], heads[..., 1::2]
    turned = [even * cos - odd * sin, odd * cos + even * sin]
    return np.stack(turned, axis=-1).reshape(heads.shape)


def exchange_pairing(normed, wq, wk, head_dim, theta=10000.0):
    """Which pairing is right? Scores by halves against scores by neighbours: the gap
    with reordered weights, then with the same weights on the diagonal and off it."""
    order = np.arange(head_dim).reshape(2, -1).T.ravel()
    angles = tiny_llama.rotary_angles(np.arange(normed.shape[1]), head_dim, theta)

    def scores(turn, columns):
        q, k = (turn(split_heads(normed @ w, head_dim)[..., columns], np.cos(angles),
                     np.sin(angles)) for w in (wq, wk))
        k = k.repeat(q.shape[1] // k.shape[1], axis=1)
        return q @ k.swapaxes(-1, -2) * head_dim ** -0.5              # [B, H, T, S]

    halves = scores(rotate, np.arange(head_dim))
    mixed = scores(rotate_neighbours, np.arange(head_dim)) - halves
    diagonal = np.eye(normed.shape[1], dtype=bool)
    return [gap(scores(rotate_neighbours, order), halves),
            float(np.abs(mixed[..., diagonal]).max()),
            float(np.abs(mixed[..., ~diagonal]).max())]


def shift_positions(model, token_ids, shift):
    """Does absolute position matter? All positions plus one shift; the largest change
    of the logits."""
    shifted = run(model, token_ids, first_position=shift)
    return gap(shifted["logits"], run(model, token_ids)["logits"])


def root_mean_square(states, eps):
    """Does RMSNorm centre a state? States normalized without gain; the root mean square
    and the largest distance of a mean from zero."""
    normed = tiny_llama.rms_norm(states, 1.0, eps)
    return (float(np.sqrt(np.mean(normed ** 2))),
            float(np.abs(normed.mean(axis=-1)).max()))


def cache_scalars(config):
    """How much does a cache keep for each token? The configuration; the numbers in its
    keys and values at batch one."""
    return (2 * config.num_hidden_layers * config.num_key_value_heads
            * config.head_dim)


# ----------------------------------------------------------------- published numbers

demo_config = Config()
demo_model = TinyLlama(
    demo_config, tiny_llama.draw_weights(demo_config, tiny_llama.SEED))
with open("trace.json", encoding="utf-8") as recording:
    demo_ids = np.array(json.load(recording)["input"]["token_ids"])  # [1, 6]
demo = run(demo_model, demo_ids)
demo_normed, demo_weights = demo["layers.0.attn_norm"], demo_model.weights

repeat_embedding_gap, repeat_key_gap_0, repeat_key_gap_1 = same_token_twice(demo, 0, 3)
earlier_rows_change, changed_rows = change_one_token(demo_model, demo_ids, 4)
known_answers = demo_ids.size - 1
embedding_factor = demo_config.hidden_size ** 0.5
(scaled_weights_0, scaled_weights_1, update_share,
 scaled_update_share) = scale_the_embedding(demo_model, demo_ids, embedding_factor)

touched_heads, touched_channels = change_one_channel(
    demo_normed, demo_weights["layers.0.wq"], demo_config.head_dim, 0)
value_moves_weights, query_moves_rows, key_moves_columns = replace_one_projection(
    demo_model, demo_ids, 2, 7)
heads_0_1_gap = gap(demo["layers.0.weights"][:, 0], demo["layers.0.weights"][:, 1])

padding_gap, other_padding_gap, nan_rows_0, nan_rows_1 = pad_on_the_left(
    demo_model, demo_ids, 2)
head_sum_gap, reached_channels = sum_of_heads(
    demo["layers.0.heads"], demo_weights["layers.0.wo"])
other_key_rows, compared_rows = weights_and_contributions(demo_model, demo)
silenced, sharpness = silence_each_head(demo_model, demo_ids)
least_silenced, most_silenced = min(silenced), max(silenced)
exchanged_pairs, head_pairs = ranked_otherwise(silenced, sharpness)

pairing_reordered_gap, pairing_diagonal_gap, pairing_mixed_gap = exchange_pairing(
    demo_normed, demo_weights["layers.0.wq"], demo_weights["layers.0.wk"],
    demo_config.head_dim)
shift_7_gap, shift_100_gap = (shift_positions(demo_model, demo_ids, shift)
                              for shift in (7, 100))

normed_rms, normed_mean = root_mean_square(demo["embedding"], demo_config.rms_norm_eps)
demo_cache_scalars = cache_scalars(demo_config)
pretrained_cache_scalars = cache_scalars(PRETRAINED)
pretrained_layers, pretrained_width, pretrained_feed_forward = (
    PRETRAINED.num_hidden_layers, PRETRAINED.hidden_size, PRETRAINED.intermediate_size)
pretrained_query_heads, pretrained_kv_heads, pretrained_head_dim = (
    PRETRAINED.num_attention_heads, PRETRAINED.num_key_value_heads, PRETRAINED.head_dim)
pretrained_bytes_float32 = 4 * pretrained_cache_scalars
pretrained_bytes_two = 2 * pretrained_cache_scalars

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str, list)) and not name.startswith("_"):
            print(f"{name} = {value}")
