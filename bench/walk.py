"""Milliseconds of main thread for what a reader does to the whole computation.

A page with the tokens' controls, a heatmap and the walk, at two lengths of a text, on
this processor and on one that Chromium slows down four times.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.heads import FRAME_MS, task_seconds
from bench.report import Row

ROOT = Path(__file__).parents[1]
TOKENS = {6: [1, 2, 3, 1, 4, 5], 32: [(5 * t + t * t // 3) % 32 for t in range(32)]}
SLOWDOWNS = (1, 4)
REPEATS = 16
PAGE = """---
title: The walk
trace: demo
---

/// run-controls | run
///

/// attention-heatmap | heatmap
    alone: true

Weights.
///

/// tensor-walk | walk
    step: scores

All steps.
///
"""
TRACES = ('[demo]\nrun = ["python", "model/tiny_llama.py", "--tokens", "{tokens}", '
          '"--verify", "--export-trace", "-"]\n')
SITE = ('title = "T"\ndescription = "T."\narticles = ["measured"]\n'
        'publish = ["model/tiny_llama.py"]\n')
READY = "run-controls:defined .tokens select, .tensor-table td[tabindex]"
# Each does one thing, as a reader's hand would, then waits for two frames.
FRAMES = """const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
  await frame(); await frame();"""
ACTIONS = {
    "a step change": ("""async (n) => {
  document.querySelector(`[data-control=${n %% 2 ? "next" : "previous"}]`).click();
  %s
  return document.querySelector(".walk-step.current").dataset.step;
}""", 2),
    "opening a cell": ("""async (n) => {
  const cells = document.querySelectorAll(
    '.walk-step.current [data-role=output] .tensor-table tbody td');
  cells[(7 * n) %% cells.length].click();
  %s
  return document.querySelector(".opened").textContent;
}""", REPEATS),
    "a token edit": ("""async (n) => {
  const token = document.querySelector(".tokens select");
  token.value = String(n %% 32);
  token.dispatchEvent(new Event("change", { bubbles: true }));
  %s
  return document.querySelector("#heatmap tbody").textContent;
}""", REPEATS),
}
NOTHING = f"async (n) => {{ {FRAMES} }}"


def build_page(folder, tokens):
    """Build a site of one page with a walk through a run of tokens; return its path."""
    article = folder / "content/articles/measured"
    article.mkdir(parents=True)
    (folder / "model").mkdir()
    for name in ("content/walk.toml", "model/tiny_llama.py"):
        shutil.copy(ROOT / name, folder / name)
    (article / "index.md").write_text(PAGE, "utf-8")
    listed = ",".join(map(str, tokens))
    (folder / "content/traces.toml").write_text(TRACES.format(tokens=listed), "utf-8")
    (folder / "content/site.toml").write_text(SITE, "utf-8")
    subprocess.run([sys.executable, "build.py", "--content", str(folder / "content"),
                    "--output", str(folder / "site")], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "site/measured/index.html"


def measure_walk(chromium):
    """Yield a row for each length, slowdown and action, idle time off."""
    for length, tokens in TOKENS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = build_page(Path(folder), tokens)
            for slowdown in SLOWDOWNS:
                yield from rows_of(chromium, path, length, slowdown)


def rows_of(chromium, path, length, slowdown):
    """Yield the rows of one page on a processor that is so many times slower."""
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    page.wait_for_selector(READY, state="attached")
    page.locator("#walk").scroll_into_view_if_needed()
    page.wait_for_selector(".tensor-table td[tabindex]")
    session = page.context.new_cdp_session(page)
    # Processor time of the thread, so that a busy machine is not taken for a slow page.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    idle = median_ms(page, session, NOTHING, None)
    slowed = f", processor slowed {slowdown} times" if slowdown > 1 else ""
    for name, (script, states) in ACTIONS.items():
        busy = median_ms(page, session, script % FRAMES, states)
        # The budget is of this processor; what a slow one takes is told, not judged.
        budget = round(FRAME_MS, 1) if slowdown == 1 else None
        yield Row("walk", f"{name} at T = {length}{slowed}", max(busy - idle, 0.0),
                  "ms", budget)
    page.close()


def median_ms(page, session, script, states):
    """Return the median milliseconds of main thread of one action.

    states  how many different results are expected at least over the repeats, half of
            them to spare; None where there are none

    Raises ValueError if the page does not follow: nothing is done quickly.
    """
    spent, shown = [], set()
    for number in range(REPEATS):
        before = task_seconds(session)
        shown.add(page.evaluate(script, number))
        spent.append(1000 * (task_seconds(session) - before))
    if states and len(shown) < (states + 1) // 2 + 1:
        raise ValueError(f"{REPEATS} actions, and {len(shown)} results: {script}")
    return statistics.median(spent)
