"""The pages that the walk's tests read, and what a test does on them."""

import re

TEXT = """/// attention-heatmap | heat

What each position takes.
///

/// tensor-walk | walk

Every step.
///
"""
FOCUSED = """/// tensor-walk | one
    steps: [scores]

One step.
///

## Two steps {#two-steps}

/// tensor-walk | two
    steps: [weights, heads]
    layer: 1

Two steps.
///
"""
FRONT = """---
title: The whole computation
trace: demo
---

## The walk {#the-walk}

"""
WALK = "a/index.html"
SMALL = "b/index.html"
ADDRESS_WAIT_MS = 500    # lib/fragment.js waits 250 ms until the reader rests
SIDEWAYS = """(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth - clientWidth;
})()"""


def said(page, selector):
    """Return what an element says, white space as single spaces."""
    return re.sub(r"\s+", " ", page.inner_text(selector)).strip()


def next_frame(page):
    page.evaluate("() => new Promise((f) => requestAnimationFrame(() => "
                  "requestAnimationFrame(f)))")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        next_frame(page)


def current(page, walk="#walk"):
    """Return (step, layer in words) of what a walk shows; exactly one step is shown."""
    shown = page.evaluate("""(walk) => [...document.querySelectorAll(
      `${walk} .walk-step`)].filter((step) => step.checkVisibility())
      .map((step) => step.dataset.step)""", walk)
    assert len(shown) == 1, shown
    return shown[0]


def go(page, step, layer=0):
    """Choose a step of a layer in the list."""
    value = f".{step}" if layer is None else f"{layer}.{step}"
    page.select_option("#walk select[data-control=step]", value)
    next_frame(page)


def rows(page, name):
    """Return the numbers' texts of the table of a tensor that the step makes."""
    return page.evaluate("""(name) => {
      const boxes = [...document.querySelectorAll("#walk .current [data-role=output]")];
      const box = boxes.find((found) =>
        found.querySelector("[data-part=name]").textContent === name);
      return [...box.querySelectorAll("tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent));
    }""", name)


def focused_cell(page):
    """Return (tensor, row, column) of the cell that has the focus."""
    return page.evaluate("""() => {
      const cell = document.activeElement.closest("td");
      return cell && [cell.closest(".tensor").querySelector("code").textContent,
                      cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
    }""")


def address(page):
    """Return the state in the page's address once it is written."""
    page.wait_for_timeout(ADDRESS_WAIT_MS)
    state = page.evaluate("Object.fromEntries(new URLSearchParams("
                          "location.hash.replace('#~', '')))")
    return state
