"""The frame around an article: contents, colours, boxes that scroll, listings."""

import pytest

from tests.browser.harness import wait_until

ARTICLE = "inside-attention/index.html"
PAPER = {"light": "rgb(253, 253, 252)", "dark": "rgb(20, 22, 26)"}
CURRENT = "document.querySelector('.contents [aria-current]')?.getAttribute('href')"
GROUND = "getComputedStyle(document.body).backgroundColor"
CUT_OFF = """[...document.querySelectorAll('scroll-box')]
  .filter((box) => box.checkVisibility())    // one in closed details has no width yet
  .map((box) => [box.scrollWidth > box.clientWidth, box.hasAttribute('tabindex')])"""
SELECT_LISTING = """() => {
  const listing = document.querySelector('.snippet pre');
  getSelection().selectAllChildren(listing);
  return [getSelection().toString(), listing.textContent];
}"""


def scroll_to(page, selector):
    """Bring an element to the top of the window, at once, and draw a frame."""
    page.evaluate("""async (selector) => {
      document.querySelector(selector).scrollIntoView({behavior: 'instant'});
      await new Promise((drawn) => requestAnimationFrame(() =>
        requestAnimationFrame(drawn)));
    }""", selector)


def test_the_contents_list_follows_the_reader(open_page):
    page = open_page(ARTICLE)
    assert page.evaluate(CURRENT) is None
    sections = page.evaluate("[...document.querySelectorAll('article > section[id]')]"
                             ".map((section) => '#' + section.id)")
    for section in (sections[3], sections[1]):
        scroll_to(page, f"article > section[id='{section[1:]}']")
        assert page.evaluate(CURRENT) in page.evaluate(
            "(id) => ['#' + id, ...[...document.getElementById(id)"
            ".querySelectorAll('h3')].map((h) => '#' + h.id)]", section[1:])


@pytest.mark.parametrize(("width", "is_open"), [(1280, True), (390, False)])
def test_the_contents_are_open_only_beside_the_text(open_page, width, is_open):
    page = open_page(ARTICLE, width=width)
    assert page.evaluate("document.querySelector('.contents details').open") is is_open


def test_the_chosen_colours_outlive_a_visit(open_page):
    page = open_page(ARTICLE)
    assert page.evaluate(GROUND) == PAPER["light"]
    page.get_by_role("radio", name="Dark").check()
    assert page.evaluate(GROUND) == PAPER["dark"]
    page.reload()
    assert page.evaluate(GROUND) == PAPER["dark"]
    assert page.get_by_role("radio", name="Dark").is_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_are_the_system_s_until_the_reader_chooses(open_page, scheme):
    page = open_page(ARTICLE, scheme=scheme)
    assert page.evaluate(GROUND) == PAPER[scheme]


@pytest.mark.parametrize("path", ["index.html", ARTICLE])
def test_nothing_moves_the_page_sideways(open_page, path):
    page = open_page(path)
    for width in (1280, 1100, 820, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_a_box_stops_the_tab_key_only_where_it_cuts_something_off(open_page, width):
    page = open_page(ARTICLE, width=width)
    wait_until(
        page, "document.querySelectorAll('scroll-box:not([tabindex])').length > 0")
    boxes = page.evaluate(CUT_OFF)
    assert boxes and all(cut_off == is_stop for cut_off, is_stop in boxes)


def test_a_copied_listing_is_its_exact_text(open_page):
    page = open_page(ARTICLE)
    copied, text = page.evaluate(SELECT_LISTING)
    # Chromium leaves out the line end after the last line of a block.
    assert text.endswith("\n") and copied.rstrip("\n") == text.rstrip("\n")


def test_a_linked_line_is_marked(open_page):
    page = open_page(ARTICLE)
    line = page.evaluate("document.querySelector('.snippet .line:nth-child(3)').id")
    ground = "(id) => getComputedStyle(document.getElementById(id)).backgroundImage"
    before = page.evaluate(ground, line)
    page.goto(f"{page.url.split('#')[0]}#{line}")
    assert page.evaluate(ground, line) != before
