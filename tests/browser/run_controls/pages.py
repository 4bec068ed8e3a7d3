"""Sites whose pages run the small model, what Python computes for them, and what a test
does on them."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np

from sitegen.pipeline import build
from tests.model.loading import load_model
from tests.site_builder import SmallSite

ROOT = Path(__file__).parents[3]
FRONT = "---\ntitle: Title\ntrace: demo\n---\n"
PAGE = "a/index.html"
TOKENS = [1, 2, 3, 1, 4, 5]
LONGEST = 32
SPOILED_BY = 2e-6    # four times the recording's rounding
TEXT = """/// run-controls | run
    trained: twin
///

See [the query at position 4](#~query=4).

/// attention-heatmap | first
    row: 2

One head.
///

/// attention-heatmap | second
    row: 2
    compare: true

Two heads.
///

/// attention-heatmap | own
    row: 2
    follow: false

A figure of its own.
///
"""
CONTROLS, END, FIGURES = TEXT.partition("///\n\n")
FAR = FIGURES + "\nA paragraph.\n" * 80 + "\n" + CONTROLS + END    # screens below


@cache
def printed_trace(*arguments):
    """Return the trace that tiny_llama.py prints, as text."""
    command = [sys.executable, "model/tiny_llama.py", *arguments, "--export-trace", "-"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def model_site(folder, text, spoil=None):
    """Build a site with the demo's and the twin's traces; return its output folder.

    spoil  changes the demo's trace, as JSON data, before it is published
    """
    demo = json.loads(printed_trace())
    if spoil:
        spoil(demo)
    site = SmallSite(folder)
    site.add("traces.toml", "".join(
        f'[{name}]\nfile = "content/{name}.json"\n' for name in ("demo", "twin")))
    site.add("demo.json", json.dumps(demo))
    site.add("twin.json", printed_trace("--weights", "model/twin.npz"))
    for name in ("changes.json", "walk.toml"):
        site.add(name, (ROOT / "content" / name).read_bytes())
    site.add("articles/a/tiny_llama.py", (ROOT / "model/tiny_llama.py").read_bytes())
    site.article(text, FRONT)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@cache
def computed(tokens, trained=False):
    """Return every tensor that the Python computes for a tuple of tokens."""
    model = load_model()
    config = model.Config()
    weights = (model.read_weights(ROOT / "model/twin.npz")[0] if trained
               else model.draw_weights(config, model.SEED))
    return model.record_tensors(model.TinyLlama(config, weights), np.array([tokens]))


def wait_for_controls(page):
    """Wait until the page's model has recomputed the recording."""
    page.wait_for_selector("#run .controls:visible")


def choose_token(page, position, token):
    """Choose a token by its list."""
    page.select_option(f"#run li:nth-child({position + 1}) select", str(token))
