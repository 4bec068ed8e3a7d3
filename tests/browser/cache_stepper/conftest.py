"""A site on which a generation can be cut into calls."""

import pytest

from tests.browser.cache_stepper.pages import stepper_site
from tests.browser.dependency_triangle.pages import PAGE
from tests.browser.harness import opener


@pytest.fixture(scope="module")
def stepper_built(tmp_path_factory):
    """The built site."""
    return stepper_site(tmp_path_factory.mktemp("stepper"))


@pytest.fixture
def stepper_reader(reader_of, stepper_built):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(stepper_built), PAGE, "#stepper [data-ready]")
