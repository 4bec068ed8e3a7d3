"""Check the pages as a browser will see them, before they replace the old ones.

Each check yields problems. A page's HTML is parsed once, by an HTML5 parser, so that
an author's raw HTML is judged as a browser would judge it.
"""

import posixpath
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from sitegen.errors import Place, Problem, known

ADDRESSES = ("href", "src", "action", "formaction", "xlink:href", "data", "poster",
             "srcset", "background", "ping", "cite", "longdesc")
LOADED = {"link", "script", "img", "audio", "video", "source", "track", "iframe", "embed",
          "object", "input", "image", "use"}
REFUSED_TAGS = {"style", "base", "iframe", "object", "embed", "frame", "form", "portal"}
SAFE_SCHEMES = {"", "http", "https", "mailto", "tel"}


@dataclass
class Parsed:
    """What the checks need of one page: its elements' names and attributes, its ids."""

    page: object
    elements: list
    ids: dict = field(default_factory=dict)


def check_site(pages, files):
    """Yield every Problem of the pages; files are the paths that the site will hold."""
    parsed = {page.path: parse(page) for page in pages}
    for found in parsed.values():
        yield from check_policy(found)
        yield from check_ids(found)
        yield from check_images(found)
        yield from check_links(found, parsed, files)


def parse(page):
    """Return the page's elements, in order, with their ids."""
    tree = LexborHTMLParser(page.html)
    elements = [(node.tag, node.attributes) for node in tree.root.traverse()
                if node.tag and node.tag[0] not in "-!"]
    parsed = Parsed(page, elements)
    for _, attributes in elements:
        if name := attributes.get("id"):
            parsed.ids[name] = parsed.ids.get(name, 0) + 1
    return parsed


def _problems(parsed, texts, message, todo=""):
    """Yield the problem at each place of the source that holds one of the texts."""
    scan = parsed.page.scan
    linked = [place for text in texts for place in scan.link_places.get(text, ())
              ] if scan else []
    places = linked or (scan.places_of(*texts) if scan else [])
    for place in places or [Place(scan.path if scan else parsed.page.path)]:
        lines = scan.raw.split("\n") if scan and place.line else []
        yield Problem(place, message, todo, lines[place.line - 1] if lines else "")


def check_policy(parsed):
    """Yield a Problem for whatever the page's policy would block, or should."""
    for tag, attributes in parsed.elements:
        if tag in REFUSED_TAGS:
            yield from _problems(parsed, (f"<{tag}",), f"<{tag}> is refused",
                                 "the page's policy blocks it")
        if tag == "script" and "src" not in attributes and (
                attributes.get("type") != "application/json"):
            yield from _problems(parsed, ("<script",), "an inline script is refused",
                                 "put it in static/js")
        if tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            yield from _problems(parsed, ("<meta",), "<meta refresh> is refused")
        for name, value in attributes.items():
            yield from _check_attribute(parsed, tag, name, value or "")


def _check_attribute(parsed, tag, name, value):
    if name == "style" or name.startswith("on"):
        yield from _problems(parsed, (f"{name}=",), f"the attribute {name}= is refused",
                             "use a class; the page's policy blocks it")
    elif name in ADDRESSES:
        scheme = _scheme(value)
        data_image = scheme == "data" and tag in ("img", "source", "link") and (
            value.startswith("data:image/"))
        if scheme not in SAFE_SCHEMES and not data_image:
            yield from _problems(parsed, (value, f"{scheme}:"),
                                 f"the address '{value[:60]}' is refused",
                                 "addresses begin with https:, mailto: or a path")
        elif tag in LOADED and _is_foreign(tag, attributes_of(name, value)):
            yield from _problems(parsed, (value,), f"<{tag}> asks another host: {value}",
                                 "put the file beside the article")


def attributes_of(name, value):
    """Return the address when the attribute is loaded by the browser by itself."""
    return value if name in ("src", "href", "data", "srcset", "poster",
                             "xlink:href") else ""


def _is_foreign(tag, value):
    if tag == "link" and not value:
        return False
    return value.startswith("//") or _scheme(value) in ("http", "https")


def _scheme(address):
    """Return an address's scheme as a browser reads it: control characters go first."""
    cleaned = "".join(c for c in address if c > " ")
    before, colon, _ = cleaned.partition(":")
    is_scheme = colon and before.replace("+", "").replace("-", "").replace(
        ".", "").isalnum() and before[:1].isalpha()
    return before.lower() if is_scheme else ""


def check_ids(parsed):
    """Yield a Problem for each id that stands twice on a page."""
    for name, count in parsed.ids.items():
        if count > 1:
            texts = (f"#{name}", f'id="{name}"', f"| {name}")
            yield from _problems(parsed, texts, f"the id '{name}' stands {count} times",
                                 "ids are unique on a page")


def check_images(parsed):
    """Yield a Problem for each image without an alternative text."""
    for tag, attributes in parsed.elements:
        if tag == "img" and attributes.get("alt") is None:
            source = attributes.get("src") or "<img"
            yield from _problems(parsed, (source,), "image without alternative text",
                                 'say what it shows in alt="…"; alt="" if nothing')


def check_links(parsed, pages, files):
    """Yield a Problem for each address within the site that leads nowhere."""
    seen = set()
    for tag, attributes in parsed.elements:
        for name in ("href", "src"):
            address = attributes.get(name)
            if address is None or address in seen or tag == "base":
                continue
            seen.add(address)
            problem = broken(address, parsed, pages, files)
            if problem and not (tag == "link" and attributes.get("rel") == "canonical"):
                yield from _problems(parsed, (address, unquote(address)), *problem)


def broken(address, parsed, pages, files):
    """Return (message, what to do) for an address that leads nowhere, or None."""
    parts = urlsplit(address)
    if _scheme(address) or address.startswith("//"):
        return None
    target = parsed.page.path
    if parts.path:
        folder = posixpath.dirname(parsed.page.path)
        target = posixpath.normpath(posixpath.join(folder, unquote(parts.path)))
    if target not in pages and target not in files:
        return _no_file(address, target, parts, pages, files)
    fragment = unquote(parts.fragment)
    if fragment in ("", "top") or fragment.startswith("~") or target not in pages:
        return None
    if fragment in pages[target].ids:
        return None
    return (f"no anchor '#{fragment}'" + (f" in {target}" if parts.path else ""),
            known(pages[target].ids if len(pages[target].ids) < 40 else
                  _near(fragment, pages[target].ids), fragment))


def _near(name, ids):
    return [other for other in ids if other[:3] == name[:3]][:20] or list(ids)[:20]


def _no_file(address, target, parts, pages, files):
    folder_page = posixpath.join(target, "index.html")
    if folder_page in pages:
        return (f"link to a folder: '{address}'",
                "name its page, '…/index.html': a folder does not open from disk")
    near = [path for path in (*pages, *files)
            if posixpath.dirname(path) == posixpath.dirname(target)]
    return f"no file or page '{address}'", known(near[:20], target)
