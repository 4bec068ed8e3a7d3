"""All heads of a recording as one page: ours beside BertViz's and CircuitsVis's.

Each page shows the same weights, 30 layers of 9 heads, and is opened from disk in a
browser of its own, until the last head has its picture.  BertViz's page asks a CDN for
require.js, jQuery and d3, so without a network it stays empty: to be timed at all, it
gets them from a folder.  It names jQuery 2.0.0, which npm does not have: it gets 2.1.0.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from playwright.sync_api import Error, sync_playwright

from bench.heads import model_of, packed, synthetic_trace, task_seconds
from bench.report import Row
from tests.browser.harness import CHROMIUM_ARGUMENTS
from tests.browser.head_gallery.pages import DRAWN
from tests.tools.browsers import CHROMIUM, find_or_install

ROOT = Path(__file__).parents[1]
LAYERS, HEADS, LENGTHS = 30, 9, (64, 128)
LIMIT_SECONDS = 150
CHANGES = 12
FRAME_MS = 1000 / 60
CDN = "https://cdnjs.cloudflare.com/ajax/libs"
# What BertViz's page asks for: where a folder that npm filled has it.
SCRIPTS = {
    f"{CDN}/require.js/2.3.6/require.min.js": "requirejs/require.js",
    f"{CDN}/jquery/2.0.0/jquery.min.js": "jquery/dist/jquery.min.js",
    f"{CDN}/d3/5.7.0/d3.min.js": "d3/dist/d3.min.js",
}
CONTENT = {
    "content/site.toml": 'title = "T"\ndescription = "T."\narticles = ["measured"]\n',
    "content/traces.toml": '[measured]\nfile = "trace.json"\n',
    "content/articles/measured/index.md": """---
title: All heads
trace: measured
---

## Weights

/// head-gallery | figure-gallery

All heads.
///

/// attention-heatmap | figure-weights

The chosen head.
///
""",
}
TWO_FRAMES = """const frame = () => new Promise(requestAnimationFrame);
  await frame();
  await frame();"""


@dataclass(frozen=True)
class Gallery:
    """A page that shows all heads.

    ready    JavaScript: whether the last head has its picture
    click    JavaScript: chooses the head number `index` of all, as a click does
    shown    JavaScript: whether the head number `index` is the one shown
    scripts  {address: body} of what it asks a CDN for
    """

    name: str
    page: Path
    ready: str
    click: str
    shown: str
    scripts: dict[str, bytes] = field(default_factory=dict)

    @property
    def size_bytes(self):
        """Return the bytes of the page and of all that it needs."""
        return self.page.stat().st_size + sum(map(len, self.scripts.values()))


class OwnGallery(Gallery):
    """Our page, whose scripts, styles and pictures lie in files of their own."""

    @property
    def size_bytes(self):
        """Return the bytes of all files that the page can ask for."""
        site = self.page.parents[1]
        downloads = {self.page.parent / "trace.json", site / "index.html"}
        return sum(path.stat().st_size for path in site.rglob("*")
                   if path.is_file() and path not in downloads)


def drawn_trace(length):
    """Return (trace, weights [L, H, T, T]) of drawn attention."""
    trace = synthetic_trace(length, LAYERS * HEADS)
    weights = drawn_weights(length)
    dims = ["batch", "head", "query", "key"]
    trace["model"] = {**model_of(HEADS), "num_hidden_layers": LAYERS,
                      "num_key_value_heads": HEADS // 3}
    trace["tensors"] = {
        f"layers.{index}.weights": packed(layer[None], dims, "probability")
        for index, layer in enumerate(weights)}
    return trace, weights


def drawn_weights(length):
    """Return [L, H, T, T] of float32: causal rows of random weights that sum to one."""
    scores = np.random.default_rng(length).normal(
        0, 2, (LAYERS, HEADS, length, length))
    powers = np.exp(scores) * np.tri(length)
    return (powers / powers.sum(-1, keepdims=True)).astype("<f4")


def write_own_page(folder, trace):
    """Build a site of one article, a gallery and a heatmap; return its page."""
    for name, text in CONTENT.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "trace.json").write_text(json.dumps(trace), "utf-8")
    build = [sys.executable, "build.py", "--content", str(folder / "content"),
             "--output", str(folder / "site")]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder / "site" / "measured" / "index.html"


def own_gallery(page):
    """Return our page's Gallery: the click is on the sheet, the heatmap follows."""
    return OwnGallery(
        "ours", page,
        ready=f"() => Boolean(document.querySelector('head-gallery')) && ({DRAWN})()",
        click="""(index) => {
          const { sheet, canvas } = document.querySelector("head-gallery");
          const place = sheet.at.indexOf(index), box = canvas.canvas
            .getBoundingClientRect();
          const middle = sheet.side / 2;
          const left = sheet.left + (place % sheet.columns) * sheet.cell + middle;
          const top = sheet.top(Math.floor(place / sheet.columns)) + middle;
          canvas.canvas.dispatchEvent(new MouseEvent("click", { bubbles: true,
            clientX: box.left + left / canvas.scale,
            clientY: box.top + top / canvas.scale }));
        }""",
        shown=f"""(index) => {{
          const panel = document.querySelector('[data-panel="head"]');
          const part = (name) => Number(
            panel.querySelector(`[data-part="${{name}}"]`).textContent);
          return part("layer") * {HEADS} + part("head") === index;
        }}""")


def peer_galleries(folder, peers):
    """Return the Galleries of the pages that bench.peer_pages has saved in a folder.

    peers  a folder whose node_modules have what BertViz's page asks a CDN for
    """
    count = LAYERS * HEADS
    bodies = {address: Path(peers, "node_modules", name).read_bytes()
              for address, name in SCRIPTS.items()}
    return [
        Gallery(
            "BertViz", folder / "bertviz.html", scripts=bodies,
            ready="() => document.querySelectorAll('.attn_background').length"
                  f" === {count}",
            click="""(index) => document.querySelectorAll(".attn_background")[index]
              .parentNode.lastChild.dispatchEvent(new MouseEvent("click"))""",
            shown=f"""(index) => document.querySelector("text.detail").textContent ===
              `Layer ${{Math.floor(index / {HEADS})}}, Head ${{index % {HEADS}}}`"""),
        Gallery(
            "CircuitsVis", folder / "circuitsvis.html",
            ready=f"() => document.querySelectorAll('canvas').length > {count}",
            click="(index) => document.querySelectorAll('h4')[index].click()",
            shown="""(index) => [...document.querySelectorAll("h3")].pop().textContent
              === `Head ${index} Zoomed`"""),
    ]


def open_page(browser, gallery):
    """Return a page of the gallery, asked for and not yet there, without a network."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(1000 * LIMIT_SECONDS)

    def answer(route):
        body = gallery.scripts.get(route.request.url)
        if body is None:
            route.abort()
        else:
            route.fulfill(body=body, content_type="text/javascript")
    page.route(lambda address: address.startswith("http"), answer)
    return page


def time_to_picture(page, gallery):
    """Return (seconds of clock, seconds of main thread) until all heads are drawn.

    Raises playwright's Error where that takes longer than the limit.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    started = time.perf_counter()
    page.goto(gallery.page.as_uri(), wait_until="commit")
    page.wait_for_function(gallery.ready, polling=100)
    page.evaluate(f"async () => {{ {TWO_FRAMES} }}")
    return time.perf_counter() - started, task_seconds(session)


def median_switch(page, gallery):
    """Return milliseconds of main thread for a switch to another head.

    Raises ValueError if the page does not follow: nothing is done quickly.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    script = f"""async (index) => {{
      ({gallery.click})(index);
      {TWO_FRAMES}
      return ({gallery.shown})(index);
    }}"""

    def busy_ms(index):
        before = task_seconds(session)
        if not page.evaluate(script, index):
            raise ValueError(f"{gallery.name} does not show head {index} of all")
        return 1000 * (task_seconds(session) - before)

    # Each in another layer than the one before, and in another column.
    heads = [(1 + change * (HEADS + 1)) % (LAYERS * HEADS) for change in range(CHANGES)]
    deadline, spent = time.perf_counter() + LIMIT_SECONDS, []
    for index in heads:
        spent.append(busy_ms(index))
        if time.perf_counter() > deadline:
            break
    return statistics.median(spent)


def measure_gallery(chromium, gallery, length):
    """Yield the rows of one page: bytes, then times, unless it takes too long."""
    what = f"{gallery.name}, {LAYERS} × {HEADS} × {length}"
    yield Row("gallery", f"{what}: page and its files", gallery.size_bytes / 1e6, "MB")
    browser = chromium.launch(executable_path=find_or_install(CHROMIUM).executable,
                              args=CHROMIUM_ARGUMENTS)
    try:
        page = open_page(browser, gallery)
        clock, busy = time_to_picture(page, gallery)
        yield Row("gallery", f"{what}: time to picture", clock, "s")
        yield Row("gallery", f"{what}: of it main thread", busy, "s")
        budget = round(FRAME_MS, 1) if gallery.name == "ours" else None
        yield Row("gallery", f"{what}: switch of head, main thread",
                  median_switch(page, gallery), "ms", budget)
    except Error:
        yield Row("gallery", f"{what}: stopped before it was done", LIMIT_SECONDS, "s")
    finally:
        browser.close()


def measure_galleries(peers):
    """Return (rows, versions) at each length; peers' pages where a folder has them."""
    rows, versions = [], {}
    for length in LENGTHS:
        with (tempfile.TemporaryDirectory() as name,
              sync_playwright() as playwright):
            folder = Path(name)
            trace, weights = drawn_trace(length)
            galleries = [own_gallery(write_own_page(folder, trace))]
            if peers:
                versions |= save_peer_pages(folder, weights, peers)
                galleries += peer_galleries(folder, peers)
            for gallery in galleries:
                rows += measure_gallery(playwright.chromium, gallery, length)
    return rows, versions


def save_peer_pages(folder, weights, peers):
    """Let the peers save their pages of the weights; return their versions."""
    np.save(folder / "weights.npy", weights)
    command = [sys.executable, "-m", "bench.peer_pages", str(folder / "weights.npy"),
               str(folder), "--peers", peers]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)
