"""The page with previews, built once, and a reader of it."""

import pytest

from tests.browser.harness import opener
from tests.browser.hover_preview.pages import PAGE, preview_site


@pytest.fixture(scope="module")
def preview_built(tmp_path_factory):
    """The built site."""
    return preview_site(tmp_path_factory.mktemp("previews"))


@pytest.fixture
def preview_reader(reader_of, preview_built):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(preview_built), PAGE, "#article")
