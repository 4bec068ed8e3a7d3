"""Milliseconds of main thread for a change of head, at several lengths of a text."""

import base64
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

from bench.report import Row

ROOT = Path(__file__).parents[1]
LENGTHS = (6, 32, 128, 512)
HEADS = 4
CHANGES = 24
FRAME_MS = 1000 / 60
PAGE = """---
title: {length} positions
trace: measured
---

## Weights

/// attention-heatmap | figure-weights
    trace: measured
    layer: 0
    head: 0
    row: 2

{length} × {length} weights of {heads} heads.
///
"""
# Choosing a head is a click on its radio button, as a reader's is; then two frames.
CHOOSE = """async (value) => {
  if (value !== null) {
    document.querySelector(`.pick-head input[value="${value}"]`).click();
  }
  const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  await frame();
  await frame();
  const shown = document.querySelector('[data-panel="head"] [data-part="head"]');
  return shown.textContent;
}"""


def packed(array, dims, unit):
    """Return a tensor as the trace format's packed float32."""
    raw = np.ascontiguousarray(array, "<f4").tobytes()
    return {
        "dims": dims,
        "shape": list(array.shape),
        "unit": unit,
        "encoding": "f32-deflate-base64",
        "data": base64.b64encode(zlib.compress(raw)).decode("ascii"),
    }


def synthetic_trace(length, heads=HEADS):
    """Return a trace of one layer whose scores are drawn, not calculated."""
    scores = np.random.default_rng(length).normal(size=(1, heads, length, length)) * 2
    allowed = np.tril(np.ones((length, length), bool))
    powers = np.where(allowed, np.exp(scores), 0.0)
    weights = powers / powers.sum(axis=-1, keepdims=True)
    dims = ["batch", "head", "query", "key"]
    return {
        "format": "attention-trace",
        "format_major": 1,
        "format_minor": 0,
        "producer": {
            "script": Path(__file__).name,
            "sha256": hashlib.sha256(Path(__file__).read_bytes()).hexdigest(),
            "arguments": [str(length)],
        },
        "model": model_of(heads),
        "input": {
            "token_ids": [list(range(length))],
            "token_labels": [[f"t{index}" for index in range(length)]],
            "position_ids": [list(range(length))],
        },
        "tensors": {
            "layers.0.scores": packed(scores, dims, "score"),
            "layers.0.masked_scores": packed(
                np.where(allowed, scores, -np.inf), dims, "score"
            ),
            "layers.0.weights": packed(weights, dims, "probability"),
        },
        "checks": [],
    }


def model_of(heads):
    """Return the model that a drawn trace says it comes from."""
    return {
        "name": "drawn",
        "revision": "0",
        "hidden_size": heads * 8,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": heads,
        "num_key_value_heads": heads // 2,
        "head_dim": 8,
        "vocab_size": 512,
        "rope_theta": 10000.0,
        "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True,
        "dtype": "float32",
        "rope_pairing": "half-split",
        "trained": False,
    }


def build_page(folder, length):
    """Build a site of one page with one heatmap; return the page's path."""
    article = folder / "content" / "articles" / "measured"
    article.mkdir(parents=True)
    page = PAGE.format(length=length, heads=HEADS)
    (article / "index.md").write_text(page, "utf-8")
    (folder / "trace.json").write_text(json.dumps(synthetic_trace(length)), "utf-8")
    (folder / "content" / "traces.toml").write_text(
        '[measured]\nfile = "trace.json"\n', "utf-8"
    )
    (folder / "content" / "site.toml").write_text(
        'title = "T"\ndescription = "T."\narticles = ["measured"]\n', "utf-8"
    )
    build = [sys.executable, "build.py", "--content", str(folder / "content")]
    build += ["--output", str(folder / "site")]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder / "site" / "measured" / "index.html"


def measure_heads(chromium):
    """Yield a row for each length: the median over changes of head, idle time off."""
    for length in LENGTHS:
        with tempfile.TemporaryDirectory() as folder:
            path = build_page(Path(folder), length)
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            page.locator("attention-heatmap").scroll_into_view_if_needed()
            value = median_change(page)
            page.close()
        name = f"change of head at T = {length}, main thread"
        yield Row("head", name, value, "ms", round(FRAME_MS, 1))


def median_change(page):
    """Return milliseconds of main thread for one change of head.

    Raises ValueError if the figure does not follow: nothing is done quickly.
    """
    session = page.context.new_cdp_session(page)
    # Processor time of the thread, so that a busy machine is not taken for a slow page.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy_ms(value):
        before = task_seconds(session)
        shown = page.evaluate(CHOOSE, value)
        if value not in (None, shown):
            raise ValueError(f"head {value} was chosen, head {shown} is shown")
        return 1000 * (task_seconds(session) - before)

    heads = [str(change % HEADS) for change in range(1, CHANGES + 1)]
    busy_ms(heads[-1])  # the first change may read the trace
    chosen = statistics.median(busy_ms(head) for head in heads)
    idle = statistics.median(busy_ms(None) for _ in heads)
    return max(chosen - idle, 0.0)


def task_seconds(session):
    """Return what Chromium's main thread has worked since it began, in seconds."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "TaskDuration")
