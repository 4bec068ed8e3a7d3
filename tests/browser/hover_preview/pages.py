"""A page with links to what stands far below them, and what a test does there."""

from sitegen.pipeline import build
from tests.browser.harness import wait_until
from tests.site_builder import SmallSite

PAGE = "a/index.html"
FAR = "\n\nFar from both.\n" * 40
REFERENCES = "@misc{k, title={The Paper}, author={A. Author}, year={2020}}"
TEXT = f"""## Links

A claim [@k], a remark[^n], [](#eq), [](#drawn), [](#code) and [](#below).

{FAR}

\\[ a = \\frac{{b}}{{c}} \\] {{#eq}}

/// figure | drawn
| head | weight |
|---|---|
| [one](#below) | 0.5 |

---

What the figure shows. More of it.
///

/// snippet | code
```python
x = 1
```

What the listing does.
///

[^n]: The **note** itself.

{FAR}

## Below {{#below}}

A claim again [@k].
"""


def preview_site(folder):
    """Build the site into a folder; return its output."""
    site = SmallSite(folder)
    site.add("references.bib", REFERENCES)
    site.article(TEXT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


def link_to(page, name):
    """Return the first link of the text to an id, no figure's or formula's own."""
    return page.locator(f"p a:not(.label, .number)[href='#{name}']").first


def shown(page):
    """Return the text of the open preview, "" where there is none."""
    return page.evaluate("""() => {
      const box = document.querySelector("hover-preview");
      return box.checkVisibility() ? box.innerText.replace(/\\s+/g, " ").trim() : "";
    }""")


def focus(page, link):
    """Go to a link as the keyboard does, and wait for its preview."""
    page.keyboard.press("Tab")      # so that the browser shows where the focus is
    link.focus()
    wait_until(page, "document.querySelector('hover-preview').checkVisibility()")


def point_at(page, link):
    """Move the mouse onto a link, from beside it."""
    left, top, width, height = link.evaluate("""(link) => {
      const {left, top, width, height} = [...link.getClientRects()].at(-1);
      return [left, top, width, height];
    }""")
    page.mouse.move(left - 30, top - 30)
    page.mouse.move(left + width - 3, top + height / 2, steps=3)


def description(page, link):
    """Return what a link is described by."""
    return page.evaluate("(name) => name && document.getElementById(name).innerText",
                         link.get_attribute("aria-describedby"))
