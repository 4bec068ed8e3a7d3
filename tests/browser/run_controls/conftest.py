"""A site with the run's controls and heatmaps, and one whose recording is spoiled."""

import pytest

from tests.browser.harness import Reader
from tests.browser.run_controls.pages import (
    FAR,
    PAGE,
    SPOILED_BY,
    TEXT,
    model_site,
    wait_for_controls,
)


def spoil(trace):
    trace["tensors"]["layers.1.heads"]["values"][7] += SPOILED_BY


@pytest.fixture(scope="module")
def run_sites(tmp_path_factory):
    """Built sites: 'right', 'far' (the controls stand screens below the figures), and
    'spoiled' in one recorded number."""
    texts = {"right": (TEXT, None), "far": (FAR, None), "spoiled": (TEXT, spoil)}
    return {name: model_site(tmp_path_factory.mktemp(f"runs-{name}"), *text)
            for name, text in texts.items()}


@pytest.fixture
def run_reader(browsers, browser_name, run_sites):
    """Return a function that opens the page; nothing may be complained of."""
    readers = []

    def open_page(fragment="", site="right", **switches):
        readers.append(Reader(browsers, browser_name, run_sites[site]))
        page = readers[-1].open(PAGE, fragment, **switches)
        if site == "right" and switches.get("scripts", True):
            wait_for_controls(page)
        return page

    yield open_page
    problems = [problem for reader in readers for problem in reader.problems()]
    for reader in readers:
        reader.close()
    assert not problems, "\n".join(problems)
