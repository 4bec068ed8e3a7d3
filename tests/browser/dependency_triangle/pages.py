"""A site of a generation of twelve tokens, what Python computes of it, and what a test
reads of the dependency triangle."""

import json
from functools import cache

import numpy as np

from sitegen.pipeline import build
from tests.browser.attention_heatmap.pages import next_frame
from tests.browser.run_controls.pages import computed, printed_trace
from tests.site_builder import SmallSite

TOKENS = (2, 12, 10, 18, 20, 21) * 2
FRONT = "---\ntitle: Title\ntrace: generation\n---\n"
PAGE = "a/index.html"
REPLACEMENT = 15
TEXT = """/// snippet
    file: left.py
    show: false
///

/// dependency-triangle | triangle
    changes: entry_changes
    with: replacement
    replace: 3

One token, and all that hangs on it.
///
"""


def generation_site(folder, text, spoil=None, spoil_changes=None):
    """Build a site with the twin's trace of TOKENS; return its output folder.

    spoil          changes the trace, as JSON data, before it is published
    spoil_changes  changes what the snippet leaves, [L, T, T]
    """
    trace = json.loads(printed_trace("--weights", "model/twin.npz", "--tokens",
                                     ",".join(map(str, TOKENS))))
    changes = entry_changes().copy()
    for spoils, what in ((spoil, trace), (spoil_changes, changes)):
        if spoils:
            spoils(what)
    site = SmallSite(folder)
    site.add("traces.toml", '[generation]\nfile = "content/generation.json"\n')
    site.add("generation.json", json.dumps(trace))
    site.add("articles/a/left.py",
             f'"""Numbers."""\nentry_changes = {changes.ravel().tolist()}\n'
             f"replacement = {REPLACEMENT}\n")
    site.article(text, FRONT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@cache
def entry_changes(replacement=REPLACEMENT):
    """Return how far Python's cached entries change with each token, [L, T, T]."""
    kept = computed(TOKENS, trained=True)
    rows = []
    for j in range(len(TOKENS)):
        now = computed((*TOKENS[:j], replacement, *TOKENS[j + 1:]), trained=True)
        rows.append([max_change(now, kept, layer) for layer in range(2)])
    return np.array(rows).swapaxes(0, 1)


def max_change(now, kept, layer):
    """Return the larger change of K and V at each position, [T]."""
    names = (f"layers.{layer}.k_rotated", f"layers.{layer}.v")
    return np.max([np.abs(now[name] - kept[name]).max(axis=(0, 1, 3))
                   / np.abs(kept[name]).max() for name in names], axis=0)


def spoil_recording(trace):
    """Put one number of a trace off by more than its rounding."""
    trace["tensors"]["logits"]["values"][7] += 2e-6


def triangles(page):
    """Return the texts of each layer's table, [L, T, T]."""
    return page.evaluate("""() =>
      [...document.querySelectorAll("#triangle .triangles table")].map((table) =>
        [...table.tBodies[0].rows].map((row) =>
          [...row.cells].slice(1).map((cell) => cell.textContent)))""")


def strip(page):
    """Return the texts of the chosen row, keys and values of each layer in turn."""
    return page.evaluate("""() =>
      [...document.querySelectorAll("#triangle .entries tbody tr")].map((row) =>
        [...row.cells].slice(1).map((cell) => cell.textContent))""")


def part(page, name):
    """Return what stands in a part of the figure, once it is drawn."""
    next_frame(page)
    return page.text_content(f"#triangle [data-part={name}]")
