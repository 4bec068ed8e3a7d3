"""What a published site says of itself to feeds, search engines, citers and previews.

Addresses need the one that the site will have; without it no file here names any.
"""

from urllib.parse import quote, urlsplit

from sitegen.bibtex import bibtex_entry
from sitegen.markdown_text import unique

CONTRIBUTORS = "the project's contributors"
DATES = "published", "revised", "updates", "corrections"
CHANGES = {"updates": "update", "corrections": "correction"}


def site_record(site, base_url=None):
    """Return what templates call `site`, as data that JSON can hold.

    base_url  of the command line; else site.toml's holds, if it has one
    """
    settings = site.settings
    address = web_address(base_url or settings.get("base-url", ""))
    dated = any(key in article.front for article in site.articles for key in DATES)
    return {
        "title": settings["title"], "description": settings["description"],
        "lang": settings.get("lang", "en"), "dir": settings.get("dir", "ltr"),
        "base_url": address,
        "authors": settings.get("authors", [CONTRIBUTORS]),
        "holder": settings.get("holder", CONTRIBUTORS),
        "feed": bool(address) and dated,
        "about": [{"href": f"{article.slug}/index.html",
                   "title": article.front.get("title", article.slug),
                   "description": article.front.get("description", "")}
                  for article in site.about],
    }


def web_address(text):
    """Return an address in ASCII, without a slash at its end; '' for none."""
    return quote(text.rstrip("/"), safe=":/%@!$&()*+,;=~-._[]")


def site_root(shared):
    """Return what the addresses on a page begin with that is shown at any address."""
    return f"{urlsplit(shared['base_url']).path}/" if shared["base_url"] else ""


def front_record(front, shared):
    """Return who wrote an article and when, of its front matter.

    A change is a revision: `revised` is the last day that the front matter names.
    """
    changes = changes_of(front)
    days = [change["date"] for change in changes]
    days += [front["revised"]] if "revised" in front else []
    authors = front.get("authors", shared["authors"])
    return {"authors": authors, "named": authors != [CONTRIBUTORS],
            "published": front.get("published"), "revised": max(days, default=None),
            "changes": changes}


def changes_of(front):
    """Return updates and corrections, the newest first, each with an id that stays."""
    used, changes = {}, []
    for key, kind in CHANGES.items():
        for change in front.get(key, []):
            name = unique(f"{kind}-{change['date']}", used)
            changes.append({**change, "kind": kind, "id": name})
    return sorted(changes, key=lambda change: change["date"], reverse=True)


def page_head(record, shared):
    """Return what templates/page.html says of an article to programs.

    record  of article_page.page_record, with its `picture`
    shared  of site_record
    """
    record = {**record, "address": page_address(record, shared)}
    properties = [["og:description", record["description"]], ["og:type", "article"],
                  ["og:title", record["title"]], ["og:site_name", shared["title"]]]
    head = {"address": record["address"], "names": [], "json_ld": None,
            "bibtex": bibtex_entry(record, shared),
            "properties": [pair for pair in properties if pair[1]]}
    if record["address"]:
        head["properties"] += [["og:url", record["address"]], *_dates_of(record),
                               *picture_properties(record, shared)]
        head["names"] = [*_highwire(record, shared), *_card(record)]
        head["json_ld"] = article_data(record, shared)
    return head


def index_head(records, shared):
    """Return the same for the list of articles; its picture is the first article's."""
    address = f"{shared['base_url']}/" if shared["base_url"] else None
    head = {"address": address, "names": [], "json_ld": None, "properties": [
        ["og:description", shared["description"]], ["og:type", "website"],
        ["og:title", shared["title"]]]}
    if address:
        pictured = [record for record in records if record["picture"]][:1]
        head["properties"] += [["og:url", address], *(
            pair for record in pictured for pair in picture_properties(record, shared))]
        head["names"] = [pair for record in pictured for pair in _card(record)]
        head["json_ld"] = {"@context": "https://schema.org", **_site_data(shared),
                           "description": shared["description"],
                           "inLanguage": shared["lang"],
                           "copyrightHolder": _agent(shared["holder"], shared)}
    return head


def page_address(record, shared):
    """Return an article's own address; None where the site has none."""
    return f"{shared['base_url']}/{record['slug']}/" if shared["base_url"] else None


def picture_properties(record, shared):
    """Return what OpenGraph says of an article's picture, as [property, content]."""
    picture = record["picture"]
    if picture is None:
        return []
    address = page_address(record, shared) + quote(picture["file"])
    return [["og:image", address], ["og:image:type", picture["type"]],
            ["og:image:width", picture["width"]],
            ["og:image:height", picture["height"]], ["og:image:alt", picture["alt"]]]


def _card(record):
    """Return the name that makes the picture a large one, where there is a picture."""
    return [["twitter:card", "summary_large_image"]] if record["picture"] else []


def _dates_of(record):
    dates = (("article:published_time", record["published"]),
             ("article:modified_time", record["revised"]))
    return [[name, day] for name, day in dates if day]


def _highwire(record, shared):
    """Return the tags by which Google Scholar and Zotero know an article."""
    day = record["published"] or record["revised"]
    return [["citation_title", record["title"]],
            *(["citation_author", name] for name in record["authors"]),
            *([["citation_publication_date", day.replace("-", "/")]] if day else []),
            ["citation_publisher", shared["holder"]],
            ["citation_language", record["lang"]],
            ["citation_fulltext_html_url", record["address"]]]


def article_data(record, shared):
    """Return an article as schema.org describes it, for JSON-LD."""
    picture = dict(picture_properties(record, shared)).get("og:image")
    corrections = [{"@type": "CorrectionComment", "text": change["text"],
                    "datePublished": change["date"]}
                   for change in record["changes"] if change["kind"] == "correction"]
    optional = {"description": record["description"], "image": picture,
                "datePublished": record["published"], "dateModified": record["revised"],
                "correction": corrections}
    return {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle" if record["references"] else "Article",
        "headline": record["title"], "inLanguage": record["lang"],
        "url": record["address"], "mainEntityOfPage": record["address"],
        "author": [_agent(name, shared) for name in record["authors"]],
        "copyrightHolder": _agent(shared["holder"], shared),
        "isPartOf": _site_data(shared),
        **{name: value for name, value in optional.items() if value},
    }


def _site_data(shared):
    return {"@type": "WebSite", "name": shared["title"],
            "url": f"{shared['base_url']}/"}


def _agent(name, shared):
    """Return who wrote or holds something: the contributors are no single person, and a
    holder who is no author may be an institution."""
    person = name != CONTRIBUTORS and (name != shared["holder"]
                                       or name in shared["authors"])
    return {"@type": "Person" if person else "Organization", "name": name}


def site_files(shared, records, environment):
    """Return path → text of robots.txt and, where the site has an address, of the
    sitemap and the feed.

    records  of all articles, those outside the reading order too
    """
    lines = ["User-agent: *", "Allow: /"]
    files = {}
    if shared["base_url"]:
        pages = [{**record, "address": page_address(record, shared),
                  "changed": record["revised"] or record["published"]}
                 for record in records]
        lines.append(f"Sitemap: {shared['base_url']}/sitemap.xml")
        files["sitemap.xml"] = _render("sitemap.xml", environment, shared, pages)
    if shared["feed"]:
        dated = sorted((page for page in pages if page["changed"]), reverse=True,
                       key=lambda page: page["changed"])
        files["feed.xml"] = _render("feed.xml", environment, shared, dated)
    return {"robots.txt": "\n".join([*lines, ""]), **files}


def _render(name, environment, shared, pages):
    newest = max((page["changed"] for page in pages if page["changed"]), default=None)
    return environment.get_template(name).render(site=shared, pages=pages,
                                                 newest=newest) + "\n"
