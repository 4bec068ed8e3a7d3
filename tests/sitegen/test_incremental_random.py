"""An incremental build equals a clean one, whatever was edited in between.

Fifteen steps here; `python -m tests.sitegen.random_edits 300` makes as many as wanted.
"""

from tests.sitegen import edits, random_edits

STEPS, SEED = 15, 6


def test_after_random_edits_both_builds_are_the_same(tmp_path, record_property):
    told, wrong = random_edits.walk(tmp_path, STEPS, SEED, forks=False)
    record_property("printed", f"{STEPS} steps of random edits: {told}")
    assert not wrong, wrong


def test_a_build_that_misses_an_edit_is_told(tmp_path):
    walk = random_edits.Walk(tmp_path, SEED, forks=False)
    walk.steps.append(({}, walk.switches()))
    assert list(walk.compare()) == []
    walk.site.replace("generator/sitegen/inputs.py", "        if known and known[1:]",
                      "        if known:\n            return known[0]\n"
                      "        if known and known[1:]")
    assert list(walk.compare()) == []
    edits.sentence(walk.site, walk.chance)
    assert "these files differ" in "\n".join(walk.compare())
