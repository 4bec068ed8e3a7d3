"""A site on which a generation can be cut into calls."""

import pytest

from tests.browser.cache_stepper.pages import stepper_site
from tests.browser.dependency_triangle.pages import PAGE


@pytest.fixture(scope="module")
def stepper_built(tmp_path_factory):
    """The built site."""
    return stepper_site(tmp_path_factory.mktemp("stepper"))


@pytest.fixture
def stepper_reader(reader_of, stepper_built):
    """Return a function that opens the page; nothing may be complained of."""
    def open_page(fragment="", **switches):
        page = reader_of(stepper_built).open(PAGE, fragment, **switches)
        if switches.get("scripts", True):
            page.wait_for_selector("#stepper [data-ready]")
        return page

    return open_page
