"""A site with an address, below a path of a host, and its page for what is missing."""

import functools
import http.server
import json
import threading

import pytest

from tests.site_builder import SmallSite
from tests.synthetic_trace import add_trace, synthetic_trace

PATH = "/deep/site"
FRONT = """---
title: "A </script> & <b>title</b>"
published: 2026-01-02
trace: demo
updates:
  - {date: 2026-02-03, text: A figure more}
corrections:
  - {date: 2026-02-04, text: A sign was wrong}
---
"""
TEXT = "## Part {#part}\n\nText.\n\n### Piece {#piece}\n\nText.\n\n" + (
    "/// side-note\nA note.\n///\n")
FOCUSED = """(({localName, className, parentElement}) =>
  `${localName}.${className} of ${parentElement.localName}`)(document.activeElement)"""


class _Host(http.server.SimpleHTTPRequestHandler):
    """Shows the site below PATH, and its page for what is missing, as hosts do."""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix(PATH))

    def send_error(self, code, message=None, explain=None):
        with open(f"{self.directory}/404.html", "rb") as file:
            content = file.read()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Build a site for an address and serve it; return (its folder, the address)."""
    site = SmallSite(tmp_path_factory.mktemp("published"))
    add_trace(site, synthetic_trace())
    site.article(TEXT, FRONT)
    site.build(f"https://example.org{PATH}")
    handler = functools.partial(_Host, directory=site.output)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield site.output, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def reader(reader_of, published):
    return reader_of(published[0])


def quiet(reader, address):
    """Assert that nothing was heard but requests to the host itself, and the browser's
    word that a page is missing."""
    heard = [text for text in reader.problems()
             if not text.startswith(f"request: {address}/") and "404" not in text]
    assert heard == []


def test_a_page_that_tells_programs_of_itself_breaks_no_rule(reader, published):
    address = published[1]
    page = reader.blank_page(offline=False)
    page.goto(f"{address}{PATH}/a/")
    data = page.evaluate(
        "document.querySelector('script[type=\"application/ld+json\"]').textContent")
    assert json.loads(data)["headline"] == "A </script> & <b>title</b>"
    assert page.title() == "A </script> & <b>title</b> · Site"
    quiet(reader, address)


def test_a_missing_page_at_any_depth_looks_like_the_site(reader, published):
    address = published[1]
    page = reader.blank_page(offline=False)
    page.goto(f"{address}{PATH}/a/b/c")
    assert page.evaluate("getComputedStyle(document.body).margin") == "0px"
    page.get_by_role("article").get_by_role("link").click()
    page.wait_for_url(f"**{PATH}/a/index.html")
    assert page.locator("h1").text_content() == "A </script> & <b>title</b>"
    quiet(reader, address)


def test_headings_and_changes_are_reached_and_linked_by_keyboard(reader):
    page = reader.open("a/index.html")
    page.locator("h2 .anchor").first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "a.anchor of h3"
    assert page.evaluate("getComputedStyle(document.activeElement).opacity") == "1"
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "a. of dt"         # the newest change
    page.keyboard.press("Enter")
    assert page.url.endswith("#correction-2026-02-04")
    page.locator("h3 .anchor").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#piece")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_what_is_published(reader, scheme, axe_violations):
    for path in ("a/index.html", "index.html"):
        assert axe_violations(reader.open(path, scheme=scheme)) == []
