"""What the article on the KV cache says of broken caches, windows and padding: each
number found again by a second decoder, in which a mistake is one argument, and the
sentences that are no numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.article.conftest import CACHE_ARTICLE
from tests.article.second_cache import Reader, go_on, read_in_calls, told
from tests.article.twice import (
    ROUNDING,
    changed_a_little,
    disagreements,
    gap,
    names_in_text,
    spoiled,
)

LENGTH, WINDOW, COMPARED = 16, 8, 5
WAYS = {"one": [16], "chunks": [5, 11], "single": [1] * 16}
# The mistakes under the names of their numbers, each as what is different.
MISTAKES = {
    "restarted": {"position": lambda start, i: i},
    "far": {"position": lambda start, i: start + i + (start > 0)},
    "unrotated": {"unturned": True},
    "left": {"sees": lambda start, i, row: row <= i},
    "many": {"sees": lambda start, i, row: row <= start + i + 1},
    "unmasked": {"sees": lambda start, i, row: True},
    "over": {"row": lambda start, i: i},
    "layer": {"layer_of": lambda layer: 0},
    "again": {"fed_again": True},
}
PAGE = np.array([[2, 12, 10, 18, 20, 21] * 2])
SHORT, PADS = 9, 3


def band(width):
    """Return the mask of a window: a query sees itself and width - 1 before it."""
    return {"sees": lambda start, i, row: start + i - width < row <= start + i}


def held_out_sequences():
    """Return the article's 200 sequences [200, 16]: of 32 tokens in random order the
    first eight, twice."""
    rows = np.random.default_rng(2027).random((200, 32))
    first = [sorted(range(32), key=row.__getitem__)[:8] for row in rows]
    return np.array([[*half, *half] for half in first])


def rolling(weights, tokens, width, position):
    """Return the logits of a cache that drops what no later query may see, one token
    at a time, and how many rows it held at most."""
    reader, logits, most = Reader(weights, position=position, **band(width)), [], 0
    for t in range(tokens.shape[1]):
        for layer in (0, 1):
            reader.rows.pop((layer, t - width), None)
        logits.append(reader.read(tokens[:, t:t + 1]))
        most = max(most, len(reader.rows) // 2)
    return np.concatenate(logits, axis=1), most


def padded(weights, ids, **ways):
    """Return the logits [1, 12, V] of one padded prompt."""
    return read_in_calls(weights, np.array([ids]), [len(ids)], **ways)[0]


def looks_at_no_padding(itself):
    """Return the mask of a prompt behind PADS padded positions."""
    return {"sees": lambda start, i, row: PADS <= row <= i or (itself and row == i)}


# ------------------------------------------------------- every number, a second time

def of_mistakes(arrays, sequences):
    some, found = sequences[:COMPARED], {}
    right = read_in_calls(arrays, some, [LENGTH])[0]
    for name, change in ({"right": {}} | MISTAKES).items():
        for way, calls in WAYS.items():
            found[f"{name}_{way}"] = gap(
                read_in_calls(arrays, some, calls, **change)[0], right)
        found[f"{name}_told"] = float(told(arrays, sequences, **change))
    signs = {way: [found[f"{name}_{way}"] > ROUNDING for name in MISTAKES]
             for way in WAYS}
    return found | {f"found_by_{way}": sum(signs[way]) for way in WAYS} | {
        "most_told": max(found[f"{name}_told"] for name in MISTAKES),
        "answer_unnoticed": signs["single"].count(False)}


def of_windows(arrays, sequences):
    some = sequences[:COMPARED]
    full = read_in_calls(arrays, some, [LENGTH])[0]
    windowed = read_in_calls(arrays, some, [LENGTH], **band(WINDOW))[0]
    rolled, most = rolling(arrays, some, WINDOW, lambda start, i: start + i)
    counted_anew, _ = rolling(arrays, some, WINDOW,
                              lambda start, i: min(start, WINDOW - 1))
    return {"window": WINDOW, "window_back": WINDOW - 1, "rolled_rows": most,
            "rolled_gap": gap(rolled, windowed),
            "recounted_gap": gap(counted_anew, windowed),
            "rolled_full_gap": gap(rolled, full),
            "window_needed_told": float(told(arrays, sequences, **band(WINDOW))),
            "narrow_told": float(told(arrays, sequences, **band(WINDOW - 1)))}


def of_padding(arrays, sequences):
    prompt, longer = sequences[0, :SHORT].tolist(), sequences[1, :SHORT + PADS]
    alone = padded(arrays, prompt)[:, -1]
    left = [0] * PADS + prompt
    masked, blind = (padded(arrays, left, **looks_at_no_padding(itself))[:, -1]
                     for itself in (True, False))
    right = padded(arrays, prompt + [0] * PADS)[0]
    lost = [np.isnan(rows).any() for rows in (blind, padded(arrays, longer))]
    return {"short_length": len(prompt), "pads_left": len(longer) - len(prompt),
            "padded_gap": gap(masked, alone), "batch_items": len(lost),
            "padding_seen_gap": gap(padded(arrays, left)[:, -1], alone),
            "blind_items": sum(map(int, lost)),
            "last_real_gap": gap(right[SHORT - 1], alone),
            "last_row_gap": gap(right[-1], alone)}


@pytest.fixture(scope="module")
def sequences():
    return held_out_sequences()


@pytest.fixture(scope="module")
def again(arrays, sequences):
    """Return {name of a number: the same by the second decoder}."""
    return {"broken_batch": COMPARED, "broken_length": LENGTH,
            "broken_sequences": len(sequences), **of_mistakes(arrays, sequences),
            **of_windows(arrays, sequences), **of_padding(arrays, sequences)}


def test_every_number_of_the_text_is_found_again(broken, again, sequences):
    assert names_in_text(CACHE_ARTICLE, broken) == set(again)
    assert list(disagreements(broken, again)) == []
    assert (broken.held_out == sequences).all()
    assert all(len(set(row[:8])) == 8 for row in sequences.tolist())
    assert len({tuple(row) for row in sequences.tolist()}) == 200


def test_a_number_that_is_a_little_off_is_noticed(broken, again):
    for name in again:
        other = SimpleNamespace(**vars(broken) | {
            name: changed_a_little(getattr(broken, name))})
        assert list(disagreements(other, again)) == [name]


def test_each_mistake_is_invisible_in_one_way_and_two_chunks_find_all(broken):
    sees = {way: {name for name in MISTAKES
                  if getattr(broken, f"{name}_{way}") > ROUNDING} for way in WAYS}
    assert sees["one"] == {"many", "unmasked"}              # masks that show too much
    assert sees["single"] == set(MISTAKES) - sees["one"]
    assert sees["chunks"] == set(MISTAKES)
    assert len(MISTAKES) == 9                               # "here are nine mistakes"


def test_a_mistake_is_far_from_rounding_wherever_it_is_seen(broken):
    assert min(getattr(broken, f"{name}_chunks") for name in MISTAKES) > 0.5
    assert max(broken.right_one, broken.right_chunks, broken.right_single) < ROUNDING


def test_the_mildest_mistake_still_tells_most_of_the_repeat(broken):
    assert broken.right_told == 1 > broken.most_told == broken.many_told > 0.9


def test_seven_of_the_nine_no_longer_say_what_the_page_says(arrays):
    """The page's own prompt, in the calls of its recording."""
    assert (go_on(arrays, PAGE[:, :7], [4, 3], 12) == PAGE).all()
    silent = {name for name, change in MISTAKES.items()
              if (go_on(arrays, PAGE[:, :7], [4, 3], 12, **change) == PAGE).all()}
    assert silent == {"many", "unmasked"}


def test_a_window_holds_what_the_repeat_needs_and_one_less_does_not(
        arrays, sequences, broken):
    """A head of layer 1 takes its weight from WINDOW - 1 positions back."""
    _, reader = read_in_calls(arrays, sequences, [LENGTH])
    taken = np.mean([reader.shares[1][:, :, t, t - broken.window_back]
                     for t in range(8, 15)], axis=(0, 1))
    assert taken.max() > 0.9
    assert broken.window_needed_told == 1 and broken.narrow_told < 0.2


def test_nobody_reads_a_padded_query_s_row(arrays, sequences):
    """Whatever stands there, the last row is the same to the bit."""
    prompt = sequences[0, :SHORT].tolist()
    rows = [padded(arrays, [*pads, *prompt], **looks_at_no_padding(True))[0]
            for pads in ([0, 0, 0], [31, 4, 17])]
    assert (rows[0][PADS:] == rows[1][PADS:]).all()
    assert not np.isnan(rows[0]).any() and gap(rows[0][:PADS], rows[1][:PADS]) > 0.1


def test_an_empty_row_spoils_rows_that_give_it_no_weight(arrays, sequences):
    reader = Reader(arrays, **looks_at_no_padding(False))
    logits = reader.read(np.array([[0] * PADS + sequences[0, :SHORT].tolist()]))
    first = reader.shares[0][0]
    assert np.isnan(first[:, :PADS]).all() and (first[:, PADS:, :PADS] == 0).all()
    assert np.isnan(reader.rows[1, 0][1]).all() and np.isnan(logits).all()


def test_padding_on_the_right_is_seen_by_no_real_query(arrays, sequences):
    prompt = sequences[0, :SHORT].tolist()
    rows = [padded(arrays, [*prompt, *pads])[0] for pads in ([0, 0, 0], [31, 4, 17])]
    assert (rows[0][:SHORT] == rows[1][:SHORT]).all()


FEWER = ("N_SEQUENCES, SEQUENCE_SEED = 8, 200", "N_SEQUENCES, SEQUENCE_SEED = 8, 5")
SPOILED = {
    "the mask is the right one": (
        "return queries, keys + self.length", "return queries, keys",
        {"left_chunks", "left_single", "found_by_chunks", "found_by_single",
         "answer_unnoticed"}),
    "each layer has its part": (
        "super().write(0, k, v)", "super().write(layer, k, v)",
        {"layer_chunks", "layer_single", "found_by_chunks", "found_by_single",
         "answer_unnoticed"}),
    "the window is one wider": ("(back < self.width)", "(back <= self.width)",
                                {"rolled_gap", "recounted_gap"}),
    "a padded query sees itself": ("np.zeros_like(causal) if blind",
                                   "np.eye(length, dtype=bool) if blind",
                                   {"blind_items"}),
    "the right row is read": ("gap(logits[-1], alone)",
                              "gap(logits[len(prompt) - 1], alone)", {"last_row_gap"}),
}


@pytest.mark.parametrize("mistake", SPOILED)
def test_a_mistake_in_the_script_is_noticed(mistake, cache_folder, again, tmp_path):
    """Of five sequences, which change what is told, and nothing else of the numbers."""
    old, new, names = SPOILED[mistake]
    module = spoiled(cache_folder / "experiments_broken.py", tmp_path,
                     [FEWER, (old, new)])
    assert {name for name in disagreements(module, again)
            if not name.endswith("_told") and name != "broken_sequences"} == names
