"""Replaced tokens: what the page computes is what Python computes."""

import pytest

from sitegen.directives.dependency_triangle import in_one_digit
from tests.browser.attention_heatmap.pages import address, press, said
from tests.browser.dependency_triangle.pages import (
    PAGE,
    TEXT,
    TOKENS,
    entry_changes,
    generation_site,
    part,
    spoil_recording,
    strip,
    triangles,
)

LENGTH = len(TOKENS)


def texts(changes):
    """Return the texts of sizes of changes, nested as they are."""
    return [[[in_one_digit(size) or "same" for size in row] for row in layer]
            for layer in changes]


def size_of(text):
    """Return the size that a cell shows; 0 where it says 'same'."""
    return 0 if text == "same" else float(text.replace("−", "-"))


def test_the_page_computes_for_every_token_what_the_build_had(triangle_reader):
    page = triangle_reader()
    assert triangles(page) == texts(entry_changes())
    assert (part(page, "runs"), part(page, "entries")) == ("13", "24")
    assert size_of(part(page, "difference")) < 1e-12
    either = [[max(pair, key=size_of) for pair in zip(*rows, strict=True)]
              for rows in zip(*[iter(strip(page))] * 2, strict=True)]
    assert either == [layer[3] for layer in triangles(page)]
    page.select_option("#triangle select", "27")
    assert triangles(page) == texts(entry_changes(27))
    assert page.is_hidden("#triangle [data-when=compared]")
    assert address(page) == {"with": "27"}


def test_the_row_is_chosen_with_the_keyboard_alone(triangle_reader):
    page = triangle_reader()
    page.focus("#triangle .replaced input:checked")
    press(page, "ArrowRight")
    assert said(page, "#triangle .sentence").startswith(
        "Replacing token 4, “leaf”, by “hill” changes in layer 0 the entries at 4, in "
        "layer 1 the entries at 4–11. Those at 0–3 are the same in every layer")
    assert page.text_content("#triangle .announcement").startswith("Replacing token 4")
    for layer, leads in ((0, ["ArrowDown"]), (1, ["ArrowRight", "ArrowDown"])):
        grid = f"#triangle .triangles [data-layer='{layer}']"
        page.focus(f"{grid} td[tabindex='0']")
        press(page, *leads)
        assert page.locator(f"{grid} td[tabindex='0']").count() == 1
        assert page.evaluate("document.activeElement.matches('td[tabindex=\"0\"]')")
        assert page.is_checked(f"#triangle .replaced [value='{5 + layer}']")
        assert page.locator("#triangle .followed").count() == 2
    press(page, "Control+Home")
    assert "nothing of the cache serves" in said(page, "#triangle .sentence")
    assert address(page) == {"replace": "0"}
    page.click("#triangle .triangles [data-layer='1'] tr:nth-child(4) td:last-child")
    assert address(page) == {}


def test_the_address_opens_the_same_row_and_ignores_what_cannot_be(triangle_reader):
    page = triangle_reader("#~replace=6&with=2")
    sentence = said(page, "#triangle .sentence")
    assert "token 6, “river”, by “meets”" in sentence
    assert sentence.endswith("Where that token stands already, the next one of the "
                             "vocabulary takes its place.")
    page.evaluate("location.hash = '#~replace=12&with=32'")
    page.wait_for_timeout(100)
    assert said(page, "#triangle .sentence") == sentence
    page.evaluate("location.hash = '#~replace=11&with=32'")
    page.wait_for_timeout(100)
    assert part(page, "at") == "11"


def test_without_scripts_the_triangles_are_complete(triangle_reader):
    page = triangle_reader(scripts=False, width=390)
    assert page.is_visible("#triangle .triangles [data-layer='1']")
    assert "Replacing token 3, “bird”, by “hill”" in said(page, "#triangle .sentence")
    for selector in (".controls", ".computed", ".trouble >> nth=0"):
        assert page.is_hidden(f"#triangle {selector}")
    assert page.locator("#triangle .triangles td:not(.corner)").count() == 288


@pytest.mark.parametrize("browser_name", ["chromium"])
def test_a_build_that_computed_something_else_is_told(reader_of, tmp_path):
    def spoil(changes):
        changes[1, 2, 5] += 0.02

    page = reader_of(generation_site(tmp_path, TEXT, spoil_changes=spoil)).open(PAGE)
    page.wait_for_selector("#triangle [data-ready]")
    assert part(page, "difference") == "2e−2"
    assert triangles(page) == texts(entry_changes())


@pytest.mark.parametrize("browser_name", ["chromium"])
def test_a_recording_that_is_not_recomputed_stays_as_it_was(reader_of, tmp_path):
    page = reader_of(generation_site(tmp_path, TEXT, spoil_recording)).open(PAGE)
    page.wait_for_selector("#triangle [data-when=disagrees]", state="visible")
    assert triangles(page) == texts(entry_changes())
    assert page.is_hidden("#triangle .controls")
    assert page.is_hidden("#triangle .computed")


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
        triangle_reader, axe_violations, scheme, width):
    page = triangle_reader(scheme=scheme, width=width)
    assert axe_violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
