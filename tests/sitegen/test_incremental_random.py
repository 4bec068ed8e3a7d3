"""An incremental build equals a clean one, whatever was edited in between.

A few steps here; `python -m tests.sitegen.random_edits 300` makes as many as wanted.
"""

import pytest

from tests.sitegen import edits, random_edits
from tests.sitegen.changing_site import ChangingSite

STEPS, SEED = 12, 6


@pytest.fixture
def site(tmp_path):
    """Return a site that can be changed, and built in two ways."""
    with ChangingSite(tmp_path) as site:
        yield site


def test_after_random_edits_both_builds_are_the_same(site, record_property):
    told, wrong = random_edits.walk(site, STEPS, SEED)
    record_property("printed", f"{STEPS} steps of random edits: {told}")
    assert not wrong, wrong


def test_a_build_that_misses_an_edit_is_told(site):
    walk = random_edits.Walk(site, SEED)
    walk.steps.append(({}, walk.switches()))
    site.replace("generator/sitegen/inputs.py", "if known and known[1:] == stat:",
                 "if known:")
    assert list(walk.compare()) == []
    edits.sentence(site, walk.chance)
    assert "these files differ" in "\n".join(walk.compare())
