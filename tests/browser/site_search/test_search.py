"""The search page, from disk: words find sections, by keyboard and by address."""

import shutil
from urllib.parse import unquote

import pytest

from tests.browser.harness import wait_until
from tests.browser.site_search.pages import (
    ANSWERED,
    HOSTILE,
    MANY,
    PAGE,
    ask,
    focused,
    said,
    titles,
)

PEOPLE, CODE, CHINESE = (f"{HOSTILE} › {title}" for title in ("People", "Code", "中文"))
MARKED = "[...document.querySelectorAll('.results p mark')].map((m) => m.textContent)"
# A page that listens for its end is not kept for the way back, but loaded again.
NOT_KEPT = "addEventListener('unload', () => {})"
LATE = "document.querySelectorAll('script:is([src*=minisearch], [src*=index])').length"
AT_FIRST = "document.activeElement === document.querySelector('.results a')"


def test_words_are_found_folded_and_in_parts(search_reader):
    page = search_reader()
    for words, title, marked in (
            ("muller", PEOPLE, ["Müller", "Muller"]),
            ("MÜLLER strasse", PEOPLE, ["Müller", "Muller", "Straße"]),
            ("注意力", CHINESE, ["注意力"]),
            ("意", CHINESE, ["意力"]),
            ("num_key_value_heads", CODE, ["num_key_value_heads"]),
            ("key_value", CODE, ["key", "value"]),
            ("rope", CODE, ["RoPE"]),
            ("mulle", PEOPLE, ["Müller", "Muller"]),
            ("sraße", PEOPLE, ["Straße"]),
            ("למד", "עברית › שאלה", ["לָמַד"])):
        assert ask(page, words) == [title], words
        assert page.evaluate(MARKED) == marked, words
        assert said(page) == "One section."
    language = "(item) => [item.lang, item.dir]"    # of the last, the Hebrew one
    assert page.locator(".results li").evaluate(language) == ["he", "rtl"]


def test_text_that_looks_like_markup_stays_text_on_a_phone_too(search_reader):
    page = search_reader(width=320)
    assert titles(page) == []
    assert ask(page, "hostile") == [HOSTILE]
    assert page.locator(".results :is(img, script)").count() == 0
    for name in ("__proto__", "constructor", "<script>"):
        ask(page, name)
    assert ask(page, "__proto__") == [HOSTILE]
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_what_is_not_found_is_told(search_reader):
    page = search_reader()
    assert page.evaluate(LATE) == 0
    assert ask(page, "xylophone") == []
    assert page.evaluate(LATE) == 2     # library and index came with the first word
    assert said(page).startswith("Nothing has these words.")
    assert len(ask(page, "xylophone rope")) == 1
    assert said(page).startswith("No section has all of these words")


def test_fifty_are_shown_and_more_when_asked(search_reader):
    page = search_reader()
    assert len(ask(page, "many")) == 50
    assert said(page) == f"{MANY} sections."
    page.get_by_role("button", name="Show more").press("Enter")
    shown = titles(page)
    assert len(shown) == MANY == len(set(shown))
    assert focused(page) == shown[50]
    assert not page.get_by_role("button", name="Show more").is_visible()


def test_a_reader_searches_opens_and_comes_back_by_keyboard(search_reader):
    page = search_reader()
    page.evaluate(NOT_KEPT)
    assert focused(page) == "search-field"
    page.keyboard.type("many")
    wait_until(page, ANSWERED)
    page.keyboard.press("Enter")
    found = titles(page)
    assert focused(page) == found[0]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert focused(page) == found[1]
    page.keyboard.press("Enter")
    page.wait_for_url("**/many/index.html#*")
    page.go_back()
    page.wait_for_selector(".results a:focus")
    assert titles(page) == found and focused(page) == found[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "search-field"
    page.keyboard.press("Escape")
    wait_until(page, "document.querySelector('.all').checkVisibility()")
    assert page.locator("#search-field").input_value() == "" and titles(page) == []
    wait_until(page, "location.hash === ''")


def test_escape_clears_from_a_result_too(search_reader):
    page = search_reader("#~q=rope")
    page.wait_for_selector(".results a")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(AT_FIRST)
    page.keyboard.press("Escape")
    assert focused(page) == "search-field"
    assert page.locator("#search-field").input_value() == ""


def test_the_address_has_the_words(search_reader):
    page = search_reader("#~q=%E6%B3%A8%E6%84%8F%E5%8A%9B")
    page.wait_for_selector(".results a")
    assert titles(page) == [CHINESE]
    ask(page, "Müller & more")
    wait_until(page, "location.hash.includes('more')")
    assert unquote(page.evaluate("location.hash")) == "#~q=Müller+&+more"
    page.evaluate("location.hash = '#~q=rope'")
    wait_until(page, "document.querySelector('#search-field').value === 'rope'")
    wait_until(page, "document.querySelectorAll('.results a').length === 1")
    assert titles(page) == [CODE]


def test_an_index_that_is_missing_is_told(reader_of, searched_site, tmp_path):
    site = shutil.copytree(searched_site, tmp_path / "site")
    (site / "static/search-index.js").unlink()
    reader = reader_of(site)
    page = reader.open(PAGE, "#~q=rope")
    wait_until(page, "() => document.querySelector('[data-when=missing]')"
                     "?.checkVisibility()")
    assert said(page).startswith("The index could not be read")
    assert page.locator(".all a").first.is_visible()
    reader.problems()   # Chromium tells that the script failed, which is what was asked


def test_without_scripts_everything_is_listed(search_reader, searched_site):
    page = search_reader(scripts=False)
    assert page.get_by_text("Searching takes scripts").is_visible()
    assert not page.locator("input[type=search]").is_visible()
    links = page.locator(".all a").evaluate_all("(all) => all.map((a) => a.href)")
    assert len(links) == 3 + 3 + MANY + 1
    assert f"{searched_site.as_uri()}/a/index.html#code" in links


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(search_reader, scheme, axe_violations):
    page = search_reader("#~q=rope", scheme=scheme)
    page.wait_for_selector(".results a")
    assert axe_violations(page) == []
