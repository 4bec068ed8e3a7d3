"""Axes, ticks and names of line plots; sizes in words.  The page's scripts are held to
the same cases."""

import json
from pathlib import Path

import pytest

from sitegen.directives.cache_bytes import percent
from sitegen.plots import (
    Line,
    Scale,
    decimal_steps,
    downwards,
    few,
    from_top,
    is_rising,
    place_names,
    plain,
    powers,
    readable,
    spread,
    ticks,
    whole_steps,
)
from sitegen.sizes import binary_size, counted, whole_size

FILE = Path(__file__).parents[1] / "cases" / "configurations.json"
CASES = json.loads(FILE.read_text("utf-8"))


def cases(name):
    return [pytest.param(*case, id=str(case[:-1])) for case in CASES[name]]


@pytest.mark.parametrize(("low", "high", "value", "share"), cases("shares"))
def test_a_value_has_its_place_on_a_log_axis(low, high, value, share):
    assert Scale(low, high).at(value) == share


def test_a_linear_axis_has_equal_lengths_for_equal_differences():
    scale = Scale(0, 80, log=False)
    assert [scale.at(n) for n in (0, 20, 40, 80, 90)] == [0, 25, 50, 100, 100]


@pytest.mark.parametrize(("values", "base", "expected"), cases("powers"))
def test_powers_enclose_the_values(values, base, expected):
    assert powers(values, base) == expected


@pytest.mark.parametrize(("values", "expected"), [
    ([7], [0, 2, 4, 6, 8]), ([10], [0, 2, 4, 6, 8, 10]), ([0.3], [0, .1, .2, .3]),
    ([26], [0, 10, 20, 30]), ([0], [0, .2, .4, .6, .8, 1]),
    ([1, 4000], [0, 1000, 2000, 3000, 4000]),
])
def test_whole_steps_reach_from_zero_to_the_largest(values, expected):
    assert whole_steps(values) == pytest.approx(expected)


@pytest.mark.parametrize(("places", "expected"), cases("spread"))
def test_names_keep_apart_in_order_within_the_drawing(places, expected):
    assert spread(places, 7) == expected


@pytest.mark.parametrize(("values", "steps", "shown"), [
    ([1, 1000], [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], [1, 10, 100, 1000]),
    ([0.8, 300], [.5, 1, 2, 5, 10, 20, 50, 100, 200, 500], [1, 10, 100]),
    ([0.8, 30], [.5, 1, 2, 5, 10, 20, 50], [.5, 1, 2, 5, 10, 20, 50]),
    ([3, 4], [2, 5], [2, 5]), ([7, 7], [5, 10], [5, 10]), ([1, 1], [1, 2], [1, 2]),
])
def test_decimal_steps_enclose_the_values_and_few_are_shown(values, steps, shown):
    assert decimal_steps(values) == pytest.approx(steps)
    assert few(decimal_steps(values)) == pytest.approx(shown)


def test_each_line_has_its_name_at_its_own_end():
    lines = [Line("a", "A", ((0, 1), (100, 50))), Line("b", "B", ((0, 2), (100, 48)))]
    placed = place_names(lines)
    assert [(line.name, line.name_at) for line in placed] == [("A", 55), ("B", 48)]
    assert [line.points for line in placed] == [line.points for line in lines]
    assert lines[0].path == "0,1 100,50"


def test_ticks_stand_at_their_values_each_second_one_minor():
    made = ticks(Scale(1, 16), [1, 4, 16], every=2)
    assert [(tick.at, tick.text, tick.minor) for tick in made] == [
        (0, "1", False), (50, "4", True), (100, "16", False)]
    assert [tick.at for tick in from_top(made)] == [100, 50, 0]
    assert downwards(33.33) == 66.67


@pytest.mark.parametrize(("number", "text"), [
    (1, "1"), (1.0, "1"), (0, "0"), (4096, "4,096"), (1.234, "1.23"), (12.34, "12.3"),
    (123.4, "123"), (12345.6, "12,346"), (0.1234, "0.123"), (0.001234, "0.00123"),
    (9.996, "10.00"),
])
def test_a_number_of_a_table_has_three_digits(number, text):
    assert readable(number) == text


def test_a_number_of_an_axis_is_short():
    assert [plain(n) for n in (0.1, 0.05, 1.0, 4096, 1e6)] == [
        "0.1", "0.05", "1", "4,096", "1,000,000"]


def test_rising_values_rise_each_time():
    assert is_rising([1, 2, 4]) and not is_rising([1, 2, 2]) and not is_rising([2, 1])


@pytest.mark.parametrize(("size_bytes", "text"), cases("sizes"))
def test_a_size_has_the_unit_that_keeps_it_short(size_bytes, text):
    assert binary_size(size_bytes) == text


def test_a_whole_size_has_no_decimal():
    assert [whole_size(2 ** n) for n in (5, 20, 35)] == ["32 bytes", "1 MiB", "32 GiB"]


@pytest.mark.parametrize(("part", "whole", "text"), cases("percents"))
def test_a_share_has_two_digits(part, whole, text):
    assert percent(part, whole) == text


@pytest.mark.parametrize(("words", "number", "text"), cases("counted"))
def test_one_of_a_thing_has_its_own_word(words, number, text):
    assert counted(words, number) == text
