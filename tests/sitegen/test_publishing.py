"""A site that knows its address says so to feeds, searchers, citers and previews."""

import json
import re
from urllib.parse import urljoin
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.commands.arguments import BASE_URL
from sitegen.publishing import web_address
from sitegen.schemas import schema_errors
from tests.site_builder import SETTINGS
from tests.synthetic_trace import add_trace, synthetic_trace

BASE = "https://example.org/deep/site"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
MAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
HOSTILE = [
    "Q & A <b>: {braces} 100% \"quoted\" 'too' $x_1$ #2 ~ ^ \\end",
    "</title></script><script>alert(1)</script>",
    "]]> --> <!-- &amp; &#0; {{ page }} {% raw %}",
    "注意力机制：每个数字 “从哪里来”",
    "כמה נותן כל מקום \u2067(attention)\u2069",
    "Čím víc, tím líp – déjà vu",
    "}{",
]
FRONT = """---
title: {title}
description: {description}
published: 2026-02-01
authors: [Ada Lovelace, "Smith, Sons and Others"]
trace: demo
updates:
  - {{date: 2026-03-05, text: A figure of more heads}}
corrections:
  - {{date: 2026-04-07, text: "The mask was said to come after the softmax; before"}}
---
"""


def write(site, title="Title", description="About it.", settings=SETTINGS):
    """Write a site with the article 'a', which cites a work, and a trace."""
    site.add("site.toml", settings)
    add_trace(site, synthetic_trace())
    site.add("references.bib", "@misc{x, title={X}, author={Y}, year={2020}}")
    site.article("Text. [@x]\n", FRONT.format(
        title=json.dumps(title), description=json.dumps(description)))


def metas(html):
    """Return name or property → contents of a page's meta elements."""
    found = {}
    for node in LexborHTMLParser(html).css("meta[content]"):
        name = node.attributes.get("property") or node.attributes.get("name")
        found.setdefault(name, []).append(node.attributes["content"])
    return found


def json_ld(html):
    """Return the page's JSON-LD, read back; None where it has none."""
    node = LexborHTMLParser(html).css_first("script[type='application/ld+json']")
    return json.loads(node.text()) if node else None


def bibtex(html):
    """Return the entry that a page prints."""
    return next(node.text() for node in LexborHTMLParser(html).css("pre code")
                if node.text().startswith("@misc"))


# ------------------------------------------------------------- without an address
def test_without_an_address_nothing_names_one(site):
    write(site)
    files = site.build()
    assert not {"feed.xml", "sitemap.xml", "a/data/picture.png"} & files.keys()
    assert files["robots.txt"] == "User-agent: *\nAllow: /\n"
    for path in ("index.html", "a/index.html", "404.html"):
        html = files[path]
        assert "https://" not in html, path
        assert json_ld(html) is None
        assert not {"citation_title", "og:image", "og:url"} & metas(html).keys()
        for node in LexborHTMLParser(html).css("[href], [src]"):
            address = node.attributes.get("href") or node.attributes["src"]
            assert not address.startswith(("/", "http")), address


# ---------------------------------------------------------------- the page's head
def test_an_article_tells_programs_what_it_is(site):
    write(site)
    html = site.build(BASE + "/")["a/index.html"]
    found = metas(html)
    assert found["og:url"] == [f"{BASE}/a/"]
    assert found["og:image"] == [f"{BASE}/a/data/picture.png"]
    assert (found["og:image:width"], found["og:image:height"]) == (["1200"], ["630"])
    assert found["og:image:alt"][0].startswith("Attention weights in layer 0 of Synth")
    assert found["article:published_time"] == ["2026-02-01"]
    assert found["article:modified_time"] == ["2026-04-07"]
    assert found["citation_title"] == ["Title"]
    assert found["citation_author"] == ["Ada Lovelace", "Smith, Sons and Others"]
    assert found["citation_publication_date"] == ["2026/02/01"]
    assert found["citation_publisher"] == ["the project's contributors"]
    assert found["citation_fulltext_html_url"] == [f"{BASE}/a/"]
    links = {node.attributes["rel"]: node.attributes["href"]
             for node in LexborHTMLParser(html).css("link[rel]")}
    assert links["canonical"] == f"{BASE}/a/"
    assert urljoin(f"{BASE}/a/", links["alternate"]) == f"{BASE}/feed.xml"


def test_json_ld_says_the_same(site):
    write(site)
    files = site.build(BASE)
    data = json_ld(files["a/index.html"])
    assert data["@type"] == "ScholarlyArticle"      # it has references
    assert (data["headline"], data["url"]) == ("Title", f"{BASE}/a/")
    assert (data["datePublished"], data["dateModified"]) == ("2026-02-01", "2026-04-07")
    assert data["author"][0] == {"@type": "Person", "name": "Ada Lovelace"}
    assert data["copyrightHolder"] == {"@type": "Organization",
                                       "name": "the project's contributors"}
    assert [each["datePublished"] for each in data["correction"]] == ["2026-04-07"]
    assert data["isPartOf"] == {"@type": "WebSite", "name": "Site", "url": f"{BASE}/"}
    assert json_ld(files["index.html"])["@type"] == "WebSite"
    assert metas(files["index.html"])["og:image"] == [f"{BASE}/a/data/picture.png"]


def test_an_article_without_dates_and_references_says_less(site):
    site.article("Text.\n")
    files = site.build(BASE)
    data, found = json_ld(files["a/index.html"]), metas(files["a/index.html"])
    assert data["@type"] == "Article"
    assert not {"datePublished", "dateModified", "image", "correction"} & data.keys()
    assert not {"citation_publication_date", "og:image", "twitter:card"} & found.keys()
    assert "feed.xml" not in files and "feed.xml" not in files["index.html"]
    assert "lastmod" not in files["sitemap.xml"]


def test_nobody_is_invented(site):
    site.article("Text.\n", "---\ntitle: T\nrevised: 2026-11-30\n---\n")
    files = site.build(BASE)
    name = "the project's contributors"
    assert metas(files["a/index.html"])["citation_author"] == [name]
    assert json_ld(files["a/index.html"])["author"] == [
        {"@type": "Organization", "name": name}]
    feed = ElementTree.fromstring(files["feed.xml"])
    assert {node.text for node in feed.iterfind(".//a:name", ATOM)} == {name}
    assert "doi" not in (files["a/index.html"] + files["feed.xml"]).lower()


def test_site_toml_names_authors_and_holder(site):
    write(site, settings=SETTINGS + 'authors = ["Bo Li"]\nholder = "An Institute"\n')
    site.article("Text.\n", "---\ntitle: B\nrevised: 2026-01-01\n---\n", "b")
    settings = (site.content / "site.toml").read_text("utf-8")
    site.add("site.toml", settings.replace('["a"]', '["a", "b"]'))
    files = site.build(BASE)
    data = json_ld(files["b/index.html"])
    assert data["author"] == [{"@type": "Person", "name": "Bo Li"}]
    assert data["copyrightHolder"] == {"@type": "Organization", "name": "An Institute"}
    assert metas(files["a/index.html"])["citation_author"][0] == "Ada Lovelace"
    assert "<rights>An Institute</rights>" in files["feed.xml"]
    facts = LexborHTMLParser(files["b/index.html"]).css_first(".facts").text()
    assert "Bo Li" in facts


# ------------------------------------------------------------- hostile titles
@pytest.mark.parametrize("title", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_title_stays_text_everywhere(site, title):
    write(site, title, title, SETTINGS.replace('"Site"', json.dumps(title)))
    files = site.build(BASE)
    tree = LexborHTMLParser(files["a/index.html"])
    assert tree.css_first("title").text() == f"{title} · {title}"
    assert tree.css_first("h1").text() == title
    assert not tree.css("script:not([src]):not([type])")
    assert metas(files["a/index.html"])["citation_title"] == [title]
    assert metas(files["a/index.html"])["og:title"] == [title]
    assert json_ld(files["a/index.html"])["headline"] == title
    feed = ElementTree.fromstring(files["feed.xml"])
    assert feed.find("a:title", ATOM).text == title
    assert feed.find("a:entry/a:summary", ATOM).text == title
    assert LexborHTMLParser(files["404.html"]).css_first("h3").text() == title


@pytest.mark.parametrize("escape", ["\\ufffe", "\\uffff", "\\0"])
def test_what_no_feed_can_hold_is_refused(site, escape):
    site.article("Text.\n", f'---\ntitle: "a{escape}b"\nrevised: 2026-01-01\n---\n')
    found = {problem.place.path for problem in site.failure()}
    assert "content/articles/a/index.md" in found


# ------------------------------------------------------------- feed, sitemap, robots
def atom_faults(text):
    """Yield what RFC 4287 wants of a feed and does not find: 4.1.1, 4.1.2, 4.2."""
    feed = ElementTree.fromstring(text)
    ids = [node.text for node in feed.iterfind(".//a:id", ATOM)]
    if len(ids) != len(set(ids)):
        yield "two things have one id"
    for node in [feed, *feed.iterfind("a:entry", ATOM)]:
        for name in ("id", "title", "updated"):
            if len(node.findall(f"a:{name}", ATOM)) != 1:
                yield f"{node.tag}: not one {name}"
        for name in ("updated", "published"):
            for day in node.iterfind(f"a:{name}", ATOM):
                if not re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", day.text):
                    yield f"{day.text}: no date of RFC 3339"
        rels = [link.attrib["rel"] for link in node.iterfind("a:link", ATOM)]
        if "alternate" not in rels or len(rels) != len(set(rels)):
            yield f"{node.tag}: links {rels}"
        if node.find("a:author/a:name", ATOM) is None:
            yield f"{node.tag}: no author"
        if not all(link.attrib["href"].startswith(BASE)
                   for link in node.iterfind("a:link", ATOM)):
            yield "a link that is not the site's"


def test_the_feed_is_an_atom_feed_the_newest_first(site):
    write(site)
    site.add("site.toml", SETTINGS.replace('["a"]', '["a", "b", "c"]'))
    site.article("Text.\n", "---\ntitle: B\nrevised: 2026-06-01\n---\n", "b")
    site.article("Text.\n", "---\ntitle: C\n---\n", "c")
    text = site.build(BASE)["feed.xml"]
    assert list(atom_faults(text)) == []
    feed = ElementTree.fromstring(text)
    assert [node.text for node in feed.iterfind("a:entry/a:id", ATOM)] == [
        f"{BASE}/b/", f"{BASE}/a/"]
    assert feed.find("a:updated", ATOM).text == "2026-06-01T00:00:00Z"
    assert [node.text for node in feed.iterfind("a:entry/a:updated", ATOM)] == [
        "2026-06-01T00:00:00Z", "2026-04-07T00:00:00Z"]


@pytest.mark.parametrize(("old", "new"), [
    (f"<id>{BASE}/a/</id>", ""), (f"<id>{BASE}/a/</id>", f"<id>{BASE}/</id>"),
    ("2026-04-07T00:00:00Z", "2026-04-07"), ('rel="self"', 'rel="alternate"'),
    ("author>", "writer>"), (f'href="{BASE}/a/', 'href="/a/')])
def test_the_check_of_feeds_notices(site, old, new):
    write(site)
    text = site.build(BASE)["feed.xml"]
    assert old in text
    assert list(atom_faults(text.replace(old, new)))


def test_the_sitemap_has_each_page_and_its_last_day(site):
    write(site)
    files = site.build(BASE)
    tree = ElementTree.fromstring(files["sitemap.xml"])
    assert [(node.findtext("s:loc", None, MAP), node.findtext("s:lastmod", None, MAP))
            for node in tree] == [(f"{BASE}/", "2026-04-07"),
                                  (f"{BASE}/a/", "2026-04-07")]
    assert files["robots.txt"].endswith(f"\nSitemap: {BASE}/sitemap.xml\n")


# ------------------------------------------------------------------ the address
ADDRESSES = ["https://example.org", "http://a.b:8080/x/", "https://x.org/~me/%20/", "",
             "example.org", "ftp://example.org", "https://", "https://a b.org",
             "//x.org", "https://x.org/?q", "https://x.org/#f", 'https://x.org/"><script>',
             "javascript:x", "https://x.org/a\n", "https://x.org\n", "https://x.org/й",
             "https://é.org", "https://x.org:port", "HTTPS://x.org"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_site_toml_takes_the_addresses_that_the_command_line_takes(address):
    from_file = not list(schema_errors("site.schema.json", {
        "title": "x", "description": "x", "articles": [], "base-url": address}))
    assert from_file == bool(BASE_URL.fullmatch(address))


def test_the_command_line_s_address_wins(site):
    write(site, settings=SETTINGS + f'base-url = "{BASE}/"\n')
    assert f'href="{BASE}/a/"' in site.build()["a/index.html"]
    files = site.build("http://other.example/")
    assert BASE not in "".join(text for text in files.values() if isinstance(text, str))
    assert '<link rel="canonical" href="http://other.example/">' in files["index.html"]


def test_an_address_is_written_in_ascii_without_a_slash_at_its_end():
    assert web_address("https://x.org/й {a}/") == "https://x.org/%D0%B9%20%7Ba%7D"
    assert web_address("https://x.org/%20~a/b;c") == "https://x.org/%20~a/b;c"
    assert web_address("") == ""
