"""Fixtures of the browser tests: the site, built once, and a reader in each browser."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.harness import Browsers, Reader
from tests.tools.browsers import KINDS

ROOT = Path(__file__).parents[2]
AXE = "axe.run(document, { preload: false, resultTypes: ['violations'] })"


@pytest.fixture(scope="session")
def site_dir(tmp_path_factory):
    """The site of the working tree, built once into a folder of its own."""
    output = tmp_path_factory.mktemp("browser") / "site"
    command = [sys.executable, "build.py", "--output", str(output)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return output


@pytest.fixture(scope="session")
def browsers():
    """The browsers of this session, launched when first asked for."""
    with sync_playwright() as playwright:
        launched = Browsers(playwright)
        yield launched
        launched.close()


def pytest_generate_tests(metafunc):
    """Run each test that does not name its browsers in both; axe, which reads what both
    build alike and takes four times as long in Firefox, in Chromium alone."""
    named = any(mark.args[0] == "browser_name"
                for mark in metafunc.definition.iter_markers("parametrize"))
    if "browser_name" in metafunc.fixturenames and not named:
        alone = "axe_violations" in metafunc.fixturenames
        metafunc.parametrize("browser_name", ["chromium"] if alone else list(KINDS))


@pytest.fixture
def reader_of(browsers, browser_name):
    """Return a function: a built site → a Reader of it in this test's browser.

    When the test is over, nothing may have been logged as an error, refused by the
    page's policy, failed to load, or asked of another host.
    """
    readers = []

    def new_reader(site):
        readers.append(Reader(browsers, browser_name, site))
        return readers[-1]

    yield new_reader
    problems = [problem for reader in readers for problem in reader.problems()]
    for reader in readers:
        reader.close()
    assert not problems, "\n".join(problems)


@pytest.fixture
def reader(reader_of, site_dir):
    """Opens pages of the site: `reader.open("index.html", scheme="dark")`."""
    return reader_of(site_dir)


@pytest.fixture
def open_page(reader):
    """Open a page: `open_page("inside-attention/index.html", "#L12", width=390)`."""
    return reader.open


@pytest.fixture
def page(reader):
    """The index, open at 1280 × 900 in light colours."""
    return reader.open("index.html")


@pytest.fixture(scope="session")
def axe_violations():
    """Return a function: page → a sentence for each of axe-core's findings."""
    # Run as an evaluation, since the policy refuses script tags, and without
    # preloading, since it refuses fetch.  Of what passes one element a rule is listed:
    # naming thousands of them takes longer than judging them.
    source = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")

    def violations(page):
        page.evaluate(source)
        result = page.evaluate(AXE)
        assert result["passes"], "axe looked at nothing"
        return [
            f"{page.url}: {found['id']}: {found['help']}: {node['html'][:200]}"
            for found in result["violations"]
            for node in found["nodes"]
        ]

    return violations
