"""Turn one article into the HTML of its page's body.

Marks and directives are replaced in one pass over the HTML that Markdown wrote, in
the order of the page; sections and numbers of headings come from the same pass.
"""

import re
from dataclasses import dataclass
from html import unescape

from markupsafe import Markup

from sitegen.constructs import Constructs
from sitegen.directives import MODULES
from sitegen.errors import Place
from sitegen.headings import Headings
from sitegen.labels import check_directives, number_labels
from sitegen.scan import MARK, MARK_CLOSE, MARK_OPEN

RESERVED_IDS = ("article", "references", "changes", "sources", "made", "how-to-cite",
                "hover-preview", "theme-auto", "theme-light", "theme-dark")
# Each alternative begins with a character as such, as in running_text.
TOKEN = re.compile(
    r"<(?:(?P<comment>!--.*?-->)"
    r"|(?P<directive>directive-(?P<index>\d+)>(?P<body>.*?)</directive-(?P=index)>)"
    r"|(?P<code>code\b[^>]*>.*?</code>)"
    r"|(?P<heading>h(?P<level>[1-6])(?P<attributes>(?: [^>]*)?)>(?P<title>.*?)"
    r"</h(?P=level)>)"
    r"|(?P<nest>(?P<close>/?)(?:blockquote|li|dd|dt|td|th|div|section|aside|details)"
    r"\b[^>]*>)"
    rf"|p>\s*{MARK_OPEN}(?P<alone>\d+){MARK_CLOSE}\s*</p>"
    r'|a href="step:(?P<step>[^"]*)"[^>]*>(?P<words>.*?)</a>'
    r'|a href="#(?P<label>[^"]+)"[^>]*></a>'
    rf"|(?P<tag>[a-zA-Z/][^>]*{MARK_OPEN}[^>]*>))"
    rf"|{MARK_OPEN}(?P<mark>\d+){MARK_CLOSE}"
    r"|\[(?P<note>\^[^\]<\n]+\])", re.S)
NESTED = re.compile(r"(?:[ \t]|>|[-*+:][ \t]|\d+\.)*")
TABLE = re.compile(r"<table>.*?</table>", re.S)     # Markdown's; they do not nest
NEEDLESS = re.compile(r"</t(?:[dhr]|head|body)>")   # HTML lets one leave these out
LATE = re.compile("\ufdd2(\\d+)\ufdd3")


@dataclass
class Body:
    """What an article becomes: HTML, its contents list and its references."""

    html: Markup
    contents: list
    references: list


def render_article(context, markdown, environment, references):
    """Return the Body of an article; problems go to `context`.

    markdown     from markdown_text.new_markdown
    environment  Jinja2, with templates/
    references   key → Reference, in the order of references.bib; those that the
                 article cites are numbered in this order
    """
    usable, problems = check_directives(context.article)
    context.problems += problems
    markdown.reset()
    try:
        html = markdown.convert(context.article.scan.text)
    except RecursionError:
        context.problem(deepest_place(context.article.scan), "quotes, lists or "
                        "elements in each other, too deep", "write fewer in each other")
        return Body(Markup(""), [], [])
    return _Renderer(context, environment, references, usable).render(html)


def deepest_place(scan):
    """Return the Place of the line that begins with most marks of quotes and lists."""
    lines = scan.raw.split("\n")
    depths = [len(NESTED.match(line)[0]) for line in lines]
    return Place(scan.path, depths.index(max(depths)) + 1)


class _Renderer:
    def __init__(self, context, environment, references, usable):
        self.context, self.environment, self.usable = context, environment, usable
        self.words = context.words
        self.macros = environment.get_template("macros.html").make_module(
            {"t": self.words})
        self.numbered = number_labels(context.article.scan, usable, self.words)
        self.headings = Headings(self.macros, self.words)
        self.constructs = Constructs(context, self.macros, references, self.numbered,
                                     self.headings.here)
        self.depth = 0           # of boxes around: quotes, lists, directives …
        self.late = {}

    def render(self, html):
        for label in self.numbered.values():
            self.context.labels[label.id] = label
        for label in self.headings.find(html, self.taken_ids(), self.constructs):
            self.context.labels.setdefault(label.id, label)
        html = TABLE.sub(lambda found: self.macros.table_box(Markup(found[0])), html)
        html = TOKEN.sub(self.token, html)
        if self.headings.section:
            html += "\n</section>"
        html = LATE.sub(lambda found: self.draw(*self.late[int(found[1])]), html)
        html = TABLE.sub(lambda found: NEEDLESS.sub("", found[0]), html)
        self.constructs.check_all_drawn(self.usable)
        return Body(Markup(html), self.headings.contents,
                    self.constructs.reference_list())

    def taken_ids(self):
        """Return ids that no heading may get by its title."""
        return {*RESERVED_IDS, *(label.id for label in self.numbered.values()),
                *(f"ref-{number}" for number in self.constructs.numbers.values()),
                *(f"step-{name}" for name in self.context.steps),
                *(f"trace-{name}" for name in self.context.traces)}

    def token(self, found):
        """Return what stands for one token of Markdown's HTML."""
        if found["comment"]:
            return ""
        if found["directive"]:
            return self.directive(int(found["index"]), found["body"])
        if found["code"] or found["tag"]:
            return MARK.sub(self.constructs.as_typed, found[0])
        if found["heading"]:
            return self.headings.draw(int(found["level"]), self.inner(found["title"]),
                                      self.depth > 0)
        if found["nest"]:
            self.depth += -1 if found["close"] else 1
            return MARK.sub(self.constructs.as_typed, found[0])
        if found["alone"]:
            return self.constructs.alone(int(found["alone"]))
        if found["mark"]:
            return self.constructs.inline(int(found["mark"]))
        if found["step"] is not None:
            return self.constructs.step_link(unescape(found["step"]),
                                             self.inner(found["words"]))
        if found["note"]:
            return self.constructs.no_footnote(found[0])
        return self.constructs.label_link(found["label"])

    def inner(self, html):
        """Return the HTML within a token, its own tokens replaced."""
        return Markup(TOKEN.sub(self.token, html))

    def directive(self, index, body):
        self.depth += 1
        body = self.inner(body)
        self.depth -= 1
        self.constructs.drawn.add(index)
        if index not in self.usable:
            return self.undrawn(self.context.article.scan.constructs[index].id, body)
        if getattr(MODULES[self.usable[index].name], "LATE", False):
            self.late[index] = (index, body)
            return f"\ufdd2{index}\ufdd3"
        return self.draw(index, body)

    def draw(self, index, body):
        directive, label = self.usable[index], self.numbered[index]
        module = MODULES[directive.name]
        trace = directive.options.get("trace", self.context.article.front.get("trace"))
        if "trace" in module.OPTIONS and trace in self.context.broken:
            return self.undrawn(label.id, body)
        variables = module.prepare(directive, self.context)
        if variables is None:
            is_wrong = self.context.problems or self.context.broken
            return self.undrawn(label.id, body) if is_wrong else ""
        parts = getattr(module, "body_parts", _caption)(body)
        template = self.environment.get_template(f"widgets/{directive.name}.html")
        called = (self.words[f"{label.kind}_label"].format(number=label.number)
                  if label.kind else None)
        return template.render(id=label.id, number=label.number, label=called,
                               t=self.words, **{**parts, **variables})

    def undrawn(self, name, body):
        """Return what stands for a directive that has problems: what leads to it, or
        into it, has none."""
        return Markup('<div{}>{}</div>').format(
            Markup(' id="{}"').format(name) if name else "", body)


def _caption(html):
    """Return the body both as `body` and as `caption`: a directive uses either."""
    text = Markup(html.strip())
    return {"body": text, "caption": text}
