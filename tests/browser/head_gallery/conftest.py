"""A small site with a gallery far down its page, a heatmap of its trace and a demo."""

import json

import pytest

from sitegen.pipeline import build
from tests.browser.harness import wait_until
from tests.browser.head_gallery.pages import DRAWN, FRONT, IDS, PAGE, SHEET, TEXT
from tests.pretrained_trace import parsed, pretrained_trace
from tests.site_builder import SmallSite
from tests.synthetic_trace import synthetic_trace

TRACES = "".join(f'[{name}]\nfile = "content/{name}.json"\n'
                 for name in ("demo", "pretrained"))


@pytest.fixture(scope="module")
def trace():
    """The recording that the gallery shows."""
    return parsed(pretrained_trace(len(IDS), 5, 6, token_ids=IDS))


@pytest.fixture(scope="module")
def gallery_site(tmp_path_factory, trace):
    """The built site."""
    site = SmallSite(tmp_path_factory.mktemp("gallery"))
    site.add("traces.toml", TRACES)
    site.add("demo.json", json.dumps(synthetic_trace(6)))
    site.add("pretrained.json", json.dumps(trace.data))
    site.article(TEXT, FRONT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@pytest.fixture
def gallery_reader(reader_of, gallery_site):
    """Reads the site; nothing may be complained of but what a test takes away."""
    return reader_of(gallery_site)


@pytest.fixture
def open_gallery(gallery_reader):
    """Return a function that opens the page, scrolled to a gallery that is drawn."""
    def open_page(fragment="", **switches):
        page = gallery_reader.open(PAGE, fragment, **switches)
        if switches.get("scripts", True):
            page.locator("head-gallery").scroll_into_view_if_needed()
            page.wait_for_selector(f"{SHEET} [role=gridcell]", state="attached")
            wait_until(page, DRAWN)
        return page
    return open_page
