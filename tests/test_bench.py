"""What the benchmarks measure is what they say: not their figures, but their means."""

import datetime
import json
import re
import socket
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bench.articles import Author, write_content
from bench.decode import (
    CONTEXTS,
    EXACT,
    WAYS,
    check_logits,
    filled,
    measure_steps,
    system_share,
    ways_at,
    write_curve,
)
from bench.pages import BUDGETS, BUNDLES, articles, bundle_rows, bytes_by_kind, rows_of
from bench.processes import cost_of
from bench.report import RESULTS, Row, environment, table_of
from bench.yardstick import FENCE, FORMULA, render

TEXTS = [Author(number, 20).article() for number in range(20)]


def test_the_same_number_gives_the_same_article():
    assert Author(7, 20).article() == TEXTS[7]
    assert len(set(TEXTS)) == len(TEXTS)


@pytest.mark.parametrize("construct", [FORMULA, FENCE], ids=["formula", "code"])
def test_nothing_that_could_be_cached_stands_twice(construct):
    found = [match[0] for text in TEXTS for match in construct.finditer(text)]
    assert len(set(found)) == len(found) > 3 * len(TEXTS)


def test_the_yardstick_does_all_of_the_work():
    for text in TEXTS[:3]:
        page = render(text)
        assert page.count("<math") == len(FORMULA.findall(text)) == 10
        assert page.count('class="codehilite"') == len(FENCE.findall(text)) == 4
        assert page.count("<table>") == 2 and page.count("<h2") == 8
        assert "FORMULA" not in page and '<span class="k">def</span>' in page


def test_the_generator_builds_the_same_texts(tmp_path):
    texts = write_content(tmp_path / "content", 2)
    command = [sys.executable, "build.py", "--content", str(tmp_path / "content")]
    cost = cost_of([*command, "--output", str(tmp_path / "site")], cwd=None)
    assert cost.cpu_seconds > 0
    for text in texts:
        page = tmp_path / "site" / text.parent.name / "index.html"
        written = re.search(r"<article.*</article>", page.read_text("utf-8"), re.S)[0]
        assert written.count("<math") == 10 and written.count("<table") == 2


def test_a_command_that_fails_is_not_measured():
    with pytest.raises(subprocess.CalledProcessError):
        cost_of([sys.executable, "-c", "raise SystemExit(3)"], cwd=None)


def test_the_processes_that_a_command_starts_are_counted():
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    assert cost_of([sys.executable, "-c", parent], cwd=None).cpu_seconds > 0.5


def test_the_table_says_which_budget_is_kept():
    rows = [Row("page", "a", 7, "kB", 6), Row("page", "b", 5, "kB", 6),
            Row("page", "c", 0.12345, "s")]
    assert table_of(rows).splitlines()[2:] == [
        "| a | 7 | kB | 6 | **over** |",
        "| b | 5 | kB | 6 | kept |",
        "| c | 0.123 | s |  |  |",
    ]


def test_what_the_page_carries_is_told_apart():
    island = b'<script type="application/json" id="t">{}</script>'
    listing = b"<source-reader>code</source-reader>"
    view = {"a/index.html": b"text" + island + listing, "a.css": b"12", "b.js": b"123",
            "c.woff2": b"1234"}
    assert bytes_by_kind(view) == {"html": 4, "islands": len(island), "css": 2, "js": 3,
                                   "listing": len(listing), "font": 4}
    with pytest.raises(ValueError, match="not enough values"):
        bytes_by_kind({"a.css": b"12"})


def test_every_article_is_weighed_and_the_first_has_budgets():
    assert articles()[0] == "inside-attention" and "kv-cache" in articles()
    view = {"a/index.html": b"x" * 4000, "a.css": b"y" * 1000}
    first, other = list(rows_of(view, budgets=BUDGETS)), list(rows_of(view, "b: "))
    assert [f"b: {row.name}" for row in first] == [row.name for row in other]
    assert [(row.value, row.budget) for row in first if row.budget] == [
        (5, 250), (0, 100), (0, 130), (2, 6)]
    assert not any(row.budget for row in other)


def test_what_comes_late_is_weighed_file_by_file(tmp_path):
    for size, name in enumerate(BUNDLES):
        (tmp_path / name).write_bytes(b"x" * 1000 * size)
    assert [row.value for row in bundle_rows(tmp_path)] == [*range(len(BUNDLES))]
    (tmp_path / "cache.css").unlink()
    with pytest.raises(FileNotFoundError):
        list(bundle_rows(tmp_path))


def test_the_environment_names_no_host_and_no_folder():
    words = " ".join(map(str, environment().values()))
    assert not re.search(r"/|\\|" + re.escape(socket.gethostname()), words)


# ------------------------------------------------------------------- the decode step
@pytest.fixture(scope="module")
def measured():
    """Return the records of two short contexts."""
    return measure_steps((16, 32), repeats=3)


def test_a_step_reads_the_keys_and_values_of_every_position(measured):
    assert [record["positions"] for record in measured] == [16, 32]
    per_position = 2 * 4 * 2 * 32 * 4   # K and V, layers, KV heads, channels, float32
    assert [record["cache_bytes"] for record in measured] == [
        16 * per_position, 32 * per_position]
    assert all(record[way] > 0 for record in measured for way in WAYS)


def test_a_step_taken_twice_is_the_same_step():
    for name, take in ways_at(20, np.float64).items():
        logits, read_bytes = take()
        again, read_again = take()
        assert (logits == again).all() and read_bytes == read_again, name


def test_a_step_that_gives_other_logits_is_not_measured(monkeypatch):
    logits = {way: take()[0] for way, take in ways_at(20, np.float64).items()}
    check_logits(logits, EXACT)
    spoiled = {**logits, "concatenated": logits["concatenated"] * (1 + 1e-9)}
    with pytest.raises(ValueError, match=r"concatenated: .* at most 1e-12 is rounding"):
        check_logits(spoiled, EXACT)
    monkeypatch.setattr("bench.decode.filled", one_position_too_few)
    with pytest.raises(ValueError, match="preallocated: logits differ"):
        measure_steps((16,), repeats=1)


def one_position_too_few(kind, model, token_ids):
    """Return a cache that lacks the token before the last."""
    return filled(kind, model, np.delete(token_ids, -2, axis=1))


def test_the_curve_is_written_as_ratios_to_the_shortest_context(measured, tmp_path):
    records = [{**measured[0], "preallocated": 2.0, "concatenated": 3.0,
                "recomputed": 8.0}, {**measured[1], "preallocated": 4.0}]
    curve = json.loads(write_curve(records, 0.75, tmp_path).read_text("utf-8"))
    first, second = curve["decode"]
    assert [first[way] for way in WAYS] == [1, 1.5, 4]
    assert second["preallocated"] == 2
    assert set(first) == {"positions", *WAYS, "cache_bytes"}
    assert "Of recomputing 32 positions 75% is the system's time" in curve["what"]


def test_the_system_s_share_is_of_the_call_alone(monkeypatch):
    spent = SimpleNamespace(user=5.0, system=9.0)    # of what ran before
    monkeypatch.setattr("bench.decode.os.times", lambda: SimpleNamespace(**vars(spent)))

    def take():
        spent.user += 1
        spent.system += 3

    assert system_share(take) == 0.75


def test_the_curve_that_the_article_draws_was_measured_in_full():
    curve = json.loads((RESULTS / "decode.json").read_text("utf-8"))
    assert list(curve) == ["date", "processor", "versions", "what", "decode"]
    assert datetime.date.fromisoformat(curve["date"]) and curve["processor"]
    assert list(curve["versions"]) == ["python", "numpy"]
    records = curve["decode"]
    assert tuple(record["positions"] for record in records) == CONTEXTS
    assert CONTEXTS[0] == 16 and CONTEXTS[-1] == 4096
    assert records[0]["preallocated"] == 1
    for record in records:
        assert record["recomputed"] > record["preallocated"] > 0
        assert record["cache_bytes"] == 2048 * record["positions"]
