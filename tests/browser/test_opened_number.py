"""A number of the walk is opened, followed to where it came from, and copied."""

import contextlib
import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.pipeline import build
from tests.browser.harness import wait_until
from tests.site_builder import SmallSite

ROOT = Path(__file__).parents[2]
PAGE = "a/index.html"
FRONT = "---\ntitle: Title\ntrace: demo\n---\n"
TEXT = """A text.

## The walk

/// tensor-walk | walk
    trace: demo
    file: tiny_llama.py

A caption.
///
"""
SETTINGS = ('title = "Site"\ndescription = "About it."\narticles = ["a"]\n'
            'publish = ["model/tiny_llama.py"]\n')
OPENED = "#walk .opened"


@pytest.fixture(scope="module")
def walk_site(tmp_path_factory):
    """A built site whose only figure is a walk through the demo trace."""
    site = SmallSite(tmp_path_factory.mktemp("opened"))
    (site.folder / "model").mkdir()
    shutil.copy(ROOT / "model/tiny_llama.py", site.folder / "model")
    subprocess.run([sys.executable, "model/tiny_llama.py", "--export-trace",
                    "content/demo.json"], cwd=site.folder, check=True)
    site.add("site.toml", SETTINGS)
    site.add("traces.toml", '[demo]\nfile = "content/demo.json"\n')
    for name in ("walk.toml", "changes.json"):
        shutil.copy(ROOT / "content" / name, site.content)
    site.article(TEXT, FRONT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@pytest.fixture
def open_number(reader_of, walk_site):
    """Return a function that opens a trail of cells; nothing may be complained of."""
    reader = reader_of(walk_site)

    def open_page(*trail, **switches):
        page = reader.open(PAGE, f"#~open={'>'.join(trail)}", **switches)
        page.locator("#walk").scroll_into_view_if_needed()
        page.wait_for_selector(f"{OPENED} > *", state="attached")
        page.evaluate("() => new Promise(requestAnimationFrame)")
        return page

    return open_page


def said(page, selector):
    """Return an element's text without the marks that isolate labels."""
    text = page.locator(f"{OPENED} {selector}").first.text_content()
    return " ".join(text.replace("\u2068", "").replace("\u2069", "").split())


def rows(page):
    """Return the terms' rows, as lists of their cells' texts, once all are drawn."""
    wait_until(page, """(selector) => {
      const table = document.querySelector(selector);
      return Number(table.getAttribute("aria-rowcount")) === table.rows.length;
    }""", f"{OPENED} .opened-terms")
    return page.eval_on_selector_all(
        f"{OPENED} .opened-terms tbody tr",
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def number(text):
    """Return the number that the page wrote."""
    return float(text.replace("\u2212", "-").replace("∞", "inf"))


def press(page, key):
    """Press a key, and wait for the frame in which its effect is drawn."""
    page.keyboard.press(key)
    page.evaluate("() => new Promise(requestAnimationFrame)")


def copied_program(page):
    """Press the copy button; return what was handed to the clipboard."""
    page.evaluate("""() => {
      window.copied = null;
      navigator.clipboard.writeText = async (text) => { window.copied = text; };
    }""")
    page.click(f"{OPENED} [data-action=numpy]")
    wait_until(page, "() => window.copied !== null")
    assert said(page, ".status") == "Copied."
    return page.evaluate("window.copied")


def test_a_number_is_shown_with_its_place_value_and_difference(open_number):
    page = open_number("layers.0.scores[0,1,2,0]")
    title = said(page, ".opened-title")
    assert title == "scores of layer 0, head 1, query 2 (meets), key 0 (the)"
    assert said(page, ".opened-kind").startswith("8 products add up to ")
    value = said(page, "[data-part=value]")
    total, difference = (number(said(page, f"[data-part={part}]"))
                         for part in ("total", "difference"))
    assert difference == total - number(value)
    assert abs(difference) < 1e-15
    assert len(value) > 12, "the value has every digit"
    assert said(page, ".opened-announcement").startswith(
        f"{title}: {value}. 8 products")


def test_the_keyboard_follows_a_logit_down_to_the_table_of_embeddings(open_number):
    page = open_number("logits[0,5,7]")
    titles = [said(page, ".opened-title")]
    while not titles[-1].startswith("parameter embedding"):
        assert len(titles) < 12
        page.focus(f"{OPENED} .opened-terms button[tabindex='0']")
        press(page, "Enter")
        titles.append(said(page, ".opened-title"))
        assert page.evaluate("document.activeElement.className") == "opened-title"
    names = [title.split(",")[0] for title in titles]
    assert names[:4] == ["logits", "final_norm", "resid_out of layer 1",
                         "resid_mid of layer 1"]
    assert names[-2] == "embedding"
    assert said(page, ".opened-kind").startswith("A parameter:")
    crumbs = page.locator(f"{OPENED} .opened-trail li")
    assert crumbs.all_text_contents() == names
    assert crumbs.last.get_attribute("aria-current") == "true"


def test_the_trail_leads_back(open_number):
    page = open_number("logits[0,5,7]", "final_norm[0,5,3]",
                       "layers.1.resid_out[0,5,3]")
    page.focus(f"{OPENED} .opened-trail button")
    press(page, "Enter")
    assert said(page, ".opened-title").startswith("logits, position 5")
    assert page.locator(f"{OPENED} .opened-trail li").count() == 1


def test_each_number_says_where_it_leads(open_number):
    page = open_number("layers.0.scores[0,1,2,0]")
    button = page.locator(f"{OPENED} .opened-terms button").nth(6)
    shown, label = button.text_content(), button.get_attribute("aria-label")
    assert label.startswith(f"{shown}, q_rotated of layer 0, head 1, position 2 (")
    assert label.endswith("), channel 3")
    full = number(button.get_attribute("title"))
    assert abs(full - number(shown)) <= 5e-7
    button.click()
    assert number(said(page, "[data-part=value]")) == full


def test_terms_are_sorted_by_size_when_that_is_wanted(open_number):
    page = open_number("layers.0.mlp_out[0,2,5]")
    in_order = rows(page)
    assert [row[0] for row in in_order[:2]] == ["channel 0", "channel 1"]
    page.check(f"{OPENED} [data-control=sort]")
    sizes = [abs(number(row[-1])) for row in rows(page)]
    assert len(sizes) == 96 and sizes == sorted(sizes, reverse=True)
    assert rows(page)[0][0] in said(page, "[data-part=largest]")
    page.uncheck(f"{OPENED} [data-control=sort]")
    assert rows(page) == in_order


def test_arrows_move_between_the_numbers_and_tab_reaches_one(open_number):
    page = open_number("layers.0.scores[0,1,2,0]")
    reached = page.locator(f"{OPENED} .opened-terms button[tabindex='0']")
    assert reached.count() == 1
    reached.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        press(page, key)
    assert page.evaluate("document.activeElement.dataset.cell") == (
        "layers.0.k_rotated[0,0,0,2]")
    assert reached.count() == 1
    press(page, "Control+End")
    assert page.evaluate("document.activeElement.dataset.cell").endswith(",7]")


@pytest.mark.parametrize("cell", [
    "logits[0,5,7]", "layers.1.weights[0,3,4,1]", "layers.0.attn_out[0,2,0]",
    "layers.1.masked_scores[0,0,1,4]", "layers.0.k_rotated[0,1,3,6]"])
def test_a_copied_program_prints_the_shown_number(open_number, cell):
    page = open_number(cell)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(copied_program(page), {})
    shown = number(said(page, "[data-part=value]"))
    assert float(out.getvalue()) == pytest.approx(shown, rel=1e-12)


def test_a_rotation_is_drawn_as_an_arrow_that_turns(open_number):
    page = open_number("layers.0.q_rotated[0,1,3,1]")
    arrow = page.locator(f"{OPENED} .opened-arrow")
    assert arrow.is_visible()
    assert "17.188734°" in arrow.get_attribute("aria-label")
    tips = page.eval_on_selector_all(
        f"{OPENED} .arrow",
        """arrows => arrows.map((arrow) => arrow.getAttribute("d")
             .match(/^M0 0L(\\S+) ([^M]+)M/).slice(1).map(Number))""")
    assert len(tips) == 2
    before, after = (complex(x, -y) for x, y in tips)
    assert abs(abs(before) - 100) < 1e-9
    turned = after / before
    assert turned.real == pytest.approx(0.955336, abs=1e-6)
    assert turned.imag == pytest.approx(0.295520, abs=1e-6)


def test_only_a_rotation_has_an_arrow(open_number):
    page = open_number("layers.0.scores[0,1,2,0]")
    assert page.locator(f"{OPENED} .opened-arrow").is_hidden()


def test_the_heads_parts_add_up_to_the_output(open_number):
    page = open_number("layers.0.attn_out[0,2,0]")
    parts = page.locator(f"{OPENED} .opened-groups td").all_text_contents()
    assert len(parts) == 4
    shown = number(said(page, "[data-part=value]"))
    assert sum(map(number, parts)) == pytest.approx(shown, abs=4e-6)


def test_a_cell_that_the_run_lacks_is_not_shown(open_number):
    page = open_number("logits[0,31,7]")
    assert page.locator(OPENED).is_hidden()


def test_closing_hides_the_number_and_takes_it_out_of_the_address(open_number):
    page = open_number("logits[0,5,7]")
    page.click(f"{OPENED} [data-action=close]")
    assert page.locator(OPENED).is_hidden()
    wait_until(page, "() => !location.hash.includes('logits')")


@pytest.mark.parametrize(("scheme", "cell"), [
    ("light", "layers.0.attn_out[0,2,0]"), ("dark", "layers.0.q_rotated[0,1,3,1]")])
def test_axe_finds_nothing(open_number, axe_violations, scheme, cell):
    page = open_number("layers.0.resid_mid[0,2,0]", cell, scheme=scheme, width=390)
    assert axe_violations(page) == []


def test_nothing_is_wider_than_a_narrow_screen(open_number):
    page = open_number("layers.0.q_rotated[0,3,5,0]", width=390)
    for selector in ("html", f"{OPENED} .opened-box"):
        assert page.eval_on_selector(
            selector, "box => box.scrollWidth <= box.clientWidth"), selector


def test_the_accessibility_tree_reads_as_sentences(open_number):
    page = open_number("logits[0,5,7]", "layers.1.weights[0,0,5,2]")
    tree = page.locator(OPENED).aria_snapshot()
    print(tree)
    for part in ('group "An opened number"', 'group "The way to this number"',
                 'button "logits, position 5', 'heading "weights of layer 1, head 0',
                 'checkbox "largest first"', 'button "Copy as NumPy"',
                 'grid "Terms of weights of layer 1', 'row "sum'):
        assert part in tree
