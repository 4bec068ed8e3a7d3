"""One article of each tool in a browser: what it asks for, from disk, for everybody."""

import re
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Error

from bench.articles import slug
from bench.pages import ROOT, served

ARTICLE = f"{slug(1)}/index.html"   # with formulas, code, tables and links, as all
WORD = "residual"                   # stands in every article
VIEWPORT = {"width": 1280, "height": 900}
DISK = ("styles", "formulas", "code", "links", "search")   # what must work from there
PATIENCE_MS, SETTLE_MS = 5000, 500
AXE = "axe.run(document, { preload: false, resultTypes: ['violations'] })"
# How many formulas are typeset, in how many colours the first listing is, where a link
# to another article leads; the font and the ground tell whether styles apply.
LOOK = """() => {
  const first = document.querySelector("pre .k, pre .hljs-keyword, pre span");
  const listing = first && first.closest("pre");
  const colours = listing ? [listing, ...listing.querySelectorAll("span")].map(
    (part) => getComputedStyle(part).color) : [];
  const links = [...document.querySelectorAll("a")];
  const link = links.find((a) => a.textContent === "the article beside it");
  return {
    formulas: document.querySelectorAll("math, mjx-container, .katex").length,
    font: getComputedStyle(document.body).fontFamily,
    colours: new Set(colours).size,
    link: link ? link.href : "",
    ground: [document.documentElement, document.body].map(
      (part) => getComputedStyle(part).backgroundColor).join(),
  };
}"""
SETTER = re.compile("katex|mathjax", re.IGNORECASE)    # a script that sets formulas
UNSTYLED = '"Times New Roman"'      # what Chromium takes where nothing is said


@contextmanager
def opened(chromium, address, scheme="light"):
    """Open an address; give the page, and the addresses of all that it asked for.

    What it asks of other hosts is refused.
    """
    context = chromium.new_context(viewport=VIEWPORT, color_scheme=scheme)
    host, asked = urlsplit(address).netloc, []

    def answer(route):
        other = urlsplit(route.request.url).netloc not in ("", host)
        route.abort() if other else route.continue_()

    context.route("**/*", answer)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address, wait_until="load")
    page.wait_for_timeout(SETTLE_MS)
    yield page, asked
    context.close()


def first_view(chromium, site):
    """Return kilobytes, requests, and how many of these went to other hosts.

    Before compression; what other hosts would have sent is not among the bytes.
    """
    with served(site) as host, opened(chromium, f"{host}/{ARTICLE}") as (_, asked):
        pass
    fetched = {url for url in asked if url.startswith("http")}
    own = {url for url in fetched if url.startswith(f"{host}/")}
    size = sum(served_bytes(site, urlsplit(url).path) for url in own)
    return {"kilobytes": round(size / 1000, 1), "requests": len(fetched),
            "elsewhere": len(fetched - own)}


def served_bytes(site, path):
    """Return the size of what stands at a path of a site, 0 where nothing does."""
    file = Path(site, path.lstrip("/"))
    file = file / "index.html" if file.is_dir() else file
    return file.stat().st_size if file.is_file() else 0


def from_disk(chromium, site, search):
    """Return what works from disk without a network: name → "" or why not."""
    folder = Path(site).resolve().as_uri()
    with opened(chromium, f"{folder}/{ARTICLE}") as (page, asked):
        look = page.evaluate(LOOK)
        found = {
            "styles": "" if look["font"] != UNSTYLED else "no style applies",
            "formulas": formulas_fault(look, asked),
            "code": "" if look["colours"] > 1 else "in one colour",
            "links": link_fault(page, look["link"]),
            "search": search_fault(page, f"{folder}/", search) if search
            else "no search",
        }
    if search and found["search"]:
        with served(site) as host, opened(chromium, f"{host}/{ARTICLE}") as (page, _):
            if search_fault(page, f"{host}/", search):
                found["search"] += ", over HTTP neither"
    return found


def formulas_fault(look, asked):
    """Return why the formulas are not typeset, "" where they are."""
    if look["formulas"]:
        return ""
    hosts = {urlsplit(url).netloc for url in asked
             if url.startswith("http") and SETTER.search(url)}
    return ", ".join(["TeX as it was typed", *(f"asks {host}" for host in hosts)])


def link_fault(page, link):
    """Return why the link to another article leads nowhere, "" where it does."""
    if not link:
        return "no link"
    try:
        page.goto(link, wait_until="load")
        title = page.title()
    except Error:
        return "lead to no page"
    return "" if "Article" in title else f"opens '{title}'"


def search_fault(page, root, search):
    """Return why a search gives no result, "" where it gives one."""
    page.goto(root + (search.page or ARTICLE), wait_until="load")
    try:
        field = page.locator(search.field).locator("visible=true").first
        field.click(timeout=PATIENCE_MS)
        field.press_sequentially(WORD)
        page.wait_for_timeout(SETTLE_MS)
        if not page.locator(search.result).count():
            field.press("Enter")
        page.wait_for_selector(search.result, timeout=PATIENCE_MS, state="attached")
    except Error:
        return "no result"
    return ""


def accessibility(chromium, site):
    """Return scheme → the names of axe-core's rules that an article breaks; without
    "dark" where that looks no different from "light"."""
    source = (ROOT / "node_modules/axe-core/axe.min.js").read_text("utf-8")
    broken, grounds = {}, {}
    for scheme in ("light", "dark"):
        with served(site) as address, \
                opened(chromium, f"{address}/{ARTICLE}", scheme) as (page, _):
            grounds[scheme] = page.evaluate(LOOK)["ground"]
            page.evaluate(source)
            found = page.evaluate(AXE)["violations"]
            broken[scheme] = sorted(violation["id"] for violation in found)
    if grounds["dark"] == grounds["light"]:
        del broken["dark"]
    return broken
