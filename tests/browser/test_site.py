"""Every page of the built site, opened from disk in both browsers.

A page is opened once in each reading, and everything that these tests ask of it is
looked up then: opening takes longer than looking.  Nothing may be logged as an error,
refused by the policy, missing or asked of another host.
"""

from functools import cache
from urllib.parse import urldefrag

import pytest

from tests.browser.harness import Reader

ARTICLE = "inside-attention/index.html"
ELSEWHERE = ("https:", "http:", "mailto:", "data:")
LUMINANCE = """() => {
  const linear = (c) => c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4;
  const canvas = new OffscreenCanvas(1, 1).getContext("2d");
  canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(linear);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""
# A nested svg has the size of its ground in Firefox; what it draws is looked at itself.
WIDER_THAN_SCREEN = """() => [...document.body.querySelectorAll(":not(svg svg, svg g)")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .filter((element) => {
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible") return false;
    }
    return true;
  })
  .map((element) => element.outerHTML.slice(0, 120))"""
UNREACHABLE_BOXES = """() => [...document.body.querySelectorAll("*")]
  .filter((box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX))
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .filter((box) => box.tabIndex < 0 && !box.querySelector("[tabindex='0'], a, button"))
  .map((box) => box.outerHTML.slice(0, 120))"""
SMALL_TARGETS = """() => [...document.querySelectorAll("button, select, summary")]
  .map((control) => [control, control.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([control, box]) => `${box.width} x ${box.height}: ${control.outerHTML}`)"""
EMPTY_FIGURES = """() => [...document.querySelectorAll("article figure")]
  .filter((figure) => ![...figure.querySelectorAll(
      "table, svg, img, pre, math, ol, .changes")]
    .some((drawn) => drawn.checkVisibility() && drawn.clientHeight))
  .map((figure) => figure.outerHTML.slice(0, 120))"""
WRONG_FORMULAS = """() => {
  const children = { mfrac: 2, mroot: 2, msub: 2, msup: 2, msubsup: 3, munder: 2,
    mover: 2, munderover: 3 };
  return [...document.querySelectorAll(Object.keys(children).join())]
    .filter((part) => part.childElementCount !== children[part.localName])
    .map((part) => part.outerHTML);
}"""
LINKS = """() => [...document.querySelectorAll("a[href], link[href]")]
  .map((link) => link.href)"""
IDS = """() => [...document.querySelectorAll("[id]")].map((element) => element.id)"""
LOOKS = {
    "address": "location.href.split('#')[0]",
    "title": "document.title",
    "width": "document.scrollingElement.scrollWidth",
    "luminance": LUMINANCE,
    "animations": "document.getAnimations().length",
    "wider": WIDER_THAN_SCREEN,
    "unreachable": UNREACHABLE_BOXES,
    "small_targets": SMALL_TARGETS,
    "empty_figures": EMPTY_FIGURES,
    "wrong_formulas": WRONG_FORMULAS,
    "links": LINKS,
    "ids": IDS,
    "shared": """[...document.querySelectorAll("link[href$='site.css'], script[src]")]
      .map((asset) => asset.href || asset.src)""",
    "has_heading": "document.querySelector('h1').checkVisibility()",
}


@pytest.fixture(scope="session")
def pages(site_dir):
    """The paths of all pages, relative to the site's folder."""
    paths = site_dir.rglob("*.html")
    found = sorted(path.relative_to(site_dir).as_posix() for path in paths)
    assert {"index.html", ARTICLE} <= set(found)
    return found


def scroll_through(page):
    """Scroll to the end in steps, so that what waits for its place comes to it."""
    page.evaluate(
        """async () => {
          for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
            scrollTo(0, y);
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
        }"""
    )


def look_at(browsers, name, site, path, reading):
    """Return what each of LOOKS finds in a page, and what its browser complained of."""
    reader = Reader(browsers, name, site)
    page = reader.open(path, **reading)
    if reading.get("scripts", True):
        scroll_through(page)
    found = {what: page.evaluate(script) for what, script in LOOKS.items()}
    found["problems"] = reader.problems()
    reader.close()
    return found


@pytest.fixture(scope="module")
def seen(browsers, site_dir, pages):
    """Return a function: browser, reading → path → what LOOKS find in that page."""
    @cache
    def look(name, reading):
        return {path: look_at(browsers, name, site_dir, path, dict(reading))
                for path in pages}

    return lambda name, **reading: look(name, tuple(sorted(reading.items())))


@pytest.fixture
def look(seen, browser_name):
    """Return a function: reading → path → what LOOKS find, in this test's browser."""
    return lambda **reading: seen(browser_name, **reading)


PHONE_AT_NIGHT = {"scheme": "dark", "width": 390, "height": 844}
READINGS = [{}, PHONE_AT_NIGHT, {"scripts": False},
            {"forced_colors": True, "reduced_motion": True}]


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_page_opens_and_scrolls_in_silence(look, reading):
    for path, page in look(**reading).items():
        assert page["problems"] == [], path
        assert page["title"]


def test_formulas_are_set_in_the_shipped_font(reader):
    page = reader.open(ARTICLE)
    families = page.evaluate(
        """async () => {
          await document.fonts.ready;
          return [...document.fonts].filter((f) => f.status === "loaded")
            .map((f) => f.family);
        }"""
    )
    assert any("STIX" in family for family in families), families


def test_every_part_of_a_formula_has_its_children(look):
    for path, page in look().items():
        assert page["wrong_formulas"] == [], path


def test_scripts_off_leaves_every_figure_drawn(look):
    for path, page in look(scripts=False).items():
        assert page["has_heading"], path
        assert page["empty_figures"] == [], path


def test_scripts_off_shows_no_control_that_does_nothing(reader):
    page = reader.open(ARTICLE, scripts=False)
    idle = page.locator("button:visible, select:visible")
    assert idle.evaluate_all("(all) => all.map((one) => one.outerHTML)") == []


def test_dark_is_dark_and_light_is_light(look):
    assert all(page["luminance"] >= 0.1 for page in look().values())
    assert all(page["luminance"] < 0.1 for page in look(**PHONE_AT_NIGHT).values())


def test_nothing_but_its_own_box_scrolls_sideways_on_a_phone(look):
    for path, page in look(**PHONE_AT_NIGHT).items():
        assert page["width"] <= 390, path
        assert page["wider"] == [], path
        assert page["unreachable"] == [], path


@pytest.mark.parametrize("reading", [{}, PHONE_AT_NIGHT], ids=str)
def test_controls_are_large_enough_to_hit(look, reading):
    for path, page in look(**reading).items():
        assert page["small_targets"] == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(reader, pages, scheme, axe_violations):
    for path in pages:
        page = reader.open(path, scheme=scheme)
        scroll_through(page)
        assert axe_violations(page) == []


def test_every_link_has_its_target(look, site_dir):
    found = look().values()
    ids = {page["address"]: set(page["ids"]) for page in found}
    root = site_dir.as_uri()
    for link in (link for page in found for link in page["links"]):
        target, fragment = urldefrag(link)
        if target.startswith(root):
            assert (site_dir / target.removeprefix(f"{root}/")).is_file(), link
            state = fragment.startswith("~")
            assert not fragment or state or fragment in ids[target], link
        else:
            assert target.startswith(ELSEWHERE), link


def test_pages_share_one_style_and_their_scripts_by_one_address(look, site_dir):
    shared = {tuple(page["shared"]) for page in look(scripts=False).values()}
    assert shared == {tuple(f"{site_dir.as_uri()}/static/{name}"
                            for name in ("site.css", "theme.js", "app.js"))}


def test_a_reader_walks_through_the_series_and_back(reader):
    page = reader.open("index.html")
    series = page.locator(".articles a").evaluate_all("(all) => all.map((a) => a.href)")
    page.goto(series[0])
    assert page.locator("[rel=prev]").count() == 0
    for rel, addresses in (("next", series[1:]), ("prev", series[-2::-1])):
        for address in addresses:
            page.get_by_role("navigation", name="Reading order").locator(
                f"[rel={rel}]").click()
            page.wait_for_url(address)
        assert page.locator(f"[rel={rel}]").count() == 0


def test_a_reader_walks_from_the_index_to_the_article_and_back(reader):
    page = reader.open("index.html")
    page.locator(f"a[href='{ARTICLE}']").first.click()
    page.wait_for_url("**/inside-attention/index.html")
    page.locator("a[href='../index.html']").first.click()
    page.wait_for_url("**/index.html")
    assert "inside-attention" not in page.url.removeprefix(reader.site.as_uri())


def test_the_first_tab_stop_skips_to_the_article(reader):
    page = reader.open(ARTICLE)
    page.keyboard.press("Tab")
    target = page.evaluate("document.activeElement.getAttribute('href')")
    assert target and target.startswith("#")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == target
    box = page.locator(target).bounding_box()
    assert 0 <= box["y"] < 900


def test_the_first_figure_stands_in_the_first_screen(reader):
    page = reader.open(ARTICLE)
    assert page.locator("article figure").first.bounding_box()["y"] < 900


def test_forced_colours_and_reduced_motion_break_nothing(look):
    for path, page in look(forced_colors=True, reduced_motion=True).items():
        assert page["animations"] == 0, path
