"""Number an article's headings, and make its sections and its list of contents."""

import re
from html import unescape

from markupsafe import Markup

from sitegen.markdown_text import slug, unique
from sitegen.records import Citation, Label
from sitegen.scan import MARK

HEADING = re.compile(
    r"<!--.*?-->|<code\b[^>]*>.*?</code>"
    r"|<h(?P<level>[1-6])(?P<attributes>(?: [^>]*)?)>(?P<title>.*?)</h(?P=level)>",
    re.S)
ID = re.compile(r'id="(?<=\bid=")([^"]*)"')     # begins with a literal: fast
TAG = re.compile(r"<[^>]+>")
LINK_TAG = re.compile(r"</?a\b[^>]*>")
FOOTNOTE_MARK = re.compile(r'<sup id="fnref.*?</sup>')


class Headings:
    """The headings of one article: `find` them all, then `draw` each in order.

    contents  what templates/page.html lists, filled by `draw`
    section   the Label of the h2 around, or None
    """

    def __init__(self, macros, words):
        self.macros, self.words = macros, words
        self.contents, self.section, self.labels = [], None, iter(())

    def find(self, html, taken, constructs):
        """Give each heading of Markdown's HTML an id; return their Labels, in order.

        taken       ids that the page needs for something else
        constructs  draws what the headings' titles hold
        """
        used = dict.fromkeys([*taken, *map(unescape, ID.findall(html))], 1)
        number, labels = 0, []
        for heading in HEADING.finditer(html):
            if not heading["level"]:
                continue
            explicit = ID.search(heading["attributes"])
            text = unescape(TAG.sub("", MARK.sub("", heading["title"])))
            name = unescape(explicit[1]) if explicit else unique(slug(text), used)
            number += heading["level"] == "2"
            labels.append(Label(name, "heading",
                                number if heading["level"] == "2" else None,
                                plain_title(heading["title"], constructs)))
        self.labels = iter(labels)
        return labels

    def draw(self, level, html, nested):
        """Return the next heading; an h2 opens a section, but not within a box."""
        label = next(self.labels)
        if nested:
            return self.macros.heading(max(level, 3), label.id, None, html)
        if level == 2:
            return self._section(label, html)
        entry = _entry(label, None)
        if level == 1 or not self.contents:
            self.contents.append(entry)
        else:
            self.contents[-1]["children"].append(entry)
        return self.macros.heading(level, label.id, None, html)

    def _section(self, label, html):
        before = Markup("</section>\n" if self.section else "")
        self.section = label
        self.contents.append(_entry(label, label.number))
        opened = before + Markup('<section id="') + label.id + Markup('">\n')
        return opened + self.macros.heading(2, label.id, label.number, html)

    def here(self):
        """Return what a way back is called: the section it leads to."""
        if self.section is None:
            return self.words["beginning"]
        return self.words["section_reference"].format(number=self.section.number)


def plain_title(title, constructs):
    """Return a heading's HTML for lists: formulas drawn; no links, ids, citations."""
    def draw(found):
        index = int(found[1])
        is_citation = isinstance(constructs.scan.constructs[index], Citation)
        return "" if is_citation else str(constructs.inline(index))

    html = MARK.sub(draw, FOOTNOTE_MARK.sub("", title))
    return Markup(ID.sub("", LINK_TAG.sub("", html)))


def _entry(label, number):
    return {"id": label.id, "number": number, "title_html": label.html, "children": []}
