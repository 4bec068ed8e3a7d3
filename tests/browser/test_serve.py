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
def page(site, browsers, browser_name):
    """The article as it is served, at its sixth part; nothing may be refused."""
    serving = Serving(site)
    serving.wait_for("^built in ")
    opened = browsers.new_page(browser_name, Reading(offline=False))
    complaints = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(serving.address + "a/#part-6")
    yield opened
    opened.context.close()
    serving.close()
    assert complaints == []


def test_a_page_is_read_again_where_its_reader_was(site, page):
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


def test_a_mistake_is_said_in_the_page_and_goes_when_it_is_mended(site, page):
    page.evaluate("window.sameDocument = true")
    site.article("[a](<b>.txt)\n\n" + LONG)
    panel = page.locator(PANEL)
    panel.wait_for()
    text = panel.inner_text()
    assert text.startswith("1 problem; the last good page stays\n")
    assert "content/articles/a/index.md:4:5: no file or page '<b>.txt'" in text
    assert "    | [a](<b>.txt)\n    |     ^\n" in text
    page.locator(f"{PANEL} summary").press("Escape")
    assert not page.evaluate(IS_OPEN)
    assert page.evaluate("window.sameDocument") and "Part 6" in page.content()
    site.article("[a](<c>.txt)\n\n" + LONG)
    wait_until(page, IS_OPEN)
    assert "<c>.txt" in panel.inner_text()
    site.article(LONG)
    panel.wait_for(state="detached")
