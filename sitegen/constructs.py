"""Draw what the scan cut out of an article, and the links that it resolves."""

import re
from html import escape, unescape

from markupsafe import Markup

from sitegen.errors import Place, known
from sitegen.formulas import convert
from sitegen.highlight import highlight
from sitegen.records import Citation, Directive, Fence, Formula, Value
from sitegen.values import NoSuchValue, find_value, typeset_value, write_value


class Constructs:
    """The scan's constructs as HTML; each method tells its problems to the context.

    macros      templates/macros.html as a module
    references  key → Reference; those that the article cites are numbered in this order
    labels      index of a construct → its Label, for those that have an id
    here        called for the name of the section that is being drawn
    """

    def __init__(self, context, macros, references, labels, here):
        self.context, self.macros, self.references = context, macros, references
        self.labels, self.here, self.scan = labels, here, context.article.scan
        cited = {key for c in self.scan.of(Citation) for key in c.keys}
        self.numbers = {key: number for number, key in enumerate(
            (key for key in references if key in cited), 1)}
        self.mentions = {}      # key of a reference → links back to where it is cited
        self.drawn, self.no_notes = set(), set()

    def reference_list(self):
        """Return what the page's template lists as references."""
        return [{"number": number, "id": f"ref-{number}", "html":
                 self.references[key].html, "backlinks": self.mentions[key]}
                for key, number in self.numbers.items() if key in self.mentions]

    def check_all_drawn(self, usable):
        """Tell of each construct that Markdown left out, but for unusable ones."""
        for index, construct in enumerate(self.scan.constructs):
            excused = isinstance(construct, Directive) and index not in usable
            if index not in self.drawn and not excused:
                self.context.problem(construct.place, "Markdown does not read this as "
                                     "what it looks like", "put blank lines around it, "
                                     "or write it as code")

    def as_typed(self, found):
        """Return the construct of a mark as it was typed, for code and attributes."""
        index = int(found[1])
        self.drawn.add(index)
        return escape(self.scan.sources[index])

    def inline(self, index):
        """Return a construct within running text."""
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
        """Return a construct that is a paragraph of its own."""
        construct = self.scan.constructs[index]
        self.drawn.add(index)
        if isinstance(construct, Formula) and construct.display:
            return self.equation(index, construct)
        if isinstance(construct, Fence):
            return self.code(construct)
        return f"<p>{self.inline(index)}</p>"

    def formula(self, formula):
        html, problem = convert(formula)
        if problem and formula.tex:
            self.context.problem(problem.place, problem.message, problem.todo)
        return Markup(html)

    def equation(self, index, formula):
        label = self.labels.get(index)
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
        except (ValueError, TypeError, OverflowError) as error:
            self.context.problem(value.place, f"value '{value.name}': {error}",
                                 "the format is Python's, as in format(value, '.3f')")
            return ""
        shown = typeset_value(raw, text)
        if shown == Markup.escape(raw):     # the text says all of it
            return shown
        return Markup('<data value="{}">{}</data>').format(raw, shown)

    def citation(self, citation):
        cites = []
        for key in citation.keys:
            if key not in self.references:
                self.context.problem(citation.place, f"no reference '{key}'",
                                     known(self.references, key))
                continue
            backlinks = self.mentions.setdefault(key, [])
            name = f"cite-{key}-{len(backlinks) + 1}"
            backlinks.append({"href": f"#{name}", "label": self.here()})
            number = self.numbers[key]
            cites.append({"number": number, "href": f"#ref-{number}", "id": name})
        return self.macros.citation(cites) if cites else ""

    def code(self, fence):
        listing = highlight(fence.text, fence.language)
        if not listing.known:
            opener = Place(fence.place.path, fence.place.line - 1)
            self.context.problem(opener, f"unknown language '{fence.language}'",
                                 "Pygments' names are known; 'text' is plain")
        return self.macros.code_block(listing.lines, fence.language)

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
        """Return a link to the lines of a step; words is HTML."""
        places = self.scan.link_places.get(f"step:{step}", [])
        count = len(self.context.step_mentions.get(step, ())) + 1
        name = f"at-{step}-{count}"
        if not self.mention(step, places[0] if places else Place(self.scan.path),
                            f"#{name}", self.here()):
            return Markup(words)
        return Markup('<a class="step-link" id="{}" href="#step-{}">{}</a>').format(
            name, step, Markup(words))

    def no_footnote(self, text):
        """Return the text of a footnote's mark that Markdown left: it has no note."""
        typed = unescape(text)
        if typed in self.no_notes:
            return text
        self.no_notes.add(typed)
        for place in self.scan.places_of(re.escape(typed)) or [Place(self.scan.path)]:
            self.context.problem(place, f"no footnote '{typed[2:-1]}'",
                                 f"write '{typed}: its text'")
        return text

    def label_link(self, name):
        """Return [](#name) as a link that says what the label is called."""
        label = self.context.labels.get(unescape(name))
        return Markup('<a href="#{}">{}</a>').format(
            Markup(name), label.html if label else "")
