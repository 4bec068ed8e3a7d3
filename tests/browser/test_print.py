"""The article on paper: Playwright emulates print in Chromium only."""

import pytest

from tests.browser.test_site import ARTICLE

BLANK_PDF_BYTES = 8_000  # more than an empty page takes in either browser


@pytest.fixture
def printed(reader):
    """The article as it prints, in Chromium; read in dark colours on the screen."""
    page = reader.open(ARTICLE, scheme="dark")
    page.emulate_media(media="print")
    return page


in_chromium = pytest.mark.parametrize("browser_name", ["chromium"])


@in_chromium
def test_paper_is_white_even_where_the_screen_was_dark(printed):
    for selector in ("html", "body", "article"):
        colour = printed.locator(selector).first.evaluate(
            "(element) => getComputedStyle(element).backgroundColor"
        )
        assert colour in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), selector


@in_chromium
def test_controls_and_contents_do_not_print(printed):
    idle = printed.locator("button:visible, select:visible, nav.contents:visible")
    assert idle.evaluate_all("(all) => all.map((one) => one.outerHTML)") == []


@in_chromium
def test_weights_keep_their_colour_on_paper(printed):
    cells = printed.locator("[class~='w16'], [class~='w8'], [class~='w4']")
    assert cells.count()
    assert set(
        cells.evaluate_all(
            "(all) => all.map((cell) => getComputedStyle(cell).printColorAdjust)"
        )
    ) == {"exact"}


@in_chromium
def test_figures_are_not_torn_by_a_page_break(printed):
    whole = "(all) => all.filter((one) => one.offsetHeight < 900)" \
        ".map((one) => getComputedStyle(one).breakInside)"
    kinds = printed.locator("article figure:not(:has(pre))").evaluate_all(whole)
    assert set(kinds) == {"avoid"}


def test_the_article_prints_to_paper(reader):
    document = reader.open(ARTICLE).pdf()
    assert document.startswith(b"%PDF-")
    assert len(document) > 10 * BLANK_PDF_BYTES
