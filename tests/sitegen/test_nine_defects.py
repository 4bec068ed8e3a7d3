"""Nine mistakes of one article are told in one run, each under its character."""

import json
import shutil
from pathlib import Path

import pytest

from tests.site_builder import SmallSite

FOLDER = Path(__file__).parents[1] / "cases" / "defects"
DEFECTS = json.loads((FOLDER / "defects.json").read_text("utf-8"))["defects"]
ARTICLE = "content/articles/nine/index.md"


@pytest.fixture
def nine(tmp_path):
    """Return the site of the nine defects, and how to mend all but some of them."""
    shutil.copytree(FOLDER / "content", tmp_path / "content")
    site = SmallSite(tmp_path)
    shutil.copy(FOLDER / "content" / "site.toml", site.content)
    return site, lambda but=(): mend(site, but)


def mend(site, but):
    file = site.folder / ARTICLE
    text = file.read_text("utf-8")
    for defect in DEFECTS:
        assert text.count(defect["wrong"]) == 1
        if defect["name"] not in but:
            text = text.replace(defect["wrong"], defect["right"])
    file.write_text(text, "utf-8")


def caret(problem):
    """Return what stands above the caret of a printed problem, to the line's end."""
    _, line, mark, *_ = str(problem).split("\n")
    assert mark.strip() == "|" + " " * (mark.index("^") - mark.index("|") - 1) + "^"
    return line[mark.index("^"):]


def test_all_nine_are_told_in_one_run(nine):
    site, _ = nine
    told = site.failure()
    expected = sorted((entry for defect in DEFECTS for entry in defect["told"]),
                      key=lambda entry: [int(n) for n in entry["at"].split(":")])
    assert len(told) == len(expected) == 10
    for problem, entry in zip(told, expected, strict=True):
        assert str(problem.place) == f"{ARTICLE}:{entry['at']}"
        assert problem.message == entry["says"]
        assert entry["todo"] in problem.todo
        assert caret(problem).startswith(entry["caret"])


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect["name"])
def test_each_alone_is_all_that_is_told(nine, defect):
    site, mend_all = nine
    mend_all(but=[defect["name"]])
    told = site.failure()
    assert [problem.message for problem in told if "stands on lines" not in
            problem.message] == [entry["says"] for entry in defect["told"]
                                 if "stands on lines" not in entry["says"]]
    assert len(told) == len(defect["told"])
    assert all(caret(problem).startswith(entry["caret"])
               for problem, entry in zip(told, defect["told"], strict=True))


def test_none_of_them_is_a_site(nine):
    site, mend_all = nine
    mend_all()
    assert "nine/index.html" in site.build()
