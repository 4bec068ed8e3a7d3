"""What the text says of the peers follows from the file, our losses first."""

import json
import re
import runpy
from pathlib import Path

import pytest

from bench.report import RESULTS

ARTICLE = Path(__file__).parents[2] / "content/articles/how-this-site-is-built"
PEERS = json.loads((RESULTS / "peers.json").read_text("utf-8"))


@pytest.fixture
def said(tmp_path, monkeypatch):
    """Return a function: the file's data → the variables that the text reads."""
    monkeypatch.chdir(tmp_path)

    def read(data):
        Path("peers.json").write_text(json.dumps(data), "utf-8")
        return runpy.run_path(str(ARTICLE / "read_peers.py"))

    return read


def with_peer(**changes):
    """Return data of two tools: ours, and one that differs from it in this alone."""
    ours = next(peer for peer in PEERS["peers"] if peer["id"] == "ours")
    return {**PEERS, "peers": [ours, {**ours, "name": "another", **changes}]}


def test_the_text_says_what_the_file_says_of_us_and_others(said):
    text = (ARTICLE / "index.md").read_text("utf-8")
    names = re.findall(r"\[\[value run:(\w+)", text)
    assert {"behind", "behind_count", "compared", "noticed", "stale",
            "disk_faults"} <= set(names) <= said(PEERS).keys()


def test_a_tool_that_is_better_is_named_with_both_numbers(said):
    peak = with_peer()["peers"][0]["peak_megabytes"]
    found = said(with_peer(peak_megabytes=peak - 1))
    assert found["behind_count"] == 1
    assert found["behind"] == f"memory (another {peak - 1}; this one {peak})"
    assert said(with_peer(peak_megabytes=peak + 1))["behind"] == "none"


def test_a_tool_that_catches_more_is_ahead(said):
    caught = with_peer()["peers"][0]["caught_strict"]
    assert "mistakes that stop it (another" in said(
        with_peer(caught_strict=caught + 1))["behind"]
    assert said(with_peer(caught_strict=caught - 1))["behind"] == "none"


def test_a_tool_that_failed_is_compared_with_nothing(said):
    failed = {"id": "b", "name": "failed", "failed": "not installed here"}
    data = with_peer()
    found = said({**data, "peers": [*data["peers"], failed]})
    assert "failed" not in str([found["behind"], found["disk_faults"]])


def test_what_kept_an_old_result_is_named(said):
    found = said(with_peer(notices={"module": False, "data": True}))
    assert found["stale"] == "another (module)"
    assert found["noticed"].endswith("another (data)")


def test_what_is_wrong_from_disk_is_named_with_its_reason(said):
    disk = {**with_peer()["peers"][0]["disk"], "right": False, "search": "no search"}
    assert said(with_peer(disk=disk))["disk_faults"] == "another: search (no search)"
