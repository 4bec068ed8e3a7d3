"""The page with a chunk's masks, and what a test does and reads there."""

from sitegen.directives.mask_aligner import panel_of
from tests.browser.attention_heatmap.pages import next_frame, said
from tests.browser.dependency_triangle.pages import TOKENS
from tests.browser.harness import drag as drag_across
from tests.browser.run_controls.pages import computed

TEXT = """/// mask-aligner | aligner
    stored: 5
    new: 3

What to see.
///
"""


def shown(page):
    """Return the name of the only mask that is shown."""
    (name,) = page.evaluate("""() =>
      [...document.querySelectorAll("#aligner .panel")].filter(
        (panel) => panel.offsetParent).map((panel) => panel.dataset.mask)""")
    return name


def table(page):
    """Return the shown table's rows: the text of each cell, sums included."""
    return page.evaluate("""() => [...document.querySelectorAll(
      "#aligner .panel:not([hidden]) tbody tr")].map((row) =>
        [...row.cells].slice(1).map((cell) => cell.textContent))""")


def expected_table(state):
    """Return the same rows as Python computes them.

    state  layer, head, stored, new, mask
    """
    scores = computed(TOKENS, trained=True)[f"layers.{state['layer']}.scores"]
    end = state["stored"] + state["new"]
    chunk = scores[0, state["head"], state["stored"]:end, :end]
    rows = panel_of(state["mask"], chunk, state["stored"]).rows
    return [[*("masked" if text is None else text for _, text in row.cells),
             row.sum, row.leak, row.hidden] for row in rows]


def sentence(page):
    """Return what the shown panel says."""
    return said(page, "#aligner .panel:not([hidden]) .sentence")


def go_to(page, **state):
    """Put a state into the address."""
    pairs = "&".join(f"{name}={value}" for name, value in state.items())
    page.evaluate("(hash) => { location.hash = hash; }", f"#~{pairs}")
    page.wait_for_timeout(20)       # hashchange comes after
    next_frame(page)


def chunk(page):
    """Return (stored, new) as the fields say, once the borders say the same."""
    begin, end, stored, count = (
        int(page.input_value(f"#aligner [data-control={name}]"))
        for name in ("begin", "end", "stored", "count"))
    assert (begin, end) == (stored, stored + count)
    assert page.locator("#aligner .chunk-line .new").count() == count
    return stored, count


def drag(page, border, to):
    """Drag a border between two tokens, with the mouse."""
    box = page.locator("#aligner .chunk-line ol").bounding_box()
    start = int(page.input_value(f"#aligner [data-control={border}]"))
    begin, end = (box["x"] + box["width"] * place / len(TOKENS)
                  for place in (start, to))
    drag_across(page, begin, end, box["y"] + box["height"] / 2)
    next_frame(page)
