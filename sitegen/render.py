"""Turn one article into the HTML of its page's body.

Marks and directives are replaced in one pass over the HTML that Markdown wrote, in
the order of the page; sections and numbers of headings come from the same pass.
"""

import re
from dataclasses import dataclass, field
from html import escape, unescape

from markupsafe import Markup

from sitegen.directives import MODULES
from sitegen.errors import Place, known
from sitegen.formulas import convert
from sitegen.highlight import highlight
from sitegen.labels import check_directives, number_labels
from sitegen.markdown_text import slug, unique
from sitegen.records import Citation, Directive, Fence, Formula, Label, Value
from sitegen.scan import MARK, MARK_CLOSE, MARK_OPEN
from sitegen.values import NoSuchValue, find_value, typeset_value, write_value

RESERVED_IDS = ("article", "references", "sources", "made", "how-to-cite",
                "theme-auto", "theme-light", "theme-dark")
TOKEN = re.compile(
    r"(?P<comment><!--.*?-->)"
    r"|(?P<directive><directive-(?P<index>\d+)>(?P<body>.*?)</directive-(?P=index)>)"
    r"|(?P<code><code\b[^>]*>.*?</code>)"
    r"|(?P<heading><h(?P<level>[1-6])(?P<attributes>(?: [^>]*)?)>(?P<title>.*?)"
    r"</h(?P=level)>)"
    r"|(?P<nest><(?P<close>/?)(?:blockquote|li|dd|dt|td|th|div|section|aside|details)"
    r"\b[^>]*>)"
    rf"|<p>\s*{MARK_OPEN}(?P<alone>\d+){MARK_CLOSE}\s*</p>"
    rf"|{MARK_OPEN}(?P<mark>\d+){MARK_CLOSE}"
    r'|<a href="step:(?P<step>[^"]*)"[^>]*>(?P<words>.*?)</a>'
    r'|<a href="#(?P<label>[^"]+)"[^>]*></a>'
    r"|(?P<note>\[\^[^\]<\n]+\])"
    rf"|(?P<tag><[a-zA-Z/][^>]*{MARK_OPEN}[^>]*>)", re.S)
ID = re.compile(r'\bid="([^"]*)"')
FOOTNOTE_MARK = re.compile(r'<sup id="fnref.*?</sup>')
TAG = re.compile(r"<[^>]+>")
TABLE = re.compile(r"<table>.*?</table>", re.S)     # Markdown's; they do not nest
LATE = re.compile("\ufdd2(\\d+)\ufdd3")


@dataclass
class Body:
    """What an article becomes: HTML, its contents list and its citations."""

    html: Markup = Markup("")
    contents: list = field(default_factory=list)
    cited: dict = field(default_factory=dict)
    references: list = field(default_factory=list)


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
    html = markdown.convert(context.article.scan.text)
    renderer = _Renderer(context, environment, references, usable)
    return renderer.render(html)


class _Renderer:
    def __init__(self, context, environment, references, usable):
        self.context, self.environment = context, environment
        self.references, self.usable = references, usable
        cited = {key for c in context.article.scan.of(Citation) for key in c.keys}
        self.numbers = {key: number for number, key in enumerate(
            (key for key in references if key in cited), 1)}
        self.scan = context.article.scan
        self.words = context.words
        self.macros = environment.get_template("macros.html").make_module(
            {"t": self.words})
        self.numbered = number_labels(self.scan, usable, self.words)
        self.body = Body()
        self.depth = 0
        self.section = None      # the Label of the h2 around
        self.late, self.drawn = {}, set()

    def render(self, html):
        for label in self.numbered.values():
            self.context.labels[label.id] = label
        self.headings = iter(self.find_headings(html))
        html = TABLE.sub(lambda found: self.macros.table_box(Markup(found[0])), html)
        html = TOKEN.sub(self.token, html)
        if self.section:
            html += "\n</section>"
        html = LATE.sub(lambda found: self.draw(*self.late[int(found[1])]), html)
        self.check_all_drawn()
        self.body.references = [
            {"number": number, "id": f"ref-{number}", "backlinks": self.body.cited[key],
             "html": self.references[key].html}
            for key, number in self.numbers.items() if key in self.body.cited]
        self.body.html = Markup(html)
        return self.body

    def check_all_drawn(self):
        for index, construct in enumerate(self.scan.constructs):
            unusable = isinstance(construct, Directive) and index not in self.usable
            if index not in self.drawn and not unusable:
                self.context.problem(construct.place, "Markdown does not read this as "
                                     "what it looks like", "put blank lines around it, "
                                     "or write it as code")

    # -------------------------------------------------------------------- headings
    def find_headings(self, html):
        """Return a Label for each heading, in order; an id in the text goes first."""
        found = [t for t in TOKEN_HEADINGS.finditer(html) if t["level"]]
        used = {*RESERVED_IDS, *(label.id for label in self.numbered.values()),
                *(f"ref-{number}" for number in self.numbers.values()),
                *(f"step-{name}" for name in self.context.steps),
                *(f"trace-{name}" for name in self.context.traces)}
        used |= {unescape(name) for name in ID.findall(html)}
        number, labels = 0, []
        for heading in found:
            explicit = ID.search(heading["attributes"] or "")
            text = unescape(TAG.sub("", MARK.sub("", heading["title"])))
            name = unescape(explicit[1]) if explicit else unique(slug(text), used)
            number += heading["level"] == "2"
            labels.append(Label(name, "heading",
                                number if heading["level"] == "2" else None, ""))
            self.context.labels.setdefault(name, labels[-1])
            labels[-1].html = self.plain_title(heading["title"])
        return labels

    def plain_title(self, title):
        """Return a heading's HTML for contents lists: formulas drawn, no links, ids,
        citations or footnotes."""
        html = MARK.sub(lambda found: "" if isinstance(
            self.scan.constructs[int(found[1])], Citation)
            else str(self.inline(int(found[1]))), FOOTNOTE_MARK.sub("", title))
        return Markup(ID.sub("", re.sub(r"</?a\b[^>]*>", "", html)))

    def heading(self, found):
        label, level = next(self.headings), int(found["level"])
        html = Markup(TOKEN.sub(self.token, found["title"]))
        if self.depth:
            return self.macros.heading(max(level, 3), label.id, None, html)
        if level == 2:
            before = Markup("</section>\n" if self.section else "")
            self.section = label
            self.body.contents.append({"id": label.id, "number": label.number,
                                       "title_html": label.html, "children": []})
            opened = Markup('{}<section id="{}">\n').format(before, label.id)
            return opened + self.macros.heading(2, label.id, label.number, html)
        self.add_to_contents(label, level)
        return self.macros.heading(level, label.id, None, html)

    def add_to_contents(self, label, level):
        entry = {"id": label.id, "number": None, "title_html": label.html,
                 "children": []}
        if level == 1 or not self.body.contents:
            self.body.contents.append(entry)
        else:
            self.body.contents[-1]["children"].append(entry)

    # ---------------------------------------------------------------------- tokens
    def token(self, found):
        """Return what stands for one token of Markdown's HTML."""
        if found["comment"]:
            return ""
        if found["directive"]:
            return self.directive(int(found["index"]), found["body"])
        if found["code"] or found["tag"]:
            return MARK.sub(self.as_typed, found[0])
        if found["heading"]:
            return self.heading(found)
        if found["nest"]:
            self.depth += -1 if found["close"] else 1
            return MARK.sub(self.as_typed, found[0])
        if found["alone"]:
            return self.alone(int(found["alone"]))
        if found["mark"]:
            return self.inline(int(found["mark"]))
        if found["step"] is not None:
            return self.step_link(unescape(found["step"]), found["words"])
        if found["note"]:
            return self.no_footnote(found["note"])
        return self.label_link(found["label"])

    def as_typed(self, found):
        """Return a construct as the author typed it, for code and attributes."""
        index = int(found[1])
        self.drawn.add(index)
        return escape(self.scan.sources[index])

    def inline(self, index):
        construct = self.scan.constructs[index]
        self.drawn.add(index)
        if isinstance(construct, Formula):
            return self.formula(construct)
        if isinstance(construct, Value):
            return self.value(construct)
        if isinstance(construct, Citation):
            return self.citation(construct)
        return self.code(construct)

    def alone(self, index):
        construct = self.scan.constructs[index]
        self.drawn.add(index)
        if isinstance(construct, Formula) and construct.display:
            return self.equation(index, construct)
        if isinstance(construct, Fence):
            return self.code(construct)
        return f"<p>{self.inline(index)}</p>"

    # ------------------------------------------------------------------ constructs
    def formula(self, formula):
        html, problem = convert(formula)
        if problem and formula.tex:
            self.context.problem(problem.place, problem.message, problem.todo)
        return Markup(html)

    def equation(self, index, formula):
        label = self.numbered.get(index)
        html = self.formula(formula)
        known_step = formula.step and self.mention(
            formula.step, formula.place, f"#{label.id}", label.html)
        return self.macros.equation(label.id if label else None,
                                    label.number if label else None, html,
                                    formula.step if known_step else None)

    def value(self, value):
        if value.name.partition(":")[0] in self.context.broken:
            return ""
        try:
            raw = find_value(value.name, self.context.traces, self.context.snippets)
            text = write_value(raw, value.format)
        except NoSuchValue as error:
            self.context.problem(value.place, str(error), error.todo)
            return ""
        except (ValueError, TypeError) as error:
            self.context.problem(value.place, f"value '{value.name}': {error}",
                                 "the format is Python's, as in format(value, '.3f')")
            return ""
        return Markup('<data class="run" value="{}">{}</data>').format(
            raw, typeset_value(raw, text))

    def citation(self, citation):
        cites = []
        for key in citation.keys:
            if key not in self.references:
                self.context.problem(citation.place, f"no reference '{key}'",
                                     known(self.references, key))
                continue
            backlinks = self.body.cited.setdefault(key, [])
            name = f"cite-{key}-{len(backlinks) + 1}"
            backlinks.append({"href": f"#{name}", "label": self.here()})
            number = self.numbers[key]
            cites.append({"number": number, "href": f"#ref-{number}", "id": name})
        return self.macros.citation(cites) if cites else ""

    def here(self):
        """Return what a way back is called: the section it stands in."""
        if self.section is None:
            return self.words["beginning"]
        return self.words["section_reference"].format(number=self.section.number)

    def code(self, fence):
        listing = highlight(fence.text, fence.language)
        if not listing.known:
            opener = Place(fence.place.path, fence.place.line - 1)
            self.context.problem(opener, f"unknown language '{fence.language}'",
                                 "Pygments' names are known; 'text' is plain")
        return self.macros.code_block(listing.lines, fence.language)

    # ----------------------------------------------------------------------- links
    def mention(self, step, place, href, label):
        """Record a link to a step's lines; return whether there is such a step."""
        if step not in self.context.steps:
            self.context.problem(place, f"no step '{step}' in the source",
                                 known(self.context.steps, step))
            return False
        self.context.step_mentions.setdefault(step, []).append(
            {"href": href, "label": label})
        return True

    def step_link(self, step, words):
        words = Markup(TOKEN.sub(self.token, words))
        places = self.scan.link_places.get(f"step:{step}", [])
        count = len(self.context.step_mentions.get(step, ())) + 1
        name = f"at-{step}-{count}"
        if not self.mention(step, places[0] if places else Place(self.scan.path),
                            f"#{name}", self.here()):
            return words
        return Markup('<a class="step-link" id="{}" href="#step-{}">{}</a>').format(
            name, step, words)

    def no_footnote(self, text):
        """Return the text of a footnote's mark that Markdown left: it has no note."""
        for place in self.scan.places_of(unescape(text)) or [Place(self.scan.path)]:
            self.context.problem(place, f"no footnote '{unescape(text)[2:-1]}'",
                                 f"write '{unescape(text)}: its text', or a backslash "
                                 "before the bracket")
        return text

    def label_link(self, name):
        label = self.context.labels.get(unescape(name))
        return Markup('<a href="#{}">{}</a>').format(
            Markup(name), label.html if label else "")

    # ------------------------------------------------------------------ directives
    def directive(self, index, body):
        self.depth += 1
        body = TOKEN.sub(self.token, body)
        self.depth -= 1
        self.drawn.add(index)
        if index not in self.usable:
            return ""
        if getattr(MODULES[self.usable[index].name], "LATE", False):
            self.late[index] = (index, body)
            return f"\ufdd2{index}\ufdd3"
        return self.draw(index, body)

    def draw(self, index, body):
        directive, label = self.usable[index], self.numbered[index]
        module = MODULES[directive.name]
        trace = directive.options.get("trace", self.context.article.front.get("trace"))
        if "trace" in module.OPTIONS and trace in self.context.broken:
            return ""
        variables = module.prepare(directive, self.context)
        if variables is None:
            return ""
        parts = getattr(module, "body_parts", _caption)(body)
        template = self.environment.get_template(f"widgets/{directive.name}.html")
        called = (self.words[f"{label.kind}_label"].format(number=label.number)
                  if label.kind else None)
        return template.render(id=label.id, number=label.number, label=called,
                               t=self.words, **{**parts, **variables})


def _caption(html):
    """Return the body both as `body` and as `caption`: a directive uses either."""
    text = Markup(html.strip())
    return {"body": text, "caption": text}


TOKEN_HEADINGS = re.compile(
    r"<!--.*?-->|<code\b[^>]*>.*?</code>"
    r"|<h(?P<level>[1-6])(?P<attributes>(?: [^>]*)?)>(?P<title>.*?)</h(?P=level)>", re.S)
