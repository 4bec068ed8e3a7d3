"""A small site that is searched, and what a test reads of the search page."""

from sitegen.pipeline import build
from tests.browser.harness import wait_until
from tests.site_builder import SmallSite

PAGE = "search/index.html"
HOSTILE = """<img src=x onerror=alert(1)></script> & "quoted" __proto__ 'hostile'"""
SETTINGS = 'title = "Site"\ndescription = "About it."\narticles = ["a", "many", "he"]\n'
TEXT = """Before all.

## People {#people}

Karl Müller met Peter Muller in the Straße.

### Code {#code}

Set `num_key_value_heads`, then `RoPE`.

## 中文 {#chinese}

自注意力机制很重要。
"""
ANSWERED = """() => document.querySelector(".said").innerText.trim() &&
  !document.querySelector("[data-when=loading]").checkVisibility()"""
MANY = 60       # sections of the second article, more than are shown at once


def front(title, rest=""):
    return f"---\ntitle: '{title.replace(chr(39), chr(39) * 2)}'\n{rest}---\n"


def search_site(folder):
    """Build the site into a folder; return its output."""
    site = SmallSite(folder)
    site.add("site.toml", SETTINGS)
    site.article(TEXT, front(HOSTILE))
    site.article("".join(f"## Part {n}\n\nAmong many.\n\n" for n in range(MANY)),
                 front("Numbers"), "many")
    site.article("## שאלה\n\nלָמַד תשומת לב.\n", front("עברית", "lang: he\ndir: rtl\n"),
                 "he")
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


def ask(page, words):
    """Type words into the field, and wait until the page says what it found."""
    page.locator("#search-field").fill(words)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    wait_until(page, ANSWERED)
    return titles(page)


def titles(page):
    """Return what the links of the results say."""
    return page.locator(".results a").all_inner_texts()


def said(page):
    """Return the sentence of the live region."""
    return page.locator("[role=status]").inner_text().strip()


def focused(page):
    """Return what the focused element says, or the field's id."""
    return page.evaluate(
        "document.activeElement.id || document.activeElement.innerText")
