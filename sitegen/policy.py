"""Refuse what the page's policy would block, and what could get around it.

The page is judged by the elements and attributes that a browser would make of it, so
an author's raw HTML and a label in a trace are held to the same rules.
"""

import re

REFUSED_TAGS = {
    "style", "base", "iframe", "frame", "frameset", "object", "embed", "applet",
    "portal", "form", "template", "noscript", "plaintext", "xmp", "noembed", "noframes"}
JUDGED_TAGS = REFUSED_TAGS | {"script"}     # judged even where they have no attribute
DATA = {"application/json", "application/ld+json"}     # scripts that do not run
LINKS = {"a", "area"}
# Attributes whose address is followed on a click, and those that a browser loads.
FOLLOWED = {"href", "xlink:href", "action", "formaction", "cite", "longdesc"}
LOADED = {"src", "srcset", "imagesrcset", "data", "poster", "background", "lowsrc"}
ADDRESSES = FOLLOWED | LOADED
ANIMATED = {"to", "from", "by", "values"}
SAFE_SCHEMES = {"", "http", "https", "mailto", "tel"}
FOREIGN = {"http", "https"}
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
IGNORED = re.compile(r"[\0- ]+")      # in an address, by browsers
URL_FUNCTION = re.compile(r"url\(\s*[\"']?([^\"')]*)", re.I)


def check_policy(parsed):
    """Yield a Problem for each element and attribute that a page may not hold."""
    for tag, attributes in parsed.elements:
        if not attributes and tag not in JUDGED_TAGS:
            continue
        for message, todo in _element_faults(tag, attributes):
            yield from parsed.problems([rf"(?i)<{tag}\b"], message, todo)
        for name, value in attributes.items():
            yield from _check_attribute(parsed, tag, name, value or "", attributes)


def _element_faults(tag, attributes):
    """Yield (message, what to do) for an element that is refused as a whole."""
    if tag in REFUSED_TAGS:
        yield f"<{tag}> is refused", "the page's policy blocks it"
    if tag == "script" and "src" not in attributes and (
            attributes.get("type") not in DATA):
        yield "an inline script is refused", "put it in static/js"
    if tag == "meta" and "refresh" in (attributes.get("http-equiv") or "").lower():
        yield "<meta refresh> is refused", "link to the page instead"
    animated = (attributes.get("attributename") or "").lower()
    if animated.endswith("href") or animated.startswith("on"):
        yield f"<{tag}> that changes {animated} is refused", "write the address itself"


def _check_attribute(parsed, tag, name, value, attributes):
    if name == "style" or name.startswith("on") or name in ("ping", "srcdoc"):
        yield from parsed.problems([rf"(?i)\b{re.escape(name)}\s*="],
                                   f"the attribute {name}= is refused",
                                   "use a class; the page's policy blocks it")
    for address in addresses_of(name, value):
        if not _is_allowed(scheme(address), tag, name, address):
            yield from parsed.problems_of_address(
                value, f"the address '{value[:60]}' is refused",
                "addresses begin with https:, mailto: or a path")
        elif _is_foreign(address) and not _may_lead_out(tag, name, attributes):
            yield from parsed.problems_of_address(
                value, f"<{tag}> asks another host: {value[:60]}",
                "put the file beside the article")


def addresses_of(name, value):
    """Return the addresses that an attribute's value holds."""
    if name in ("srcset", "imagesrcset"):
        if value.lstrip().startswith("data:"):
            return [value]
        return [part.split()[0] for part in value.split(",") if part.strip()]
    if name in ADDRESSES:
        return [value]
    if name in ANIMATED:
        return value.split(";")
    return URL_FUNCTION.findall(value) if "(" in value else []


def _is_allowed(found, tag, name, address):
    picture = tag in ("img", "source", "link", "image") and (
        address.startswith("data:image/"))
    return found in SAFE_SCHEMES or (found == "data" and picture)


def _may_lead_out(tag, name, attributes):
    """Tell whether an address is only followed by the reader, or names the page."""
    if tag == "link":
        return attributes.get("rel") == "canonical"
    return name in ("cite", "longdesc") or (
        tag in LINKS and name in ("href", "xlink:href"))


def scheme(address):
    """Return an address's scheme as a browser reads it: control characters go first."""
    found = SCHEME.match(IGNORED.sub("", address))
    return found[1].lower() if found else ""


def _is_foreign(address):
    if scheme(address) in FOREIGN:
        return True
    return IGNORED.sub("", address).replace("\\", "/").startswith("//")
