"""Every golden page comes out as it was read and committed."""

import difflib

import pytest

from tests.golden_pages import EXPECTED, cases, golden_html


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_golden_page_is_what_it_was(case):
    expected = (case / EXPECTED).read_text("utf-8")
    found = golden_html(case)
    changes = difflib.unified_diff(expected.splitlines(), found.splitlines(),
                                   "expected", "found", lineterm="")
    assert found == expected, "\n".join(changes) + "\nif it is right: make golden"
