"""The page of `build.py view`: one file, from disk, in both browsers."""

import json
import shutil

import pytest

from sitegen.view import view
from tests.browser.harness import Reader
from tests.pretrained_trace import pretrained_trace
from tests.synthetic_trace import synthetic_trace

LABELS = ["</script><b>", "\u202eturned", "\0", "🌊", "⏎", "sea"]
MANY, FEW = "many.html", "few.html"
SHEET = "head-gallery .sheet"
STORED_THEME = "() => document.documentElement.dataset.theme"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the page of a probe's trace and that of a small model's, alone."""
    made = tmp_path_factory.mktemp("made")
    traces = {MANY: pretrained_trace(40), FEW: synthetic_trace(labels=LABELS)}
    alone = tmp_path_factory.mktemp("alone")
    for name, data in traces.items():
        (made / "trace.json").write_text(json.dumps(data), encoding="utf-8")
        view(made / "trace.json", made / name)
        shutil.copy(made / name, alone)
    return alone


@pytest.fixture
def open_view(reader_of, folder):
    """Return a function that opens a page; nothing may be complained of."""
    return reader_of(folder).open


def wait_for_gallery(page):
    """Return the page once its gallery is drawn."""
    page.wait_for_selector(f"{SHEET} [role=gridcell]", state="attached")
    return page


def shown_head(page):
    """Return what the heatmap shows: (layer, head)."""
    return tuple(int(page.get_attribute(f".pick-{name} input:checked", "value"))
                 for name in ("layer", "head"))


def test_one_file_brings_all_that_it_shows(open_view):
    page = wait_for_gallery(open_view(MANY))
    asked = page.evaluate("""() => performance.getEntriesByType("resource")
      .map((entry) => entry.name).filter((name) => !name.startsWith("data:"))""")
    assert asked == []
    assert page.evaluate("""() => document.fonts.ready.then((fonts) =>
      [...fonts].map((font) => font.status))""") == ["loaded"]
    assert page.locator("script[src], link[rel=stylesheet]").count() == 0


def test_arrows_choose_a_head_and_the_heatmap_shows_it(open_view):
    page = wait_for_gallery(open_view(MANY))
    page.focus(SHEET)
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_timeout(400)
    assert shown_head(page) == (1, 2)
    assert page.evaluate("location.hash").startswith("#~layer=1&head=2")


def test_contributions_come_from_the_page_itself(open_view):
    page = wait_for_gallery(open_view(MANY))
    page.select_option("[data-control=measure]", "contributions")
    page.wait_for_selector("attention-heatmap [data-when=contributions]:not([hidden])")
    assert page.is_hidden("head-gallery .trouble")


def test_the_table_of_a_small_trace_is_walked_by_keyboard(open_view):
    page = open_view(FEW)
    cell = page.locator("table.attention [tabindex='0']")
    cell.focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(100)
    assert "Cell 1, 0" in page.inner_text(".chosen-cell")


def test_hostile_labels_are_text(open_view):
    page = open_view(FEW)
    shown = page.locator(".tokens bdi").all_inner_texts()
    assert shown == ["</script><b>", "U+202Eturned", "␀", "🌊", "⏎", "sea"]
    assert page.locator("thead bdi").all_inner_texts()[:6] == shown


def test_a_state_in_the_address_is_shown(open_view):
    page = open_view(FEW, "#~layer=1&head=3")
    page.wait_for_timeout(100)
    assert shown_head(page) == (1, 3)


def test_a_chosen_scheme_is_there_before_anything_is_drawn(open_view):
    page = open_view(FEW)
    assert page.evaluate(STORED_THEME) == "auto"
    page.click("theme-choice label:has(#theme-dark)")
    page.reload()
    assert page.evaluate(STORED_THEME) == "dark"


@pytest.mark.parametrize("name", [MANY, FEW])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_view, axe_violations, name, scheme):
    page = open_view(name, scheme=scheme)
    page.wait_for_timeout(300)
    assert not axe_violations(page)


@pytest.mark.parametrize("name", [MANY, FEW])
def test_on_a_phone_the_page_does_not_scroll_sideways(open_view, name):
    page = open_view(name, width=390)
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_figures_and_tables_are_there(open_view):
    page = open_view(MANY, scripts=False)
    assert page.locator(f"{SHEET} img").bounding_box()["height"] > 50
    assert page.locator("attention-heatmap .map img").is_visible()
    assert page.locator(".tokens li").count() == 40
    assert page.locator("#model tr").count() > 10


@pytest.mark.parametrize(("directive", "breach"), [
    ("script-src", """() => { const script = document.createElement("script");
      script.textContent = "window.breached = 1"; document.head.append(script); }"""),
    ("style-src", """() => { const style = document.createElement("style");
      style.textContent = "body { opacity: .5 }"; document.head.append(style);
      window.breached = getComputedStyle(document.body).opacity === "0.5"; }""")])
def test_another_script_or_style_is_blocked(
        browsers, browser_name, folder, directive, breach):
    reading = Reader(browsers, browser_name, folder)
    page = reading.open(FEW)
    page.evaluate(breach)
    heard = "\n".join(reading.problems())
    breached = page.evaluate("Boolean(window.breached)")
    reading.close()
    assert f"policy: {directive}" in heard and not breached
