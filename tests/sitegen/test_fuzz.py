"""A share of what python -m tests.fuzz tries, and what it would catch."""

import time
from types import SimpleNamespace

import pytest

from sitegen.errors import BuildFailed
from tests.fuzz import runner
from tests.fuzz.kinds import kinds
from tests.fuzz.mutations import shrunk
from tests.fuzz.runner import Tries, regressions, run_kinds

KINDS = kinds()
SHARE = 100     # inputs of all kinds


def test_inputs_of_every_kind_give_a_page_or_problems():
    done = run_kinds(KINDS, SHARE, seed=7)
    assert [list(tries.faults) for tries in done] == [[]] * len(KINDS)
    assert all(tries.counts.total() for tries in done)
    assert sum(tries.counts["page"] for tries in done)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_sound_input_gives_a_page_and_kept_ones_no_fault(kind, tmp_path):
    tries = Tries(kind, tmp_path)
    if kind.name not in ("article", "references.bib"):
        assert tries.attempt(kind.sound[0]) == "page"
    for file in regressions(kind):
        assert tries.attempt(file.read_bytes()) in ("page", "problems")


def planted(tmp_path, build):
    """Return Tries whose build is another."""
    tries = Tries(KINDS[1], tmp_path)
    tries.folder = SimpleNamespace(build=lambda path, data: build(data))
    return tries


def raises_on_a_bar(data):
    if b"|" in data:
        raise TypeError("planted")


def loops(data):
    while True:
        pass


def fails_without_problems(data):
    raise BuildFailed([])


@pytest.mark.parametrize(("build", "expected"), [
    (raises_on_a_bar, "TypeError at "), (loops, "Hang at "),
    (fails_without_problems, "a failure without problems")])
def test_a_planted_mistake_is_a_fault(tmp_path, monkeypatch, build, expected):
    monkeypatch.setattr(runner, "SECONDS", 0.2)
    started = time.process_time()
    assert planted(tmp_path, build).attempt(b"a|b").startswith(expected)
    assert time.process_time() - started < 4


def test_a_fault_is_kept_short(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "REGRESSIONS", tmp_path / "kept")
    tries = planted(tmp_path, raises_on_a_bar)
    tries.count(b"a" * 50 + b"|" + b"b" * 50)
    tries.keep()
    assert [file.read_bytes() for file in (tmp_path / "kept").iterdir()] == [b"|"]
    assert tries.counts["faults"] == 1


def test_shrinking_keeps_what_fails():
    assert shrunk(b"abcdef", lambda data: b"b" in data and b"e" in data) == b"be"
