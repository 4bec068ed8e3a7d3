"""Take from each article's page what can be searched, and write the search's index.

A document of the search is a section: what stands below one heading, up to the next.
Its text is what a reader reads: no control, no hidden word, nothing that a widget
draws, and an ellipsis for each formula, which says nothing as a row of letters.
"""

import json
import re

from selectolax.lexbor import LexborHTMLParser

from sitegen.directives import MODULES

BLOCK = ("p|h[1-6]|li|d[dt]|t[dhr]|caption|figcaption|div|section|aside|blockquote|pre"
         "|summary|br")
BLOCK_EDGE = re.compile(rf"<(?=/?(?:{BLOCK})\b)")
HEADINGS = "h1, h2, h3, h4, h5, h6"
# What widgets draw stands in an element of their name, their captions beside it.
WIDGETS = [name for name in MODULES if "-" in name]
UNREAD = ["button", "select", "input", "textarea", "fieldset", "nav", "script", "svg",
          "[hidden]", "[aria-hidden=true]", ".hidden", ".anchor", ".equation", ".back",
          ".footnote-backref"]
EDGE = "\0"     # of a heading: no parsed text has one
NO_SCRIPT = {"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"}


def search_sections(html):
    """Return the sections of an article's page as {"id", "title", "level", "text"}, in
    order.

    The first, whose id and title are empty, is what stands before the first heading.
    """
    html = html[html.find("<article"):html.rfind("</article>")]
    drawn = [name for name in WIDGETS if f"<{name}" in html]
    tree = LexborHTMLParser(BLOCK_EDGE.sub(" <", html))
    for node in tree.css(f":is({', '.join(UNREAD + drawn)})"):
        node.decompose()
    for node in tree.css("math"):
        node.replace_with("…")
    places = [("", 1)]
    for heading in tree.css(HEADINGS):
        places.append((_id_of(heading), int(heading.tag[1])))
        heading.insert_before(EDGE)
        heading.insert_after(EDGE)
    pieces = ["", *tree.body.text().split(EDGE)]    # titles and texts by turns
    return [{"id": name, "level": level, "title": _plain(title), "text": _plain(text)}
            for (name, level), title, text in zip(places, pieces[::2], pieces[1::2],
                                                  strict=True)]


def _id_of(heading):
    """Return a heading's id; an h2's is that of the section around it."""
    own = heading.attributes.get("id")
    return own or heading.parent.attributes.get("id") or ""


def _plain(text):
    return " ".join(text.split())


def search_files(records):
    """Return {path: text} of the index: a classic script that calls one function.

    records  each with href, title, description, lang, dir and its sections
    """
    articles = [{**{key: record[key] for key in ("href", "title", "lang", "dir")},
                 "sections": [[section[key] for key in ("id", "title", "text")]
                              for section in _with_promise(record)]}
                for record in records]
    text = json.dumps(articles, ensure_ascii=False, separators=(",", ":"))
    for character, escaped in NO_SCRIPT.items():
        text = text.replace(character, escaped)
    return {"static/search-index.js": f"receiveSearchIndex({text});\n"}


def _with_promise(record):
    """Return an article's sections, its description before the text of the first."""
    first, *others = record["sections"]
    return [{**first, "text": f"{record['description']} {first['text']}".strip()},
            *others]
