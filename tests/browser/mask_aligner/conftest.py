"""A site on which a chunk's borders can be moved."""

import pytest

from tests.browser.dependency_triangle.pages import PAGE, generation_site
from tests.browser.harness import opener
from tests.browser.mask_aligner.pages import TEXT


@pytest.fixture(scope="module")
def aligner_site(tmp_path_factory):
    """The built site."""
    return generation_site(tmp_path_factory.mktemp("aligner"), TEXT)


@pytest.fixture
def aligner_reader(reader_of, aligner_site):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(aligner_site), PAGE, "#aligner [data-ready]")
