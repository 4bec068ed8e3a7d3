"""A site on which tokens can be replaced."""

import pytest

from tests.browser.dependency_triangle.pages import PAGE, TEXT, generation_site


@pytest.fixture(scope="module")
def triangle_site(tmp_path_factory):
    """The built site."""
    return generation_site(tmp_path_factory.mktemp("triangle"), TEXT)


@pytest.fixture
def triangle_reader(reader_of, triangle_site):
    """Return a function that opens the page; nothing may be complained of."""
    def open_page(fragment="", **switches):
        page = reader_of(triangle_site).open(PAGE, fragment, **switches)
        if switches.get("scripts", True):
            page.wait_for_selector("#triangle [data-ready]")
        return page

    return open_page
