"""The page on which one thing is changed, and what a test reads there."""

from tests.browser.attention_heatmap.pages import next_frame

TEXT = """/// change-one-thing | change
    walk: walk

What moves.
///

/// attention-heatmap | first
    row: 2
    compare: true

Two heads.
///

/// tensor-walk | walk
    steps: [scores, weights, rope, logits]

Four steps.
///
"""


def pick(page, change):
    """Pick a change by its radio button."""
    page.check(f"#change input[value='{change}']")
    next_frame(page)


def moved(page):
    """Return (tensor, where) for each row of the table of what moved."""
    return page.evaluate("""() =>
      [...document.querySelectorAll("#change .moved tbody tr")].map(
        ({ cells }) => [cells[0].textContent, cells[2].textContent])""")


def result(page, property_id):
    """Return what the table says of a property."""
    return page.inner_text(f"#change [data-property={property_id}] .result")
