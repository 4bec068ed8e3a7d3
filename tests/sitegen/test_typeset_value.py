"""Numbers of a run are set as a reader writes them; texts stay as they are."""

import pytest

from sitegen.values import typeset_value, write_value


@pytest.mark.parametrize("value, fmt, html", [
    (3e-16, ".0e", "3&nbsp;×&nbsp;10<sup>−16</sup>"),
    (-2.5e7, ".1e", "−2.5&nbsp;×&nbsp;10<sup>7</sup>"),
    (-0.618, ".3f", "−0.618"),
    (0.0, ".1g", "0"),
    (11264, ",", "11,264"),
    ([1, -2], "", "[1, −2]"),
    ("1e-5", "", "1e-5"),
    ("a-b <c>", "", "a-b &lt;c&gt;"),
    (["a-b", "c"], "", "[a-b, c]"),
])
def test_numbers_get_powers_and_minus_signs_and_texts_do_not(value, fmt, html):
    assert typeset_value(value, write_value(value, fmt)) == html
