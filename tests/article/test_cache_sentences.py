"""What the article on the KV cache says of a right cache in words: each claim held by a
second decoder with a cache."""

import re
from itertools import pairwise

import numpy as np
import pytest

from tests.article.conftest import CACHE_ARTICLE, GENERATION
from tests.article.second_cache import (
    ALL_DIFFERENT,
    Reader,
    changes_between,
    changes_by,
    go_on,
    read_in_calls,
    replaced,
    shares_of,
)
from tests.article.twice import ROUNDING, gap

IDS = np.array([[2, 12, 10, 18, 20, 21] * 2])
PROMPT, SIZES = 7, [4, 3, 1, 1, 1, 1, 1]
REPLACEMENT = 15
MOVED = 1e-3            # of the largest: more than any rounding
WRONG = {               # the masks that are often found in the right one's place
    "upper-left": lambda query, key, stored: key <= query - stored,
    "one too wide": lambda query, key, stored: key <= query + 1,
    "strict": lambda query, key, stored: key < query,
}
CUTS = [(stored, new) for stored in range(12) for new in range(1, 13 - stored)]


@pytest.fixture(scope="module")
def text():
    return (CACHE_ARTICLE / "index.md").read_text("utf-8")


@pytest.fixture(scope="module")
def whole(arrays):
    """The reader of the page's twelve tokens in one call."""
    return read_in_calls(arrays, IDS, [12])[1]


def options_of(text, figure):
    """Return the whole numbers among a figure's options, by name."""
    block = re.search(rf"\| {figure}\n(.*?)\n\n", text, re.S)[1]
    return {name: int(value) for name, value in re.findall(r"(\w+): (\d+)$", block,
                                                           re.M)}


def furthest(reader, other, layer, positions):
    """Return the least and the largest change of the keys and values at positions."""
    found = [gap(other.rows[layer, p][which], reader.rows[layer, p][which])
             for p in positions for which in (0, 1)]
    return min(found), max(found)


def test_the_twin_goes_on_with_its_prompt(arrays):
    assert (go_on(arrays, IDS[:, :PROMPT], SIZES[:2], 12) == IDS).all()


def test_the_command_that_the_page_prints_makes_the_recording(text):
    line = re.search(r"^python (tiny_llama\.py .*?)\n(?!  )", text, re.S | re.M)[1]
    assert [word for word in line.split() if word not in ("\\", "--verify")] == [
        *GENERATION]


def test_the_head_that_is_shown_looks_for_what_came_next_the_last_time(text, whole):
    shown = options_of(text, "figure-stepper")
    rows = whole.shares[shown["layer"]][0, shown["head"]]
    assert min(rows[t, t - 5] for t in range(6, 12)) > 0.9
    assert IDS[0, 1:7].tolist() == IDS[0, 7:].tolist() + [IDS[0, 0]]


def test_the_code_has_no_place_for_a_query(cache):
    stored = {name for name, value in vars(cache.Cache(cache.twin, 1, 12)).items()
              if isinstance(value, np.ndarray)}
    assert stored == {"keys", "values"}


def test_in_layer_0_one_entry_changes_and_in_layer_1_all_later_ones(arrays):
    for j in range(12):
        changes = changes_by(arrays, IDS, j, REPLACEMENT)
        assert np.flatnonzero(changes[0]).tolist() == [j]
        assert np.flatnonzero(changes[1]).tolist() == list(range(j, 12))
        assert changes[1][j:].min() > 1e3 * ROUNDING


def test_with_more_layers_the_picture_stays_the_same(cache):
    weights = {name: array.astype(float)
               for name, array in cache.other_weights.items()}
    ids = np.array([[3, 14, 15, 9, 26, 5, 35]])
    for j in range(7):
        first, *others = changes_by(weights, ids, j, REPLACEMENT, sizes=ALL_DIFFERENT)
        assert np.flatnonzero(first).tolist() == [j] and len(others) == 3
        assert all((changes[:j] == 0).all() and changes[j:].min() > ROUNDING
                   for changes in others)


def test_what_stands_right_of_the_diagonal_is_what_the_head_that_looks_back_wrote(
        arrays, whole):
    """The whole run with one head's output of the other run, then with the others'."""
    back = [np.mean([heads[t, t - 1] for t in range(1, 12)])
            for heads in whole.shares[0][0]]
    previous = int(np.argmax(back))
    assert max(back) > 0.9
    for j in range(11):
        ids = replaced(IDS, j, REPLACEMENT)
        after = read_in_calls(arrays, ids, [12])[1]
        changes = changes_between(whole, after)[1]
        assert min(changes[j:j + 2]) > 8 * max(changes[j + 2:], default=0)
        by_head, by_others = (changes_between(whole, read_in_calls(
            arrays, IDS, [12], instead={(0, head): after.mixed[0][:, :, head]
                                        for head in heads})[1])[1][j + 1]
            for heads in ({previous}, {0, 1, 2, 3} - {previous}))
        assert by_head > 0.8 * changes[j + 1] and by_others < 0.3 * changes[j + 1]


def test_a_common_beginning_is_shared_and_a_common_end_is_not(arrays, whole):
    other = IDS.copy()
    other[0, 4] = 9
    reader = read_in_calls(arrays, other, [12])[1]
    assert max(furthest(whole, reader, layer, range(4))[1] for layer in (0, 1)) == 0
    assert furthest(whole, reader, 0, range(5, 12))[1] == 0         # exercise 2
    assert furthest(whole, reader, 0, [4])[0] > MOVED
    assert furthest(whole, reader, 1, range(4, 12))[0] > 1e3 * ROUNDING


def allowed_by(mask, stored, new):
    """Return what a mask lets the new queries see, [new, stored + new] of bool."""
    return np.array([[mask(stored + t, key, stored) for key in range(stored + new)]
                     for t in range(new)])


def right(query, key, _):
    return key <= query


def test_each_wrong_mask_is_wrong_as_described():
    for stored, new in CUTS:
        masks = {name: allowed_by(mask, stored, new) for name, mask in WRONG.items()}
        good = allowed_by(right, stored, new)
        own = np.eye(new, stored + new, stored, dtype=bool)
        assert (masks["upper-left"] == good).all() == (stored == 0)
        assert masks["upper-left"][own].any() == (stored == 0)
        extra = masks["one too wide"] & ~good
        assert extra.sum(axis=1).tolist() == [1] * (new - 1) + [0]
        assert not masks["strict"][own].any() and (masks["strict"] | own == good).all()
        empty = np.flatnonzero(~masks["strict"].any(axis=1)).tolist()
        assert empty == ([0] if stored == 0 else [])


def test_rows_sum_to_one_under_a_wrong_mask_and_two_weights_tell_it(whole):
    """For every head: what stands behind a query, and what is hidden from it."""
    told = {name: set() for name in WRONG}
    for stored, new in CUTS:
        good = allowed_by(right, stored, new)
        for layer in (0, 1):
            scores = whole.scores[layer][0, :, stored:stored + new, :stored + new]
            due = shares_of(scores, good)
            for name, mask in WRONG.items():
                allowed = allowed_by(mask, stored, new)
                filled = allowed.any(axis=1)
                shares = shares_of(scores, allowed)[:, filled]
                assert np.abs(shares.sum(-1) - 1).max(initial=0) < 1e-12
                behind = (shares * ~good[filled]).sum(-1)
                hidden = (due * ~allowed).sum(-1)
                assert ((behind.max(initial=0) > 0 or hidden.max() > 0)
                        == (allowed != good).any())
                told[name] |= {sign for sign, weight in (
                    ("behind", behind), ("hidden", hidden)) if weight.any()}
    assert told == {"upper-left": {"hidden"}, "one too wide": {"behind"},
                    "strict": {"hidden"}}


def test_without_a_mask_the_last_row_of_layer_0_alone_is_right(arrays, whole):
    """Layer 1 makes a right key and value of it, and wrong ones of the others."""
    reader = read_in_calls(arrays, IDS, [12], sees=lambda *_: True)[1]
    assert furthest(whole, reader, 0, range(12))[1] == 0
    assert furthest(whole, reader, 1, [11])[1] <= ROUNDING
    assert furthest(whole, reader, 1, range(11))[0] > MOVED


def test_one_new_token_needs_no_mask(arrays, whole):
    free = read_in_calls(arrays, IDS, [1] * 12, sees=lambda *_: True)[0]
    assert gap(free, read_in_calls(arrays, IDS, [1] * 12)[0]) == 0


def test_recomputing_costs_exactly_as_many_times_as_there_are_tokens(arrays):
    reader = read_in_calls(arrays, IDS, [1] * 12)[1]
    for count, (step, _) in enumerate(reader.costs, 1):
        full = read_in_calls(arrays, IDS[:, :count], [count])[1].costs[0][0]
        assert full == count * step


def test_a_step_with_a_cache_costs_more_with_each_stored_token(arrays):
    reader = read_in_calls(arrays, IDS, [1] * 12)[1]
    assert {later[0] - sooner[0] for sooner, later in pairwise(reader.costs)} == {
        2 * 2 * 4 * 8}
    assert {later[1] - sooner[1] for sooner, later in pairwise(reader.costs)} == {512}


def test_rope_compares_positions_by_their_difference_only(arrays, whole):
    moved = Reader(arrays, position=lambda start, i: start + i + 7)
    late = Reader(arrays, position=lambda start, i: start + i + 7 * (start > 0))
    logits = read_in_calls(arrays, IDS, [12])[0]
    assert gap(moved.read(IDS), logits) <= 10 * ROUNDING
    late.read(IDS[:, :11])
    assert gap(late.read(IDS[:, 11:]), logits[:, 11:]) > MOVED
