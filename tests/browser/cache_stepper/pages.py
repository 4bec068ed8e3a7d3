"""A site with the recorded generation, and what a test does and reads on it."""

import json

from sitegen.directives.cache_stepper import REQUIRED, costs_of
from sitegen.notation import fixed
from sitegen.pipeline import build
from sitegen.traces import parse_trace
from tests.browser.attention_heatmap.pages import next_frame, said
from tests.browser.dependency_triangle.pages import FRONT, TOKENS
from tests.browser.harness import drag as drag_across
from tests.browser.run_controls.pages import computed, printed_trace
from tests.site_builder import SmallSite

RECORDED = [4, 3, 1, 1, 1, 1, 1]
ARGUMENTS = ("--weights", "model/twin.npz", "--tokens", "2,12,10,18,20,21,2",
             "--chunks", "4,3", "--generate", "5")
LAYER, HEAD = 1, 2
TEXT = f"""/// snippet
    file: counted.py
    show: false
///

/// cache-stepper | stepper
    cached: cached
    full: full
    bytes: bytes
    layer: {LAYER}
    head: {HEAD}

What to see.
///
"""


def stepper_site(folder, spoil=None):
    """Build a site with the generation's trace; return its output folder.

    spoil  changes the trace, as JSON data, before it is published
    """
    data = json.loads(printed_trace(*ARGUMENTS))
    if spoil:
        spoil(data)
    text = json.dumps(data)
    trace, _ = parse_trace("generation", "generation.json", text)
    site = SmallSite(folder)
    site.add("traces.toml", '[generation]\nfile = "content/generation.json"\n')
    site.add("generation.json", text)
    site.add("articles/a/counted.py", '"""Counts."""\n' + "".join(
        f"{name} = {list(counts)}\n" for name, counts in
        zip(REQUIRED, zip(*costs_of(trace), strict=True), strict=True)))
    site.article(TEXT, FRONT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


def sizes(page):
    """Return the sizes of the calls, as each row's written cells say; the pressed
    borders say the same."""
    written = page.evaluate("""() =>
      [...document.querySelectorAll("#stepper .timeline tbody tr")].map((row) =>
        row.querySelectorAll(".written").length)""")
    pressed = page.evaluate("""() =>
      [...document.querySelectorAll("#stepper [aria-pressed=true]")].map(
        (button) => Number(button.dataset.border))""")
    assert pressed == [sum(written[:n]) for n in range(1, len(written))]
    return written


def shown(page):
    """Return the number of the shown call, as its radio and the sentence say."""
    number = int(page.evaluate(
        "document.querySelector('#stepper .timeline input:checked').value"))
    assert sentence(page).startswith(f"Call {number + 1} of {len(sizes(page))} reads ")
    return number


def sentence(page):
    """Return what is said of the shown call."""
    return said(page, "#stepper .sentence")


def weights(page, panel):
    """Return the rows of a panel's table, cached or whole."""
    return page.evaluate("""(panel) => [...document.querySelectorAll(
      `#stepper [data-panel=${panel}] tbody tr`)].map((row) =>
        [...row.cells].slice(1).map((cell) => cell.textContent))""", panel)


def python_weights(first, end, layer=LAYER, head=HEAD):
    """Return the same rows as Python computes them, of the queries first … end - 1."""
    rows = computed(TOKENS, trained=True)[f"layers.{layer}.weights"][0, head]
    return [[fixed(rows[t, s], 2) if s <= t else "masked" for s in range(end)]
            for t in range(first, end)]


def costs(page):
    """Return each row's numbers: multiply-adds with the cache, so far; without, so far;
    bytes."""
    return page.evaluate("""() =>
      [...document.querySelectorAll("#stepper .timeline tbody tr")].map((row) =>
        [...row.cells].slice(-5).map((cell) =>
          Number(cell.textContent.replaceAll(",", ""))))""")


def drag(page, border, to):
    """Drag a border to another gap between tokens, with the mouse."""
    places = [page.locator(f"#stepper [data-border='{place}']").bounding_box()
              for place in (border, to)]
    begin, end = (box["x"] + box["width"] / 2 for box in places)
    drag_across(page, begin, end, places[0]["y"] + places[0]["height"] / 2)
    next_frame(page)
