"""A site on which tokens can be replaced."""

import pytest

from tests.browser.dependency_triangle.pages import PAGE, TEXT, generation_site
from tests.browser.harness import opener


@pytest.fixture(scope="module")
def triangle_site(tmp_path_factory):
    """The built site."""
    return generation_site(tmp_path_factory.mktemp("triangle"), TEXT)


@pytest.fixture
def triangle_reader(reader_of, triangle_site):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(triangle_site), PAGE, "#triangle [data-ready]")
