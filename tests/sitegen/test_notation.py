"""Numbers, colours and labels: the page's scripts are held to the same cases."""

import json
import math
from pathlib import Path

import pytest

from sitegen import notation

FILE = Path(__file__).parents[1] / "cases" / "notation.json"
CASES = json.loads(FILE.read_text("utf-8"))


def _cases(name):
    return [pytest.param(*case, id=repr(case[:-1])) for case in CASES[name]]


@pytest.mark.parametrize(("number", "digits", "text"), _cases("fixed"))
def test_a_number_has_its_decimals(number, digits, text):
    assert notation.fixed(number, digits) == text


@pytest.mark.parametrize(("number", "digits", "text"), _cases("signed"))
def test_a_difference_says_its_sign(number, digits, text):
    assert notation.signed(number, digits) == text


@pytest.mark.parametrize(("weight", "name"), _cases("weight_class"))
def test_a_weight_has_the_nearest_stop(weight, name):
    assert notation.weight_class(weight) == name


@pytest.mark.parametrize(("weight", "name"), _cases("root_class"))
def test_the_square_root_scale_spreads_small_weights(weight, name):
    assert notation.weight_class(weight, root=True) == name


@pytest.mark.parametrize(("difference", "name"), _cases("signed_class"))
def test_a_difference_has_a_side_and_a_stop(difference, name):
    assert notation.signed_class(difference) == name


@pytest.mark.parametrize(("label", "text"), _cases("visible"))
def test_what_is_invisible_in_a_label_is_shown(label, text):
    assert notation.visible(label) == text


def test_what_is_not_finite_is_said_in_words_of_its_own():
    assert notation.fixed(-math.inf, 6) == "−∞"
    assert notation.fixed(math.inf, 2) == "∞"
    assert notation.fixed(math.nan, 2) == "NaN"
