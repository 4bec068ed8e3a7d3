"""What the article says of broken caches, windows and padding: found again by a second
decoder with a cache, in which each mistake is one argument."""

import shutil
import sys

import numpy as np
import pytest

from tests.article import second_cache as second
from tests.article.conftest import CACHE_ARTICLE, load
from tests.article.second_cache import ROUNDING, assert_same, gap

ALL = 16        # positions of a sequence of the broken caches
# The mistakes under the names of their numbers, each as what is different.
MISTAKES = {
    "right": {},
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


@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_has_the_signs_that_are_printed(name, broken, arrays):
    some, ways = broken.held_out[:5], MISTAKES[name]
    right = second.read_in_calls(arrays, some, [ALL])[0]
    for way, sizes in (("one", [16]), ("chunks", [5, 11]), ("single", [1] * 16)):
        found = gap(second.read_in_calls(arrays, some, sizes, **ways)[0], right)
        assert_same(found, getattr(broken, f"{name}_{way}"))
    assert second.told(arrays, broken.held_out, **ways) == (
        getattr(broken, f"{name}_told"))


def test_two_chunks_find_all_nine_and_no_other_way_does(broken):
    signs = {way: [getattr(broken, f"{name}_{way}") > ROUNDING
                   for name in MISTAKES if name != "right"]
             for way in ("one", "chunks", "single")}
    assert (broken.found_by_one, broken.found_by_chunks, broken.found_by_single) == (
        sum(signs["one"]), sum(signs["chunks"]), sum(signs["single"])) == (2, 9, 7)
    assert [one != single for one, single in zip(
        signs["one"], signs["single"], strict=True)] == [True] * 9
    masks = [name for name in MISTAKES if getattr(broken, f"{name}_one") > ROUNDING]
    assert masks == ["many", "unmasked"] and broken.answer_unnoticed == 2
    assert broken.most_told == broken.many_told < broken.right_told == 1


def test_a_window_needs_no_more_rows_and_keeps_positions(broken, arrays):
    some, width = broken.held_out[:5], broken.window
    band = {"sees": lambda start, i, row: start + i - width < row <= start + i}
    windowed = second.read_in_calls(arrays, some, [ALL], **band)[0]
    full = second.read_in_calls(arrays, some, [ALL])[0]
    assert broken.rolled_gap <= ROUNDING and broken.rolled_rows == width
    assert_same(gap(windowed, full), broken.rolled_full_gap)
    recounted = second.read_in_calls(
        arrays, some, [1] * ALL, position=lambda start, i: min(start, width - 1),
        **band)[0]
    assert_same(gap(recounted, windowed), broken.recounted_gap)
    narrow = {"sees": lambda start, i, row: start + i - width + 1 < row <= start + i}
    assert second.told(arrays, broken.held_out, **band) == broken.window_needed_told
    assert second.told(arrays, broken.held_out, **narrow) == broken.narrow_told
    assert broken.window_needed_told == 1 and broken.window_back == width - 1


def test_padding_does_no_harm_where_nobody_looks_at_it(broken, arrays):
    prompt, pads = broken.short_prompt, broken.pads_left
    alone = second.read_in_calls(arrays, np.array([prompt]), [9])[0][:, -1]

    def last(ids, **ways):
        return second.read_in_calls(arrays, np.array([ids]), [12], **ways)[0]

    left = [0] * pads + prompt
    masked = last(left, sees=lambda start, i, row: pads <= row <= i or row == i)
    assert gap(masked[:, -1], alone) <= ROUNDING and broken.padded_gap <= ROUNDING
    assert_same(gap(last(left)[:, -1], alone), broken.padding_seen_gap)
    blind = last(left, sees=lambda start, i, row: pads <= row <= i)
    assert np.isnan(blind[:, -1]).all() and broken.blind_items == 1
    right = last(prompt + [0] * pads)
    assert gap(right[:, len(prompt) - 1], alone) <= ROUNDING
    assert_same(gap(right[:, -1], alone), broken.last_row_gap)


@pytest.mark.parametrize("planted", [
    ("return queries, keys + self.length", "return queries, keys"),
    ("return queries, keys - 1", "return queries, keys"),
    ("super().write(0, k, v)", "super().write(layer, k, v)"),
    ("begin = 0 if isinstance(cache, FedAgain) else start", "begin = start"),
])
def test_a_mistake_that_is_none_is_noticed(planted, cache_folder, arrays, tmp_path):
    text = (CACHE_ARTICLE / "experiments_broken.py").read_text("utf-8")
    assert text.count(planted[0]) == 1
    for name in ("tiny_llama.py", "twin.npz"):
        shutil.copy(cache_folder / name, tmp_path)
    (tmp_path / "spoiled.py").write_text(text.replace(*planted).replace(
        "N_SEQUENCES, SEQUENCE_SEED = 8, 200", "N_SEQUENCES, SEQUENCE_SEED = 8, 20"),
        "utf-8")
    sys.modules.pop("tiny_llama", None)
    spoiled = load(tmp_path, "spoiled.py", "spoiled")
    right = second.read_in_calls(arrays, spoiled.held_out[:5], [ALL])[0]
    apart = [abs(gap(second.read_in_calls(arrays, spoiled.held_out[:5], [5, 11],
                                          **ways)[0], right)
                 - getattr(spoiled, f"{name}_chunks"))
             for name, ways in MISTAKES.items()]
    assert max(apart) > 0.1
