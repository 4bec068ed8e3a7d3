"""The pages that the heatmap's tests read, and what a test does on them."""

import re

TEXT = """/// attention-heatmap | first
    layer: 0
    head: 0
    row: 2

What to see.
///

## Two heads {#two}

/// attention-heatmap | second
    row: 2
    compare: true

Two heads.
///

## Alone {#alone}

/// attention-heatmap | own
    row: 2
    follow: false

A figure of its own.
///

/// attention-heatmap | single
    alone: true

No comparison.
///
"""
ONE_FIGURE = TEXT.partition("## ")[0]    # axe takes minutes over a dozen large tables
FRONT = "---\ntitle: Title\ntrace: demo\n---\n"
PAGE = "a/index.html"
ADDRESS_WAIT_MS = 500    # lib/fragment.js waits 250 ms until the reader rests


def said(page, selector):
    """Return what an element says, white space as single spaces."""
    return re.sub(r"\s+", " ", page.inner_text(selector)).strip()


def table(page, panel="#first [data-panel=head]"):
    """Return the rows of a panel's table: the text of each cell and the sum."""
    return page.evaluate(
        """(panel) => [...document.querySelectorAll(`${panel} .attention tbody tr`)]
             .map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))""",
        panel)


def next_frame(page):
    page.evaluate("() => new Promise((f) => requestAnimationFrame(() => "
                  "requestAnimationFrame(f)))")


def choose(page, name, value, figure="#first"):
    """Choose a layer or a head by its radio button."""
    page.click(f"{figure} .pick-{name} label:has(input[value='{value}'])")
    next_frame(page)


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        next_frame(page)


def tell(page, **selection):
    """Tell the page's figures a selection, as a figure of another kind would."""
    page.evaluate("""(detail) => document.dispatchEvent(
      new CustomEvent("selection-change", { detail }))""",
                  {**selection, "origin": "a test"})


def focused(page):
    """Return (query, key) of the cell that has the focus."""
    return page.evaluate("""() => {
      const cell = document.activeElement.closest("td");
      return cell && [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    }""")


def address(page):
    """Return the state in the page's address once it is written."""
    page.wait_for_timeout(ADDRESS_WAIT_MS)
    state = page.evaluate("location.hash").removeprefix("#~")
    return dict(pair.split("=") for pair in state.split("&") if pair)
