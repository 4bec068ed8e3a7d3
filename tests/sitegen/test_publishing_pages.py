"""The pages beside the series: one for what is missing, and those about the site."""

from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.article_page import POLICY
from tests.site_builder import SETTINGS

NOTES = Path(__file__).parents[2] / "content" / "notes" / "publishing.md"

BASE = "https://example.org/deep/site"
ABOUT = SETTINGS.replace('["a"]', '["a", "b"]') + 'about = ["how"]\n'


@pytest.fixture
def articles(site):
    """Return a site of two articles and a page about it."""
    site.add("site.toml", ABOUT)
    for slug in ("a", "b"):
        site.article("Text.\n", f"---\ntitle: The {slug}\nrevised: 2026-01-02\n---\n",
                     slug)
    site.article("Text.\n", "---\ntitle: How <it> is\ndescription: Why.\n---\n", "how")
    return site


def addresses(html):
    """Return each address on a page but those with a scheme of their own."""
    nodes = LexborHTMLParser(html).css("a[href], link[href], script[src]")
    found = [node.attributes.get("href") or node.attributes["src"] for node in nodes]
    return [address for address in found if not urlsplit(address).scheme]


# ------------------------------------------------------------------------ no page
@pytest.mark.parametrize("base", ["", "/deep/site", "/~me/%D0%B9"])
@pytest.mark.parametrize("asked", ["/x", "/x/", "/x/y/z/w.html"])
def test_the_page_for_no_page_works_at_any_depth(articles, base, asked):
    files = articles.build(f"https://example.org{base}/")
    html = files["404.html"]
    found = addresses(html)
    assert {f"{base}/a/index.html", f"{base}/static/site.css"} <= {*found}
    for address in found:
        path = urlsplit(urljoin(f"https://example.org{base}{asked}", address)).path
        if not address.startswith("#"):
            assert path.removeprefix(f"{base}/") in files, address


def test_the_page_for_no_page_is_relative_without_an_address(articles):
    files = articles.build()
    found = [address for address in addresses(files["404.html"])
             if not address.startswith("#")]
    assert found and all(address in files for address in found)


def test_a_wrong_address_on_the_page_for_no_page_is_noticed(articles, monkeypatch):
    monkeypatch.setattr("sitegen.site_build.ASSETS", {
        "css": "static/site.css", "theme": "static/theme.js", "js": "static/no.js"})
    for base in (None, BASE):
        found = [(str(problem.place), problem.message)
                 for problem in articles.failure(base)]
        assert ("404.html", "no file or page 'static/no.js'") in found


def test_the_page_for_no_page_names_the_articles_and_is_not_listed(articles):
    files = articles.build(BASE)
    tree = LexborHTMLParser(files["404.html"])
    assert [node.text() for node in tree.css("ol.articles h3")] == ["The a", "The b"]
    assert tree.css_first("meta[name=robots]").attributes["content"] == "noindex"
    assert not tree.css("[rel=canonical]")
    assert "404" not in files["sitemap.xml"]


# -------------------------------------------------------------------- about the site
def test_a_page_about_the_site_stands_outside_the_series(articles):
    files = articles.build(BASE)
    index = LexborHTMLParser(files["index.html"])
    assert [node.text() for node in index.css("ol.articles h3")] == ["The a", "The b"]
    link = index.css_first("section[aria-labelledby=about] a")
    assert (link.text(), link.attributes["href"]) == ("How <it> is", "how/index.html")
    assert not LexborHTMLParser(files["how/index.html"]).css(".series")
    last = LexborHTMLParser(files["b/index.html"]).css(".series a")
    assert [node.attributes["rel"] for node in last] == ["prev"]
    assert f"{BASE}/how/" in files["sitemap.xml"]


def test_every_page_s_foot_leads_to_it(articles):
    files = articles.build()
    for path in ("index.html", "404.html", "a/index.html", "how/index.html"):
        links = {urljoin(path, node.attributes["href"]): node.text()
                 for node in LexborHTMLParser(files[path]).css("footer a")}
        assert links["how/index.html"] == "How <it> is", path


def test_without_one_no_page_speaks_of_any(site):
    site.article("Text.\n")
    files = site.build()
    assert "about" not in files["index.html"].lower().replace("about it.", "")


@pytest.mark.parametrize(("settings", "expected"), [
    (ABOUT.replace('["how"]', '["how", "a"]'), "about: 'a' stands in articles too"),
    (ABOUT.replace('["how"]', '["no"]'), "no such article"),
    (ABOUT.replace('["how"]', '[]'), "site.toml does not list this article"),
    (ABOUT.replace('["how"]', '["search"]'),
     'about.0: "search": expected a folder\'s name of a-z, 0-9 and single hyphens, not '
     "static or search")])
def test_a_wrong_list_of_them_is_refused(articles, settings, expected):
    articles.add("site.toml", settings)
    assert expected in [problem.message for problem in articles.failure()]


def test_the_policy_to_send_is_the_pages_own_and_one_thing_more():
    header = f"Content-Security-Policy: {POLICY}; frame-ancestors 'none'"
    assert header in NOTES.read_text("utf-8").splitlines()
