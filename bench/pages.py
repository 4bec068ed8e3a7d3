"""What the first view of the first article weighs, and how many requests it makes."""

import functools
import http.server
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from bench.report import Row

ROOT = Path(__file__).parents[1]
ARTICLE = "inside-attention/index.html"
ISLAND = re.compile(rb'<script type="application/json".*?</script>', re.DOTALL)
LISTING = re.compile(rb"<source-reader.*?</source-reader>", re.DOTALL)
# design.md, section 10
TEXT_BUDGET_KB, FONT_BUDGET_KB, LISTING_BUDGET_KB, REQUEST_BUDGET = 250, 100, 130, 6
LATE_BUDGET_KB = 100


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Keep the table on standard output alone."""


def measure_pages(chromium):
    """Yield rows: kilobytes by kind, before compression, and requests.

    chromium  a Playwright browser
    """
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "build.py", "--output", f"{folder}/site"]
        subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        bodies = first_view(chromium, Path(folder, "site"))
        late = Path(folder, "site/static/model.js").stat().st_size / 1000
    kilobytes = {kind: size / 1000 for kind, size in bytes_by_kind(bodies).items()}
    text = kilobytes["html"] + kilobytes["css"] + kilobytes["js"]
    yield Row("page", "HTML, CSS and scripts, first view", text, "kB", TEXT_BUDGET_KB)
    for kind in ("html", "css", "js"):
        yield Row("page", f"of this {kind}", kilobytes[kind], "kB")
    yield Row("page", "font", kilobytes["font"], "kB", FONT_BUDGET_KB)
    yield Row("page", "full listing", kilobytes["listing"], "kB", LISTING_BUDGET_KB)
    yield Row("page", "JSON islands", kilobytes["islands"], "kB")
    yield Row("page", "requests", len(bodies), "", REQUEST_BUDGET)
    yield Row("page", "script of the walk, the model and its changes, which comes late",
              late, "kB", LATE_BUDGET_KB)


def first_view(chromium, site):
    """Return {path: body} of what a browser asks for when it opens the article."""
    handler = functools.partial(_QuietHandler, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asked = []
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"http://127.0.0.1:{server.server_port}/{ARTICLE}", wait_until="load")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.close()
    server.shutdown()
    server.server_close()
    paths = [url.split("/", 3)[3] for url in asked if url.startswith("http")]
    return {path: (site / path).read_bytes() for path in paths}


def bytes_by_kind(bodies):
    """Return bytes of html (without listing and islands), listing, islands, css, …"""
    html = bodies[ARTICLE]
    islands = sum(map(len, ISLAND.findall(html)))
    listing = sum(map(len, LISTING.findall(html)))
    kinds = {"html": len(html) - islands - listing, "islands": islands,
             "listing": listing, "css": 0, "js": 0, "font": 0}
    for path, body in bodies.items():
        kind = {".css": "css", ".js": "js", ".woff2": "font"}.get(Path(path).suffix)
        if kind:
            kinds[kind] += len(body)
    return kinds
