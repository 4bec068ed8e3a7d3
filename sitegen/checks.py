"""Check the pages as a browser will see them, before they replace the old ones.

Each check yields problems. A page's HTML is parsed once, by an HTML5 parser, so that
an author's raw HTML is judged as a browser would judge it.
"""

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from sitegen.errors import Place, Problem
from sitegen.links import addresses, broken
from sitegen.policy import JUDGED_TAGS, check_policy

CUSTOM = re.compile(r"<([a-z]+(?:-[a-z]+)+)")

# What no page may hold: lone surrogates, which UTF-8 cannot write, controls, and what
# no feed may hold either: XML has no way to write these two.
NO_TEXT = re.compile("[\ud800-\udfff\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")

# What the checks look at on an ordinary page; on one with an ODD attribute, every
# element: a page of 500 elements has some 90 of these.
LOOKED_AT = ", ".join([*sorted(JUDGED_TAGS), "a", "area", "img", "link", "meta", "[id]",
                       "[href]", "[src]"])
ODD = re.compile(r"[\s\"'/](?:on\w+|style|ping|srcdoc|\w*srcset|(?:form)?action|cite"
                 r"|data|longdesc|poster|background|lowsrc|to|from|by|values)\s*="
                 r"|xlink|attributename", re.I)


@dataclass(frozen=True)
class Facts:
    """What other pages, and the site, need to know of a page; plain data.

    ids       of its elements
    links     addresses that may lead to the site's own pages and files
    elements  names of its custom elements
    """

    ids: list = field(default_factory=list)
    links: list = field(default_factory=list)
    elements: list = field(default_factory=list)


@dataclass
class Parsed:
    """What the checks need of one page: its elements, in order, and its ids."""

    page: object
    elements: list = field(default_factory=list)    # (tag, attributes)
    nameless_links: list = field(default_factory=list)
    ids: dict = field(default_factory=dict)         # id → how often it stands
    told: set = field(default_factory=set)

    def problems(self, patterns, message, todo=""):
        """Yield the problem at each place of the source where one of the regular
        expressions matches, once without a line where none does; nothing where it was
        asked for before."""
        if (message, *patterns) in self.told:
            return
        self.told.add((message, *patterns))
        scan = self.page.scan
        places = scan.places_of(*patterns) if scan else []
        lines = scan.raw.split("\n") if places else []
        for place in places or [Place(scan.path if scan else self.page.path)]:
            excerpt = lines[place.line - 1] if lines else ""
            yield Problem(place, message, todo, excerpt)

    def problems_of_address(self, address, message, todo=""):
        """Yield the problem at each link or picture of the source with the address."""
        scan = self.page.scan
        places = []
        if scan:
            typed = re.sub("[\0-\x1f]", "", address)    # &#1; is no character in HTML
            places = scan.link_places.get(address) or scan.link_places.get(typed, [])
        if not places:
            yield from self.problems([re.escape(address)], message, todo)
        for place in places:
            yield Problem(place, message, todo, scan.raw.split("\n")[place.line - 1])


def check_page(page):
    """Return (Facts of a page, its problems but for links that lead nowhere)."""
    if found := NO_TEXT.search(page.html):
        return Facts(), [_no_text(page, found)]
    parsed = parse(page)
    facts = Facts(list(parsed.ids), addresses(parsed), elements_of(page.html))
    return facts, [*check_policy(parsed), *check_ids(parsed), *check_names(parsed)]


def check_links(pages, files, source_of):
    """Yield a Problem for each address within the site that leads nowhere.

    pages      path → Facts
    files      the paths of what else the site will hold
    source_of  path → the Page, with its scan: asked only where there is a problem
    """
    for path, facts in pages.items():
        for address in facts.links:
            if problem := broken(address, path, pages, files):
                yield from Parsed(source_of(path)).problems_of_address(
                    address, *problem)


def elements_of(html):
    """Return the names of the custom elements that HTML has."""
    return sorted(set(CUSTOM.findall(html)))


def _no_text(page, found):
    around = page.html[max(0, found.start() - 30):found.end() + 30]
    excerpt = NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", around).replace("\n", " ")
    path = page.scan.path if page.scan else page.path
    return Problem(Place(path), f"the page would hold a character that is no text: "
                   f"U+{ord(found[0]):04X}", "take it out of the front matter, the "
                   "trace or the snippet that it comes from", excerpt)


def parse(page):
    """Return a page as Parsed."""
    parsed = Parsed(page)
    tree = LexborHTMLParser(page.html)
    for node in (tree.root.traverse() if is_odd(page.html)
                 else tree.css(f":is({LOOKED_AT})")):
        if node.tag and node.tag[0] not in "-!":
            attributes = {key.lower(): value for key, value in node.attributes.items()}
            parsed.elements.append((node.tag.lower(), attributes))
            if name := attributes.get("id"):
                parsed.ids[name] = parsed.ids.get(name, 0) + 1
            if node.tag == "a" and "href" in attributes and _is_nameless(node):
                parsed.nameless_links.append(attributes["href"] or "")
    return parsed


def is_odd(html):
    """Tell whether HTML may have an attribute that ordinary pages lack.

    Only the word before each '=' is held to ODD: searching all of a page took a quarter
    of a build.
    """
    names = {before.rsplit(None, 1)[-1] for before in html.split("=")[:-1]
             if before.strip()}
    return "url(" in html.lower() or bool(ODD.search(f" {'= '.join(names)}="))


def _is_nameless(link):
    return not (link.text().strip() or link.attributes.get("aria-label")
                or link.css_first("img[alt]:not([alt='']), math, svg[aria-label]"))


def check_ids(parsed):
    """Yield a Problem for each id that stands twice on a page, or is no id."""
    for name, count in parsed.ids.items():
        if count > 1:
            yield from _repeated_id(parsed, name, count)
        if re.search(r"\s", name):
            yield from parsed.problems(_id_patterns(name),
                                       f"the id '{name}' holds white space",
                                       "write an id as one word")


def _repeated_id(parsed, name, count):
    """Yield the problem at each place of an id, with the lines of all of them."""
    patterns = _id_patterns(name)
    lines = [str(place.line) for place in parsed.page.scan.places_of(*patterns)
             ] if parsed.page.scan else []
    where = f" on lines {' and '.join(lines)}" if lines[1:] else f" {count} times"
    free = next(other for n in range(2, count + len(parsed.ids) + 2)
                if (other := f"{name}-{n}") not in parsed.ids)
    yield from parsed.problems(patterns, f"the id '{name}' stands{where}",
                               f"ids are unique on a page; '{free}' is free")


def _id_patterns(name):
    """Return how an id is written: in braces, in a tag, behind a directive's name."""
    end = r"(?![\w:.-])"
    return (rf"\{{:?[^}}\n]*(?P<at>#{re.escape(name)}){end}",
            rf"\b(?P<at>id\s*=\s*[\"']?{re.escape(name)}){end}",
            rf"^[ \t]*/{{3,}}.*(?P<at>\|[ \t]*{re.escape(name)})[ \t]*$")


def check_names(parsed):
    """Yield a Problem for each image without alternative text, and each link that
    says nothing."""
    for tag, attributes in parsed.elements:
        if tag == "img" and attributes.get("alt") is None:
            yield from parsed.problems_of_address(
                attributes.get("src") or "<img", "image without alternative text",
                "say what it shows: ![what it shows](file); "
                "alt=\"\" in HTML if it shows nothing")
    for address in dict.fromkeys(parsed.nameless_links):
        if not address.startswith("#"):
            yield from parsed.problems_of_address(
                address, "a link without text", "say in the brackets where it leads")
