"""A site is the same bytes wherever, whenever and by whomever it is built."""

import datetime
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site_builder import SETTINGS, SmallSite, snapshot

BUILD = Path(__file__).parents[2] / "build.py"
TEXT = """
## Title \\(x_1\\)

Text[^1] [@k] and [](#eq-a), [one](data.json), [other](<注意 two.csv>).

\\[ a_1 \\] {#eq-a}

[^1]: A note.

/// snippet | s
```python
import os, time
hour = time.localtime(0).tm_hour
words = list({"one", "two", "three", "four"})
```

Caption.
///

[[value run:words]] [[value run:hour]]
"""
# Other files come first, and time is another: as on another day and file system.
ELSEWHERE = """
import os, runpy, sys, time
listdir, scandir, now = os.listdir, os.scandir, time.time

class Turned:
    def __init__(self, folder="."):
        self.entries = sorted(scandir(folder), key=lambda entry: entry.name)

    __enter__ = __iter__ = lambda self: self
    __exit__ = close = lambda self, *_: None

    def __next__(self):
        if not self.entries:
            raise StopIteration
        return self.entries.pop()

os.listdir = lambda folder=".": sorted(listdir(folder), reverse=True)
os.scandir = Turned
time.time = lambda: now() + 400 * 86400
os.umask(0o077)
sys.argv[:] = sys.argv[1:]
sys.path[0] = os.path.dirname(sys.argv[0])
runpy.run_path(sys.argv[0], run_name="__main__")
"""
HERE = {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
THERE = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C",
         "PYTHONCOERCECLOCALE": "0", "SOURCE_DATE_EPOCH": "86400"}
TURKISH = {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR", "LANGUAGE": "tr",
           "PYTHONWARNDEFAULTENCODING": "1",
           "PYTHONWARNINGS": "error::EncodingWarning"}
FOLDER = "a longer näme, 注意, back\\slash, {{ x }}/" + "long" * 50


def build_in(folder, text=TEXT, program=(), **environment):
    """Build a site in a folder; return path → bytes of what was written."""
    folder.mkdir(parents=True)
    site = SmallSite(folder)
    site.add("references.bib", "@misc{k, title={T}, author={A, B}, year={2020}}\n")
    site.add("site.toml", SETTINGS.replace('["a"]', '["a", "b", "c"]'))
    site.article(text)
    for slug in "bc":
        site.article("## Part\n\nText, [back](../a/index.html).\n", slug=slug)
    site.add("articles/a/data.json", "[1]")
    site.add("articles/a/注意 two.csv", "1,2")
    done = subprocess.run(
        [sys.executable, *program, str(BUILD), "--content", str(site.content),
         "--output", str(site.output), "--base-url", "https://example.org/x"],
        env={**os.environ, **environment}, capture_output=True, text=True,
        encoding="utf-8", errors="replace", cwd=folder)
    assert done.returncode == 0, done.stderr
    return snapshot(site.output)


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return the site that everybody else should get too."""
    return build_in(tmp_path_factory.mktemp("here") / "one", **HERE)


@pytest.mark.parametrize(("program", "environment"), [
    (["-c", ELSEWHERE], THERE), ([], TURKISH)], ids=["elsewhere", "turkish"])
def test_a_build_elsewhere_gives_the_same_bytes(tmp_path, here, program, environment):
    there = build_in(tmp_path / FOLDER, program=program, **environment)
    assert there.keys() == here.keys()
    assert [path for path in here if there[path] != here[path]] == []


def test_what_depends_on_the_place_would_be_found_out(tmp_path):
    text = TEXT.replace("list({", "list({os.environ['PLACE'], ")
    one, other = (build_in(tmp_path / place, text, PLACE=place) for place in "ab")
    assert one["a/index.html"] != other["a/index.html"]


def test_no_page_tells_when_it_was_built(here):
    today = datetime.datetime.now(datetime.UTC)
    for path, content in here.items():
        for form in ("%Y-%m-%d", "%d %b %Y", "%d %B %Y", "%B %Y"):
            assert today.strftime(form).encode() not in content, path
