"""What the first view of each article weighs, and how many requests it makes."""

import contextlib
import functools
import http.server
import re
import subprocess
import sys
import tempfile
import threading
import tomllib
from pathlib import Path

from bench.report import Row

ROOT = Path(__file__).parents[1]
ISLAND = re.compile(rb'<script type="application/json".*?</script>', re.DOTALL)
LISTING = re.compile(rb"<source-reader.*?</source-reader>", re.DOTALL)
# design.md, section 10: of the first article
BUDGETS = {"text": 250, "font": 100, "listing": 130, "requests": 6}
# What pages ask for only when a figure comes near that needs it, or is on them at all:
# file → what it is, and the most kilobytes that were agreed on when it was made.
BUNDLES = {
    "model.js": ("script of the walk, the model and its changes, which comes late",
                 100),
    "cache.js": ("script of the cache's figures and the model, which comes late", 100),
    "cache.css": ("style of the cache's figures, on their pages alone", 15),
}


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Keep the table on standard output alone."""


def measure_pages(chromium):
    """Yield rows: kilobytes by kind, before compression, and requests of each article.

    chromium  a Playwright browser
    """
    first, *others = articles()
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        build = [sys.executable, "build.py", "--output", str(site)]
        subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        yield from rows_of(first_view(chromium, site, first), budgets=BUDGETS)
        for slug in others:
            yield from rows_of(first_view(chromium, site, slug), f"{slug}: ")
        yield from bundle_rows(site / "static")


def articles():
    """Return the slugs of all articles, in reading order."""
    settings = (ROOT / "content/site.toml").read_text("utf-8")
    return tomllib.loads(settings)["articles"]


def rows_of(bodies, prefix="", budgets=()):
    """Yield the rows of one article's first view, {path: body}."""
    budgets = dict(budgets)
    kilobytes = {kind: size / 1000 for kind, size in bytes_by_kind(bodies).items()}
    text = kilobytes["html"] + kilobytes["css"] + kilobytes["js"]
    yield Row("page", f"{prefix}HTML, CSS and scripts, first view", text, "kB",
              budgets.get("text"))
    for kind in ("html", "css", "js"):
        yield Row("page", f"{prefix}of this {kind}", kilobytes[kind], "kB")
    for kind, name in (("font", "font"), ("listing", "full listing"),
                       ("islands", "JSON islands")):
        yield Row("page", prefix + name, kilobytes[kind], "kB", budgets.get(kind))
    yield Row("page", f"{prefix}requests", len(bodies), "", budgets.get("requests"))


def bundle_rows(static):
    """Yield the weight of each bundle in a site's folder of shared files."""
    for file, (name, budget) in BUNDLES.items():
        yield Row("page", name, (static / file).stat().st_size / 1000, "kB", budget)


@contextlib.contextmanager
def served(site):
    """Serve a folder on this machine; give its address, without a slash at the end."""
    handler = functools.partial(_QuietHandler, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def first_view(chromium, site, slug):
    """Return {path: body} of what a browser asks for when it opens an article."""
    asked = []
    with served(site) as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/{slug}/index.html", wait_until="load")
        page.evaluate("document.fonts.ready.then(() => true)")
        page.close()
    paths = [url.split("/", 3)[3] for url in asked if url.startswith("http")]
    return {path: (site / path).read_bytes() for path in paths}


def bytes_by_kind(bodies):
    """Return bytes of html (without listing and islands), listing, islands, css, …

    Raises ValueError unless one of the bodies is a page.
    """
    (html,) = (body for path, body in bodies.items() if path.endswith(".html"))
    islands = sum(map(len, ISLAND.findall(html)))
    listing = sum(map(len, LISTING.findall(html)))
    kinds = {"html": len(html) - islands - listing, "islands": islands,
             "listing": listing, "css": 0, "js": 0, "font": 0}
    for path, body in bodies.items():
        kind = {".css": "css", ".js": "js", ".woff2": "font"}.get(Path(path).suffix)
        if kind:
            kinds[kind] += len(body)
    return kinds
