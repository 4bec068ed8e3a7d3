"""Read an article's raw text once, with positions, and cut out what is not Markdown.

Formulas, values, citations, fenced code and directives' options leave the text before
Markdown sees it; a mark (MARK_OPEN, index, MARK_CLOSE) stands where each one was. So
their positions are exact, and no underscore, bar or backslash of theirs is misread.
"""

import re
from bisect import bisect_right

import yaml

from sitegen.errors import Place, Problem
from sitegen.records import Citation, Directive, Fence, Formula, Scan, Value

MARK_OPEN, MARK_CLOSE = "\ufdd0", "\ufdd1"  # noncharacters: no text may hold them
MARK = re.compile(f"{MARK_OPEN}(\\d+){MARK_CLOSE}")

FENCE = re.compile(r"(?P<prefix>(?:[ \t]*(?:>|[-*+][ \t]|\d+[.)][ \t]))*[ \t]*)"
                   r"(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)(?P<slashes>/{3,})[ \t]*"
                       r"(?:(?P<name>[A-Za-z][\w-]*)[ \t]*(?:\|[ \t]*(?P<id>.*?))?)?"
                       r"[ \t]*$")
LABEL = r"(?:[ \t]*\{#(?P<label>[\w:.-]+)(?:[ \t]+step=(?P<step>[\w-]+))?[ \t]*\})?"
INLINE = re.compile(
    r"(?P<comment><!--.*?-->)"
    r"|(?P<escape>\\\\)"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<inline>\\\((?P<tex>(?:(?!\n[ \t]*\n).)*?)(?<!\\)\\\))"
    r"|(?P<display>\\\[(?P<block>.*?)(?<!\\)\\\]" + LABEL + ")"
    r"|(?P<open>\\[(\[])"
    r"|(?P<value>\[\[value\b(?P<spec>[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*)\]\])"
    r"|(?P<cite>\[(?P<keys>@[\w:.+-]+(?:;[ \t]*@[\w:.+-]+)*)\](?!\())", re.S)
LINK = re.compile(r"\]\([ \t]*(?:<([^>\n]*)>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))"
                  r"|^[ ]{0,3}\[[^\]\n]+\]:[ \t]*<?([^\s>]+)"
                  r"|(?:href|src)=[\"']([^\"'\n]*)", re.M)
IMAGE_WITHOUT_TEXT = re.compile(r"!\[[ \t]*\]\(")


def mark(index):
    """Return the text that stands for construct number `index`."""
    return f"{MARK_OPEN}{index}{MARK_CLOSE}"


def scan(raw, path, first_line=1, takes_code=()):
    """Return (Scan, problems) of an article's text below its front matter.

    raw         the file's whole text, front matter included
    first_line  the line on which the text to scan begins, from 1
    takes_code  names of directives that take the fenced code of their bodies
    """
    scanner = _Scanner(raw, path, first_line, takes_code)
    scanner.run()
    return scanner.result(), scanner.problems


class _Scanner:
    def __init__(self, raw, path, first_line, takes_code):
        self.lines = raw.split("\n")
        self.raw, self.path, self.takes_code = raw, path, takes_code
        self.at = first_line - 1
        self.out, self.constructs, self.sources, self.problems = [], [], [], []
        self.open = []          # directives not closed yet: [slashes, index, line]
        self.inside = {}        # directive index → its fences
        self.links = {}
        self.text_from = None

    def run(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if found := FENCE.match(line):
                self.end_text()
                self.fence(found)
            elif found := DIRECTIVE.match(line):
                self.end_text()
                self.directive(found)
            else:
                self.text_from = self.at if self.text_from is None else self.text_from
                self.at += 1
        self.end_text()
        for _, index, line in self.open:
            name = self.constructs[index].name
            self.problem(line, 1, f"directive '{name}' is not closed",
                         "close it with a line of as many slashes")

    def result(self):
        constructs = [
            Directive(c.name, c.id, c.options, c.place, tuple(self.inside[n]))
            if isinstance(c, Directive) else c
            for n, c in enumerate(self.constructs)]
        return Scan("\n".join(self.out), constructs, self.sources, self.links, self.raw,
                    self.path)

    def problem(self, line, column, message, todo=""):
        place = Place(self.path, line, column)
        excerpt = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        self.problems.append(Problem(place, message, todo, excerpt))

    def add(self, construct, source=""):
        self.constructs.append(construct)
        self.sources.append(source)
        return mark(len(self.constructs) - 1)

    # ------------------------------------------------------------------ fenced code
    def fence(self, found):
        prefix, fence, opened = found["prefix"], found["fence"], self.at
        closing = re.compile(r"[ \t>]*" + re.escape(fence) + fence[0] + r"*[ \t]*$")
        end = next((n for n in range(opened + 1, len(self.lines))
                    if closing.match(self.lines[n])), None)
        if end is None:
            self.problem(opened + 1, len(prefix) + 1, "fenced code is not closed",
                         f"close it with a line {fence}")
            end = len(self.lines)
        text = "".join(_without_prefix(line, prefix) + "\n"
                       for line in self.lines[opened + 1:end])
        info = found["info"].strip().strip("{}").split()
        language = info[0].lstrip(".") if info else ""
        code = Fence(language, text, Place(self.path, opened + 2, None))
        self.keep_fence(code, prefix)
        self.at = end + 1

    def keep_fence(self, code, prefix):
        if self.open:
            index = self.open[-1][1]
            self.inside[index].append(code)
            if self.constructs[index].name in self.takes_code:
                return
        self.alone(prefix, self.add(code))

    def alone(self, prefix, text):
        """Put a mark in a paragraph of its own, at the depth of `prefix`."""
        quote = re.sub(r"[^>]", " ", prefix).rstrip()
        begins_item = bool(re.search(r"[-*+\d.)]", prefix))
        self.out += [prefix + text, quote] if begins_item else [
            quote, prefix + text, quote]

    # ------------------------------------------------------------------- directives
    def directive(self, found):
        opened, slashes = self.at, len(found["slashes"])
        self.at += 1
        if not found["name"]:
            self.close(slashes, opened)
            self.out.append(self.lines[opened])
            return
        options = self.options(len(found["indent"]))
        column = len(found["indent"]) + 1
        index = len(self.constructs)
        name = found["name"]
        self.add(Directive(name, (found["id"] or "").strip(), options,
                           Place(self.path, opened + 1, column)))
        self.inside[index] = []
        self.open.append((slashes, index, opened + 1))
        opener = f"{found['indent']}{found['slashes']} {name} | {index}"
        self.out += ["", opener, ""]

    def close(self, slashes, line):
        if self.open and self.open[-1][0] == slashes:
            self.open.pop()
        else:
            self.problem(line + 1, 1, "this closes no directive",
                         "an opening line is '/// name', the closing one has as many "
                         "slashes")

    def options(self, indent):
        """Take the indented YAML lines that follow a directive's first line."""
        begin = self.at
        taken = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip() or not line.startswith(" " * (indent + 4)):
                break
            taken.append(line)
            self.at += 1
        return self.yaml("\n".join(taken), begin + 1)

    def yaml(self, text, line):
        try:
            options = yaml.safe_load(text) if text.strip() else {}
        except yaml.MarkedYAMLError as error:
            at = error.problem_mark or error.context_mark
            self.problem(line + at.line, at.column + 1,
                         f"options are not YAML: {error.problem}",
                         "write 'name: value', one a line, indented by four spaces")
            return {}
        if isinstance(options, dict):
            return options
        self.problem(line, 1, "options are not 'name: value' lines",
                     "write 'name: value', one a line, indented by four spaces")
        return {}

    # ------------------------------------------------------------------ running text
    def end_text(self):
        if self.text_from is None:
            return
        begin, self.text_from = self.text_from, None
        chunk = _Chunk("\n".join(self.lines[begin:self.at]), begin + 1, self.path)
        for found in IMAGE_WITHOUT_TEXT.finditer(chunk.text):
            place = chunk.place(found.start())
            self.problem(place.line, place.column, "image without alternative text",
                         "say in the brackets what the picture shows")
        for character in MARK_OPEN + MARK_CLOSE:
            if character in chunk.text:
                place = chunk.place(chunk.text.index(character))
                self.problem(place.line, place.column, "a character that is no text: "
                             f"U+{ord(character):04X}", "take it out")
        self.out.append(INLINE.sub(lambda m: self.cut(m, chunk), chunk.text))
        self.collect_links(chunk)

    def collect_links(self, chunk):
        for found in LINK.finditer(chunk.text):
            group = next((n for n in (1, 2, 3, 4) if found[n] is not None), 0)
            place = chunk.place(found.start(group) if group else found.start())
            self.links.setdefault(found[group].strip(), []).append(place)

    def cut(self, found, chunk):
        kind = next(k for k in ("comment", "escape", "code", "inline", "display",
                                "open", "value", "cite") if found[k] is not None)
        if kind in ("comment", "escape", "code"):
            return found[0]
        return getattr(self, f"cut_{kind}")(found, chunk.place(found.start()), chunk)

    def cut_open(self, found, place, chunk):
        closing = {"(": "\\)", "[": "\\]"}[found[0][1]]
        self.problem(place.line, place.column, f"formula '{found[0]}' is not closed",
                     f"close it with '{closing}', or write '\\{found[0]}'")
        return found[0]

    def cut_inline(self, found, place, chunk):
        tex = found["tex"].strip()
        self.check_formula(tex, place)
        return self.add(Formula(tex, False, place, chunk.text_place(found, "tex")),
                        found[0])

    def cut_display(self, found, place, chunk):
        tex = found["block"]
        self.check_formula(tex, place)
        tex = re.sub(r"\n[ \t]*>[ \t>]*", "\n", tex).strip()
        before = chunk.text.rfind("\n", 0, found.start()) + 1
        after = chunk.text[found.end():].split("\n", 1)[0]
        alone = before == found.start() and not after.strip()
        formula = Formula(tex, True, place, chunk.text_place(found, "block"),
                          found["label"], found["step"], alone)
        if formula.id and not alone:
            self.problem(place.line, place.column,
                         "a numbered formula stands on lines of its own",
                         "put it at the begin of a line with nothing after it")
        placed = self.add(formula, found[0])
        return f"\n\n{placed}\n\n" if alone else placed

    def check_formula(self, tex, place):
        if not tex.strip():
            self.problem(place.line, place.column, "empty formula",
                         "write the formula, or take its brackets out")
        elif re.search(r"\n[ \t>]*\n", tex):
            self.problem(place.line, place.column, "blank line inside a formula",
                         "take the blank line out")

    def cut_value(self, found, place, chunk):
        name, _, fmt = found["spec"].strip().partition(" ")
        return self.add(Value(name, fmt.strip(), place), found[0])

    def cut_cite(self, found, place, chunk):
        keys = tuple(key.strip().lstrip("@") for key in found["keys"].split(";"))
        return self.add(Citation(keys, place), found[0])


class _Chunk:
    """Lines between fences and directives, and where each offset stands."""

    def __init__(self, text, first_line, path):
        self.text, self.first_line, self.path = text, first_line, path
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def place(self, offset):
        line = bisect_right(self.starts, offset) - 1
        return Place(self.path, self.first_line + line, offset - self.starts[line] + 1)

    def text_place(self, found, group):
        """Return where a group's text begins, its leading space left out."""
        text = found[group]
        return self.place(found.start(group) + len(text) - len(text.lstrip()))


def _without_prefix(line, prefix):
    """Take a fence's indent or quote marks off one line of its code."""
    if not prefix.strip():
        return line[min(len(prefix), len(line) - len(line.lstrip(" \t"))):]
    quotes = prefix.count(">")
    for _ in range(quotes):
        line = re.sub(r"^[ \t]*> ?", "", line, count=1)
    rest = re.sub(r"^.*>[ \t]?", "", prefix) if quotes else prefix
    return line[min(len(rest), len(line) - len(line.lstrip(" \t"))):]
