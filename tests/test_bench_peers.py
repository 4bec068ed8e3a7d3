"""The peers get the same articles, and what they make of them is judged alike."""

import datetime
import json
import re
import sys

import pytest

from bench.articles import Author
from bench.peers.conversion import convert, outside_code
from bench.peers.costs import ENOUGH_S, STATES, Measured, change, shows
from bench.peers.defects import FLAWED, NAMES, Verdict, judge, plant, try_defects
from bench.peers.environments import NotInstalled, install, reason, run_or_say
from bench.peers.kept_cells import try_changes
from bench.peers.peer import ORDER, read_peer
from bench.peers.projects import Ended, new_project
from bench.peers.results import costs_record, defects_record, table_of, views_record
from bench.processes import Cost, cost_of
from bench.report import RESULTS
from bench.yardstick import FENCE, FORMULA

PEERS = {name: read_peer(name) for name in ORDER}
TEXT = Author(3, 20).article()


# -------------------------------------------------------------------- the same articles
@pytest.mark.parametrize("name", ORDER)
def test_each_peer_gets_all_of_an_article(name):
    dialect = PEERS[name].dialect
    text = convert(TEXT, "article-003", dialect)
    assert FENCE.findall(text) == FENCE.findall(TEXT)
    for found in FORMULA.finditer(TEXT):
        inline, display = (tex and tex.strip() for tex in found.groups())
        assert (dialect.inline.format(tex=inline) if inline
                else dialect.display.format(tex=display)) in text
    links = re.findall(r"\]\((?!https:)([^)]+)\)", text)
    assert len(links) == 2 and all("article-0" in link for link in links)
    assert "Article 3 of 20" in text and text.count("| what | index |") == 2


def test_our_own_dialect_changes_nothing():
    assert convert(TEXT, "article-003", PEERS["ours"].dialect) == TEXT


def test_code_is_no_place_for_formulas():
    text = "a\n\n```python\nb = '\\(x\\)'\n```\n\nc"
    assert outside_code(text, str.upper) == "A\n\n```python\nb = '\\(x\\)'\n```\n\nC"
    with pytest.raises(ValueError, match="not enough values"):
        convert("no front matter", "a", PEERS["ours"].dialect)


def test_a_project_is_configuration_and_articles(tmp_path):
    project = new_project(PEERS["ours"], tmp_path, tmp_path / "p", 2, [FLAWED])
    settings = (project.folder / "content/site.toml").read_text("utf-8")
    assert 'articles = ["article-000", "article-001", "flawed"]' in settings
    assert project.text("article-001").is_file()
    assert project.command()[0] == sys.executable
    assert not any("{" in part for part in project.command(strict=True))


# -------------------------------------------------------------- what is known of a peer
@pytest.mark.parametrize("name", [name for name in ORDER if name != "ours"])
def test_a_peer_s_version_is_pinned_and_told(name):
    peer = PEERS[name]
    assert re.fullmatch(r"[\w.]+", peer.version) and peer.version in peer.wanted
    assert peer.notes and (peer.folder / "project").is_dir()
    lines = peer.wanted.splitlines() if peer.install == "pip" else []
    assert all(re.match(r"[\w.-]+==\S+$|#|$", line) for line in lines)


def test_the_defects_of_all_peers_are_the_nine():
    assert len(NAMES) == 9 and set(PEERS["ours"].defects) == set(NAMES)
    for peer in PEERS.values():
        assert set(peer.defects) <= set(NAMES)


# --------------------------------------------------------------------------- installing
def test_what_cannot_be_installed_says_why_in_one_line(tmp_path):
    script = "import sys; print('ERROR: /home/me/x/y.py: no wheel'); sys.exit(1)"
    with pytest.raises(NotInstalled, match=r"^ERROR: y\.py: no wheel$"):
        run_or_say([sys.executable, "-c", script], tmp_path)
    with pytest.raises(NotInstalled, match="no-such: FileNotFoundError"):
        run_or_say([str(tmp_path / "no-such")], tmp_path)
    assert install(PEERS["ours"], tmp_path)     # which needs nothing


def test_a_reason_is_the_line_that_names_the_error():
    assert reason("a\nit failed: b\n\nhint\n") == "it failed: b"
    assert reason("Error: getaddrinfo ENOTFOUND a.example\nERROR: no wheel\n") == \
        "Error: getaddrinfo ENOTFOUND a.example"
    assert reason("a\nb\n") == "b" and reason("") == "it said nothing"
    assert reason("see https://a.example/b/c: failed") == \
        "see https://a.example/b/c: failed"


# -------------------------------------------------------------------------------- costs
def test_the_best_of_several_builds_counts():
    measured = Measured({state: [Cost(3.0, 9, 7_000_000), Cost(2.0, 9, 8_000_000)]
                         for state in STATES})
    bare = Measured({"cold": [Cost(4.0, 9, 1)]})
    assert costs_record(measured, bare) == {
        "seconds": dict.fromkeys(STATES, 2.0), "ratios": dict.fromkeys(STATES, 0.5),
        "runs": 2, "peak_megabytes": 7, "stale": False}
    assert measured.spent_seconds == 15 < ENOUGH_S


def test_a_changed_article_is_found_in_the_pages(tmp_path):
    text = tmp_path / "index.md"
    text.write_text(TEXT, "utf-8")
    word = change(text, 1)
    assert text.read_text("utf-8") == TEXT.replace(
        "\n[^aside]:", f"\nIt is {word}.\n\n[^aside]:")
    (tmp_path / "page.html").write_text("the old page", "utf-8")
    assert not shows(tmp_path, word)
    (tmp_path / "page.html").write_text(f"<p>It is {word}.</p>", "utf-8")
    assert shows(tmp_path, word)


def test_the_memory_of_a_process_that_a_command_starts_counts():
    child = "x = bytearray(150_000_000)"
    run = f"subprocess.run([sys.executable, '-c', {child!r}])"
    parent = [sys.executable, "-c", f"import subprocess, sys; {run}"]
    peak = cost_of(parent, cwd=None).peak_bytes
    assert 150e6 < peak < 400e6


# ------------------------------------------------------------------------------ defects
RIGHT = Ended(0, "INFO - built in 0.31 seconds\nWARNING: a theme is old\n")


@pytest.mark.parametrize(("ended", "verdict"), [
    (Ended(0, "INFO - built in 9.77 seconds\nWARNING: a theme is old\n"),
     Verdict("silent")),
    (Ended(0, "WARNING: docs/flawed/index.md: no page 'x'\n"),
     Verdict("warns", "file", "WARNING: docs/flawed/index.md: no page 'x'")),
    (Ended(0, "flawed/index.md:7: WARNING: no page 'x'\n"),
     Verdict("warns", "file and line", "flawed/index.md:7: WARNING: no page 'x'")),
    (Ended(1, "content/flawed.md:7:3: no page 'x'\n  see [x]\n"),
     Verdict("stops", "file and line", "content/flawed.md:7:3: no page 'x'")),
    (Ended(1, "Traceback\n  File a.py, line 9\nValueError: missing\n"),
     Verdict("stops", "", "ValueError: missing")),
    (Ended(2, ""), Verdict("stops")),
], ids=["other numbers", "file", "line", "own words", "traceback", "nothing"])
def test_a_build_with_a_defect_is_judged_by_status_and_words(ended, verdict):
    assert judge(ended, RIGHT) == verdict


def test_a_flawed_article_has_the_peer_s_front_matter_or_its_own(tmp_path):
    project = new_project(PEERS["ours"], tmp_path, tmp_path / "p", 1, [FLAWED])
    plant(project, "Words.\n")
    assert project.text(FLAWED).read_text("utf-8").startswith("---\ntitle: Flawed\n---")
    plant(project, PEERS["ours"].defects["front"].lstrip("\n"))
    assert project.text(FLAWED).read_text("utf-8").startswith("---\ntitle: [unclosed")


class Tool:
    """A project that is built by answering: text of the flawed article → how it ended,
    text of its page."""

    def __init__(self, folder, answer):
        self.peer, self.folder, self.answer = PEERS["ours"], folder, answer
        self.site = folder / "site"
        self.site.mkdir(parents=True, exist_ok=True)

    def text(self, article):
        return self.folder / f"{article}.md"

    def clear(self):
        (self.site / "page.html").unlink(missing_ok=True)

    def build(self, strict=False):
        ended, page = self.answer(self)
        (self.site / "page.html").write_text(page, "utf-8")
        return ended


def test_each_defect_is_tried_alone_and_what_cannot_be_planted_is_no_catch(tmp_path):
    def stops_at_code(tool):
        code = "```python" in tool.text(FLAWED).read_text("utf-8")
        return (Ended(1, "flawed.md:3: error") if code else Ended(0, "")), ""

    verdicts = try_defects(Tool(tmp_path, stops_at_code))
    assert [name for name in NAMES if verdicts[name].outcome == "stops"] == [
        "cell", "fence"]
    record = defects_record({**verdicts, "cell": Verdict("none")}, None)
    assert (record["caught"], record["caught_strict"], record["placed"]) == (1, 1, 1)
    with pytest.raises(ValueError, match="fails without a defect: broken"):
        try_defects(Tool(tmp_path, lambda tool: (Ended(1, "broken"), "")))


# -------------------------------------------------------------------- what was executed
def test_a_result_that_was_kept_too_long_is_seen(tmp_path):
    def value(tool):
        folder = tool.folder / tool.peer.execution.files.format(slug=FLAWED)
        module = re.search('"(.*)"', (folder / "helper.py").read_text("utf-8"))[1]
        return module, (folder / "data.txt").read_text("utf-8").strip()

    def always_first(tool):
        return Ended(0, ""), f"first-{value(tool)[1]}"

    def fresh(tool):
        return Ended(0, ""), "-".join(value(tool))

    assert try_changes(Tool(tmp_path / "a", fresh)) == {"module": True, "data": True}
    assert try_changes(Tool(tmp_path / "b", always_first)) == {
        "module": False, "data": True}
    with pytest.raises(ValueError, match="status 0"):
        try_changes(Tool(tmp_path / "c", lambda tool: (Ended(0, ""), "nothing")))


# ------------------------------------------------------------------------------ results
def test_the_table_has_a_row_for_each_and_says_why_one_has_no_figures():
    seen = views_record({"kilobytes": 99.6, "requests": 5, "elsewhere": 1},
                        {"styles": "", "formulas": "TeX", "code": "", "links": "",
                         "search": "no search"}, {"light": ["region"]})
    assert seen["disk"]["right"] is False and seen["axe"] == {"light": 1}
    record = {"name": "A", "failed": None, "ratios": dict.fromkeys(STATES, 0.5),
              "peak_megabytes": 70, "caught": 3, "caught_strict": 6, "placed": 4,
              **seen}
    lines = table_of([record, {"name": "B", "failed": "not installed here: b"}])
    assert lines.splitlines()[2:] == [
        "| A | 0.50 | 0.50 | 0.50 | 70 | 100 | 5 (1 elsewhere) | "
        "wrong: formulas, search | 3 of 9 | 6, 4 with file and line | 1 light |",
        "| B | not installed here: b |"]
    assert json.dumps(record)


def test_the_file_that_the_article_draws_has_every_peer():
    data = json.loads((RESULTS / "peers.json").read_text("utf-8"))
    assert datetime.date.fromisoformat(data["date"]) and data["processor"]
    assert [peer["id"] for peer in data["peers"]] == ORDER
    assert data["articles"] == 50 and list(data["defects"]) == list(NAMES)
    measured = [peer for peer in data["peers"] if not peer["failed"]]
    assert measured[0]["id"] == "ours" and len(measured) >= 4
    for peer in measured:
        assert set(peer["ratios"]) == set(STATES) and min(peer["ratios"].values()) > 0
        assert peer["version"] == PEERS[peer["id"]].version
        assert set(peer["each"]) == set(NAMES)
