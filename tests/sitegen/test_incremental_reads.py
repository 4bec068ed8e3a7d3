"""All that is opened while a page is made stands among what the page depends on."""

import json
import subprocess
import sys

from tests.sitegen.changing_site import ROOT, copy_project

PAGES = ("code", "how", "numbers", "printed", "walk", "weights")


def missing(folder, *forgotten):
    """Return slug → the names of files that were opened for its page, and are none of
    its inputs."""
    copy_project(folder / "project")
    ended = subprocess.run(
        [sys.executable, "-m", "tests.sitegen.page_reads", folder / "project/content",
         *forgotten], cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(map(json.loads, ended.stdout.splitlines()))


def test_every_file_that_a_page_was_made_of_is_among_its_inputs(tmp_path):
    assert missing(tmp_path) == {page: [] for page in PAGES}


def test_an_input_that_is_forgotten_is_told(tmp_path):
    assert missing(tmp_path, "content/walk.toml", "walk") == {
        "walk": ["content/walk.toml"]}
