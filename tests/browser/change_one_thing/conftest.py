"""A site on which one thing of the small model can be changed."""

import pytest

from tests.browser.change_one_thing.pages import TEXT
from tests.browser.harness import opener
from tests.browser.run_controls.pages import PAGE, model_site


@pytest.fixture(scope="module")
def change_site(tmp_path_factory):
    """The built site."""
    return model_site(tmp_path_factory.mktemp("changes"), TEXT)


@pytest.fixture
def change_reader(reader_of, change_site):
    """Return a function that opens the page; nothing may be complained of."""
    return opener(reader_of(change_site), PAGE, "#change .effects")
