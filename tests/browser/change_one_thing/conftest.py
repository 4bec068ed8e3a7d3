"""A site on which one thing of the small model can be changed."""

import pytest

from tests.browser.change_one_thing.pages import TEXT
from tests.browser.harness import Reader
from tests.browser.run_controls.pages import PAGE, model_site


@pytest.fixture(scope="module")
def change_site(tmp_path_factory):
    """The built site."""
    return model_site(tmp_path_factory.mktemp("changes"), TEXT)


@pytest.fixture
def change_reader(browsers, browser_name, change_site):
    """Return a function that opens the page; nothing may be complained of."""
    readers = []

    def open_page(fragment="", **switches):
        readers.append(Reader(browsers, browser_name, change_site))
        page = readers[-1].open(PAGE, fragment, **switches)
        if switches.get("scripts", True):
            page.wait_for_selector("#change .effects", state="visible")
        return page

    yield open_page
    problems = [problem for reader in readers for problem in reader.problems()]
    for reader in readers:
        reader.close()
    assert not problems, "\n".join(problems)
