"""A site on which the bytes of caches are calculated, and lines of a file are drawn."""

from pathlib import Path

import pytest

from sitegen.pipeline import build
from tests.browser.cache_bytes.pages import PAGE, TEXT
from tests.browser.harness import opener
from tests.site_builder import SmallSite

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def bytes_site(tmp_path_factory):
    """The built site."""
    site = SmallSite(tmp_path_factory.mktemp("bytes"))
    for file in ("content/configurations.json", "tests/golden/line-plot/decode.json"):
        site.add(f"articles/a/{Path(file).name}", (ROOT / file).read_bytes())
    site.article(TEXT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@pytest.fixture
def bytes_reader(reader_of, bytes_site):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(bytes_site), PAGE, "#sizes [data-ready]")
