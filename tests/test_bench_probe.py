"""What the probe's bench prints is what it measured: its rows, its pages, its peers."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bench import galleries
from bench.galleries import Gallery, drawn_trace, own_gallery, peer_galleries
from bench.probe import (
    BARE,
    MEMORY_LENGTHS,
    NAMES,
    PEERS,
    TIME_ROUNDS,
    keep,
    memory_rows,
    read_today,
    time_rows,
    ways_at,
)
from bench.report import Row
from sitegen.traces import parse_trace

PEERS_FILE = Path(galleries.__file__).with_name("peers.txt").read_text("utf-8")


def test_time_is_told_as_a_ratio_to_the_bare_pass():
    rows = list(time_rows(64, {BARE: 2.0, "capture": 2.1, "nnsight": 3.0}))
    assert [(row.value, row.unit, row.kept) for row in rows] == [
        (2.0, "s", None), (1.05, "× bare", True), (1.5, "× bare", None)]
    slow, = [row for row in time_rows(64, {BARE: 2.0, "capture": 2.3})
             if "capture" in row.name]
    assert slow.kept is False


def test_memory_is_what_a_way_adds_to_the_bare_pass():
    added = {BARE: {"64": 5_000_000, "1024": 100_000_000},
             "capture": {"64": 4_000_000, "1024": 140_000_000},
             "output_attentions": {"64": 9_000_000, "1024": 1_200_000_000}}
    rows = {row.name: row for row in memory_rows(added)}
    assert rows["T = 1024: the probe's capture, beyond that"].value == 40
    assert rows["T = 1024: the probe's capture, beyond that"].kept
    assert rows["T = 1024: output_attentions=True, beyond that"].value == 1100
    assert rows["T = 64: the probe's capture, beyond that"].value == 0, "the allocator"
    assert len(rows) == 6


def test_what_is_measured_again_replaces_only_its_own_rows(tmp_path):
    keep("memory", [Row("memory", "a", 7, "MB", 64)], {"torch": "2"}, tmp_path)
    keep("time", [Row("time", "b", 1.5, "s")], {"nnsight": "0.8"}, tmp_path)
    keep("memory", [Row("memory", "c", 70, "MB", 64)], {"torch": "3"}, tmp_path)
    rows, notes = read_today(tmp_path)
    assert [(row.name, row.kept) for row in rows] == [("b", None), ("c", False)]
    assert (notes["torch"], notes["nnsight"]) == ("3", "0.8")
    assert len(list(tmp_path.glob("*-probe.json"))) == 1


def test_peers_are_asked_for_only_where_a_folder_has_them():
    assert not set(PEERS) & set(ways_at(64, peers=""))
    assert set(ways_at(64, peers="somewhere")) == {BARE, *NAMES}
    assert "recorded" in ways_at(64, "") and "recorded" not in ways_at(512, "")
    assert all(ways_at(length, "")[0] == BARE for length in TIME_ROUNDS)
    assert max(MEMORY_LENGTHS) == 1024, "where issue 3 has its goal"


@pytest.fixture(scope="module")
def drawn():
    """A trace of drawn attention, and the same weights as the peers get them."""
    return drawn_trace(33)


def test_all_pages_show_the_same_weights(drawn):
    data, weights = drawn
    trace, problems = parse_trace("measured", "trace.json", json.dumps(data))
    assert problems == []
    assert weights.shape == (galleries.LAYERS, galleries.HEADS, 33, 33)
    for index, layer in enumerate(weights):
        assert np.array_equal(trace.tensor(f"layers.{index}.weights")[0], layer)
    assert not np.triu(weights, 1).any()


def test_the_bytes_of_our_page_leave_out_only_what_it_never_asks_for(tmp_path):
    files = {"index.html": 1, "static/app.js": 10, "measured/trace.json": 100,
             "measured/index.html": 1000, "measured/data/measured/a.js": 10_000}
    for name, size in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    gallery = own_gallery(tmp_path / "measured" / "index.html")
    assert gallery.size_bytes == 11_010


def test_the_bytes_of_a_peer_s_page_have_its_scripts_with_them(tmp_path):
    for number, name in enumerate(galleries.SCRIPTS.values(), 1):
        path = tmp_path / "node_modules" / name
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(10 ** number))
    for name in ("bertviz", "circuitsvis"):
        (tmp_path / f"{name}.html").write_bytes(b"12345")
    sizes = {found.name: found.size_bytes for found in peer_galleries(
        tmp_path, str(tmp_path))}
    assert sizes == {"BertViz": 1115, "CircuitsVis": 5}


def test_the_peers_file_names_what_is_measured_and_no_place():
    pinned = set(re.findall(r"^([\w-]+)==\d", PEERS_FILE, re.MULTILINE))
    assert {"transformer-lens", "nnsight", "bertviz", "circuitsvis"} <= pinned
    packages = {path.split("/")[0] for path in galleries.SCRIPTS.values()}
    asked = re.search(r"npm install .*", PEERS_FILE)[0]
    assert packages == set(re.findall(r"(\w+)@", asked))
    assert not re.search(r"https?:|(^|\s)/\w", PEERS_FILE)


class FakeSession:
    """Chromium's own account of its work: ten milliseconds more each time."""

    def __init__(self):
        self.seconds = 0.0

    def send(self, method, *_):
        """Answer Performance.getMetrics."""
        if method != "Performance.getMetrics":
            return {}
        self.seconds += 0.01
        return {"metrics": [{"name": "TaskDuration", "value": self.seconds}]}


class FakePage:
    """A page that follows, or does not."""

    def __init__(self, follows):
        self.follows, self.chosen, self.context = follows, [], self

    def new_cdp_session(self, _):
        """Return the session of this page."""
        return FakeSession()

    def evaluate(self, _, index):
        """Choose a head; return whether it is the one shown."""
        self.chosen.append(index)
        return self.follows


GALLERY = Gallery("a page", Path("page.html"), "ready", "click", "shown")


def test_each_switch_goes_to_a_head_of_another_layer():
    page = FakePage(follows=True)
    assert galleries.median_switch(page, GALLERY) == pytest.approx(10)
    layers = [index // galleries.HEADS for index in page.chosen]
    assert all(a != b for a, b in pairwise(layers))
    assert len(set(page.chosen)) == galleries.CHANGES


def test_a_page_that_does_not_follow_has_no_time():
    with pytest.raises(ValueError, match="a page does not show head 1 of all"):
        galleries.median_switch(FakePage(follows=False), GALLERY)
