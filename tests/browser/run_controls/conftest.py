"""A site with the run's controls and heatmaps, and one whose recording is spoiled."""

import pytest

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
def run_reader(reader_of, run_sites):
    """Return a function that opens the page; nothing may be complained of."""
    def open_page(fragment="", site="right", **switches):
        page = reader_of(run_sites[site]).open(PAGE, fragment, **switches)
        if site == "right" and switches.get("scripts", True):
            wait_for_controls(page)
        return page

    return open_page
