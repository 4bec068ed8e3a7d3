"""A page that `build.py serve` shows follows the builds: it is read again where its
reader was, says what is wrong, and stays in use meanwhile."""

import pytest

from tests.browser.harness import Reading, wait_until
from tests.serving import Serving
from tests.site_builder import SmallSite

pytestmark = pytest.mark.parametrize("browser_name", ["chromium"])
LONG = "\n\n".join(f"## Part {n} {{#part-{n}}}\n\n" + "Many words. " * 150
                   for n in range(12))
TOP = """(id) => document.getElementById(id).getBoundingClientRect().top"""
NO_PAGE_YET = "status of 503"
PANEL = "serve-problems details"
IS_OPEN = """() => document.querySelector("serve-problems").shadowRoot
  .querySelector("details").open"""


@pytest.fixture
def site(tmp_path):
    """A site of one long article."""
    small = SmallSite(tmp_path)
    small.article(LONG)
    return small


@pytest.fixture
def served(site, browsers, browser_name):
    """Return a function: serve the site and open its article; nothing may go wrong in
    its page."""
    started, complaints = [], []

    def serve():
        serving = Serving(site)
        page = browsers.new_page(browser_name, Reading(offline=False))
        started.extend([page.context, serving])
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        serving.wait_for("^(built in|1 problem)")
        page.goto(serving.address + "a/#part-6")
        return page

    yield serve
    for each in started:
        each.close()
    assert [text for text in complaints if NO_PAGE_YET not in text] == []


def test_a_page_is_read_again_where_its_reader_was(site, served):
    page = served()
    other = page.context.new_page()
    other.goto(page.url.partition("#")[0])
    page.mouse.wheel(0, 230)
    wait_until(page, f"() => ({TOP})('part-6') < -200")
    before = page.evaluate(TOP, "part-6")
    site.article("New words before all others. " * 90 + "\n\n" + LONG)
    for each in (page, other):
        each.get_by_text("New words before").wait_for(state="attached")
    wait_until(page, f"() => document.readyState === 'complete' "
               f"&& Math.abs(({TOP})('part-6') - {before}) < 2")
    assert page.url.endswith("/a/#part-6")
    assert other.evaluate("scrollY") == 0


def test_a_mistake_is_said_in_the_page_and_goes_when_it_is_mended(site, served):
    site.article("[a](<b>.txt)\n\n" + LONG)
    page = served()
    panel = page.locator(PANEL)
    assert page.title() == "No page yet"
    assert panel.inner_text().split("\n\n")[:2] == [
        "1 problem", "content/articles/a/index.md:4:5: no file or page '<b>.txt'"]
    site.article(LONG)
    page.get_by_text("Part 6").first.wait_for()
    page.evaluate("window.sameDocument = true")
    site.article("Text.\n\n[a](<c>.txt)\n\n" + LONG)
    panel.wait_for()
    summary, what, more = panel.inner_text().split("\n\n")
    assert summary == "1 problem; the last good page stays"
    assert what == "content/articles/a/index.md:6:5: no file or page '<c>.txt'"
    assert more.startswith("    | [a](<c>.txt)\n    |     ^\n")
    page.locator(f"{PANEL} summary").press("Escape")
    assert not page.evaluate(IS_OPEN)
    assert page.evaluate("window.sameDocument") and "Part 6" in page.content()
    site.article(LONG)
    panel.wait_for(state="detached")
