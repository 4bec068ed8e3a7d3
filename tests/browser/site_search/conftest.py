"""The searched site, built once, and a reader of its search page."""

import pytest

from tests.browser.harness import opener
from tests.browser.site_search.pages import PAGE, search_site


@pytest.fixture(scope="module")
def searched_site(tmp_path_factory):
    """The built site."""
    return search_site(tmp_path_factory.mktemp("search"))


@pytest.fixture
def search_reader(reader_of, searched_site):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(searched_site), PAGE, "#search-field")
