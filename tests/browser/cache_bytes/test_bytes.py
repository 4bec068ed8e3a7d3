"""The calculator: choices, pasted texts and addresses; the formulas have tests of their
own."""

import pytest

from tests.browser.attention_heatmap.pages import address, press, said
from tests.browser.cache_bytes.pages import (
    OWN,
    choose,
    drawing,
    go,
    paste,
    place,
    product,
)

ANY = "2 × 32 layers × 8 KV heads × 128 channels"
FIRST = f"{ANY} × 8,192 tokens × 1 sequence × 2 bytes = 1,073,741,824 bytes (1.0 GiB)"
IMPOSSIBLE = ["#~config=llama-9", "#~context=0&batch=257&bytes=3", "#~own=2.4.3.8",
              "#~own=2.4.4", "#~own=0.4.4.8", "#~own=9999999.1.1.1", "#~context=1e3",
              "#~context=1048577", "#~"]


def test_the_script_draws_what_the_page_had_without_it(bytes_reader, bytes_site):
    page = bytes_reader()
    html = (bytes_site / "a/index.html").read_text("utf-8")
    assert product(page) == FIRST
    assert drawing(page) == drawing(page, html)
    choose(page, config="mistral-7b-v0.1", context=40000)
    assert drawing(page) != drawing(page, html)


def test_a_choice_moves_the_numbers_the_drawing_and_the_address(bytes_reader):
    page = bytes_reader()
    x, y = place(page)
    choose(page, context=32768, batch=2, bytes=4)
    assert product(page) == (f"{ANY} × 32,768 tokens × 2 sequences × 4 bytes = "
                             "17,179,869,184 bytes (16.0 GiB)")
    assert place(page)[0] > x
    assert said(page, "#sizes .all .chosen").split("\t")[-1].endswith("61,267")
    assert address(page) == {"context": "32768", "batch": "2", "bytes": "4"}
    choose(page, config="falcon-7b", batch=1, bytes=2)
    assert "× 1 KV head × 64 channels" in product(page)
    assert page.locator("#sizes [data-kind=GQA]").is_hidden()
    assert said(page, "#sizes .all .chosen th") == "Falcon-7B"
    choose(page, config="llama-3-8b")
    page.focus("#sizes [data-control=power]")
    press(page, "ArrowLeft", "ArrowLeft")
    assert (product(page), place(page)) == (FIRST, [x, y])
    assert address(page) == {}


def test_a_number_that_cannot_be_changes_nothing(bytes_reader):
    page = bytes_reader()
    for wrong in ("0", "-3", "1.5", "", "2000000"):
        choose(page, context=wrong)
        assert product(page) == FIRST
        assert page.get_attribute("#sizes [data-control=context]", "aria-invalid") \
            == "true"
    choose(page, context=1)
    assert "× 1 token ×" in product(page)
    assert page.locator("#sizes .chosen circle").count() == 0


def test_a_pasted_text_is_read_or_told_and_is_never_markup(bytes_reader):
    page = bytes_reader()
    markup = '{"num_hidden_layers": "<img src=x onerror=alert(1)>"}'
    assert paste(page, markup) == ("num_hidden_layers is “<img src=x "
                                   "onerror=alert(1)>”: expected a number without "
                                   "quotes.")
    assert page.locator("#sizes img").count() == 0
    assert paste(page, '{"num_hidden_layers": 2}') == "num_attention_heads is missing."
    assert product(page) == FIRST
    assert paste(page, OWN) == "Read: 2 layers, 4 heads, 4 KV heads, 8 channels."
    assert product(page) == ("2 × 2 layers × 4 KV heads × 8 channels × 8,192 tokens × "
                             "1 sequence × 2 bytes = 2,097,152 bytes (2.0 MiB)")
    assert page.locator("#sizes [data-when=weighed]").is_hidden()
    assert page.locator("#sizes .level").count() == 0
    assert page.input_value("#sizes [data-control=config]") == "own"
    assert address(page) == {"own": "2.4.4.8"}
    choose(page, config="llama-3-8b")
    assert (product(page), address(page)) == (FIRST, {})


def test_layers_with_a_window_and_without_are_two_products_and_a_curve(bytes_reader):
    page = bytes_reader()
    paste(page, '{"num_hidden_layers": 6, "num_attention_heads": 4, "head_dim": 8, '
                '"sliding_window": 1024, "sliding_window_pattern": 3}')
    each = "layers × 4 KV heads × 8 channels ×"
    assert product(page) == (
        f"2 × 2 {each} 8,192 tokens × 1 sequence × 2 bytes + 2 × 4 {each} 1,024 tokens "
        "× 1 sequence × 2 bytes = 2,621,440 bytes (2.5 MiB)")
    assert said(page, "#sizes .notes") == (
        "Of its layers, 4 look back over a window of 1,024 tokens and keep no more of "
        "them. Its weights are not counted here: that takes sizes, and a model_type, "
        "that this page knows.")
    line = page.get_attribute("#sizes .lines .own", "points").split()
    assert ",".join(f"{number:g}" for number in place(page)) in line


def test_an_address_says_what_is_shown_and_one_that_cannot_be_is_as_usual(bytes_reader):
    page = bytes_reader("#~config=qwen2-7b&context=1048576&bytes=1")
    assert product(page).startswith("2 × 28 layers × 4 KV heads × 128 channels × "
                                    "1,048,576 tokens × 1 sequence × 1 byte = ")
    assert place(page)[0] == 100
    go(page, "#~own=2.4.2.8&batch=3")
    assert product(page).startswith("2 × 2 layers × 2 KV heads × 8 channels × 8,192")
    go(page, "#lines")      # a place says nothing of the state
    assert "× 3 sequences ×" in product(page)
    for fragment in IMPOSSIBLE:
        go(page, fragment)
        assert product(page) == FIRST, fragment
        go(page, "#~context=2")
        assert product(page) != FIRST


@pytest.mark.parametrize("browser_name", ["chromium"])
def test_a_narrow_page_does_not_scroll_sideways(bytes_reader):
    for switches in ({}, {"scripts": False}):
        page = bytes_reader(width=390, **switches)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        shown = page.locator("#sizes .controls").is_visible()
        assert shown == switches.get("scripts", True)
        assert page.locator("#sizes .all tbody tr").count() == 12


def test_the_page_is_accessible_in_both_schemes(bytes_reader, axe_violations):
    for scheme in ("light", "dark"):
        page = bytes_reader(scheme=scheme)
        page.evaluate("for (const d of document.querySelectorAll('details')) "
                      "d.open = true")
        assert axe_violations(page) == []
