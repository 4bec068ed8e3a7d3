"""Small sites with heatmaps, whose traces have 6, 32 and 128 positions."""

import pytest

from sitegen.pipeline import build
from sitegen.traces import read_array
from tests.browser.attention_heatmap.pages import FRONT, ONE_FIGURE, PAGE, TEXT
from tests.site_builder import SmallSite
from tests.synthetic_trace import add_trace, synthetic_trace


@pytest.fixture(scope="module")
def traces():
    """Traces by their number of positions."""
    return {length: synthetic_trace(length, packed=length > 6)
            for length in (6, 32, 128)}


@pytest.fixture(scope="module")
def sites(tmp_path_factory, traces):
    """Built sites by the number of positions of their trace."""
    built = {}
    for length, trace in traces.items():
        site = SmallSite(tmp_path_factory.mktemp(f"heatmap-{length}"))
        add_trace(site, trace)
        site.article(ONE_FIGURE if length == 32 else TEXT, FRONT)
        build(site.content, site.output)    # with scripts, which SmallSite leaves out
        built[length] = site.output
    return built


@pytest.fixture
def heatmap_reader(reader_of, sites):
    """Return a function that opens a heatmap page; nothing may be complained of."""
    def open_page(fragment="", length=6, **switches):
        page = reader_of(sites[length]).open(PAGE, fragment, **switches)
        if switches.get("scripts", True):
            page.wait_for_selector("#first [role=grid]")
        return page

    return open_page


@pytest.fixture
def weights(traces):
    """Return a function: positions, layer → weights [H, T, S]."""
    def read(length=6, layer=0):
        return read_array(traces[length]["tensors"][f"layers.{layer}.weights"])[0]
    return read
