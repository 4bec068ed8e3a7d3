"""Read an article's raw text once, with positions, and cut out what is not Markdown.

Formulas, values, citations, fenced code and directives' options leave the text before
Markdown sees it; a mark (MARK_OPEN, index, MARK_CLOSE) stands where each one was. So
their positions are exact, and no underscore, bar or backslash of theirs is misread.
"""

import re
from dataclasses import replace

from sitegen.errors import Place, Problem
from sitegen.records import Directive, Fence, Scan
from sitegen.running_text import RunningText
from sitegen.yaml_text import read_what_can_be

# Noncharacters: content.read_text lets no author's text hold them.
MARK_OPEN, MARK_CLOSE = "\ufdd0", "\ufdd1"
MARK = re.compile(f"{MARK_OPEN}(\\d+){MARK_CLOSE}")

FENCE = re.compile(r"(?P<prefix>(?:[ \t]*(?:>|[-*+][ \t]|\d+[.)][ \t]))*[ \t]*)"
                   r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>.*)$")
SLASHES = re.compile(r"[ \t>]*/{3,}")
DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)(?P<slashes>/{3,})[ \t]*"
                       r"(?:(?P<name>[A-Za-z][\w-]*)[ \t]*(?:\|[ \t]*(?P<id>.*?))?)?"
                       r"[ \t]*$")
COMMENT = re.compile(r"[ ]{0,3}<!--")
OPTION = re.compile(r"[ \t]+[\w-]+:(\s|$)")
OPTIONS_TODO = "write 'name: value', one a line, indented by four spaces"


def mark(index):
    """Return the text that stands for construct number `index`."""
    return f"{MARK_OPEN}{index}{MARK_CLOSE}"


def scan(raw, path, first_line=1, takes_code=lambda name: False):
    """Return (Scan, problems) of an article's text below its front matter.

    raw         the file's whole text, front matter included
    first_line  the line on which the text to scan begins, from 1
    takes_code  tells by its name whether a directive takes the fenced code of its body
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
        self.unread = set()     # indices of directives with problems of their own
        self.links = {}
        self.text_from = None

    def run(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if found := FENCE.match(line):
                self.end_text()
                self.fence(found)
            elif SLASHES.match(line):
                self.end_text()
                self.slashes(line)
            elif end := self.comment_end(line):
                self.end_text()
                self.at = end
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
            replace(c, fences=tuple(self.inside[n]), is_read=n not in self.unread)
            if isinstance(c, Directive) else c
            for n, c in enumerate(self.constructs)]
        return Scan("\n".join(self.out), constructs, self.sources, self.links, self.raw,
                    self.path)

    def problem(self, line, column, message, todo=""):
        place = Place(self.path, line, column)
        excerpt = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        self.problems.append(Problem(place, message, todo, excerpt))

    def add(self, construct, source):
        self.constructs.append(construct)
        self.sources.append(source)
        return mark(len(self.constructs) - 1)

    # ------------------------------------------------------------------ fenced code
    def fence(self, found):
        prefix, opened = found["prefix"], self.at
        end, closed = self.fence_end(opened, prefix, found["fence"])
        if not closed:
            self.problem(opened + 1, len(prefix) + 1, "fenced code is not closed",
                         f"close it with a line {found['fence']}, "
                         f"perhaps after line {end}")
            self.unread |= {index for _, index, _ in self.open[-1:]}
        code = [_without_prefix(line, prefix) for line in self.lines[opened + 1:end]]
        info = found["info"].strip().strip("{}").split()
        fence = Fence(info[0].lstrip(".") if info else "",
                      "".join(line + "\n" for line in code),
                      Place(self.path, opened + 2, None))
        self.at = end + closed
        self.keep_fence(fence, prefix, "\n".join(self.lines[opened:self.at]))

    def fence_end(self, opened, prefix, fence):
        """Return (index of the line where a fence ends, whether it is closed there).

        One that nothing closes ends where its author may have meant it to, since what
        is behind it has problems of its own to tell.
        """
        ticks = " {0,3}" + re.escape(fence) + fence[0] + "*[ \t]*"
        closing, another = re.compile(ticks + "$"), re.compile(ticks + r"[\w{]")
        last = len(self.lines)
        for n in range(opened + 1, len(self.lines)):
            line = _without_prefix(self.lines[n], prefix)
            if ">" in prefix and not self.lines[n].lstrip().startswith(">"):
                return n, False
            if closing.match(line):
                return n, True
            if another.match(line):
                last = n
                break
        return next(filter(self.is_behind_code, range(opened + 1, last)), last), False

    def is_behind_code(self, n):
        """Tell whether line n looks like the first one behind code: slashes, or a blank
        line that no indented one follows."""
        after = self.lines[n + 1:n + 2]
        return bool(SLASHES.match(self.lines[n])) or not (
            self.lines[n].strip() or (after and re.match(r"[ \t]|$", after[0])))

    def keep_fence(self, fence, prefix, source):
        if self.open:
            index = self.open[-1][1]
            self.inside[index].append(fence)
            if self.takes_code(self.constructs[index].name):
                return
        self.alone(prefix, self.add(fence, source))

    def alone(self, prefix, text):
        """Put a mark in a paragraph of its own, at the depth of `prefix`."""
        quote = re.sub(r"[^>]", " ", prefix).rstrip()
        begins_item = bool(re.search(r"[-*+\d.)]", prefix))
        self.out += [prefix + text, quote] if begins_item else [
            quote, prefix + text, quote]

    # --------------------------------------------------------- comments, directives
    def comment_end(self, line):
        """Return the index of the line after a comment of whole lines, or None."""
        in_paragraph = self.text_from is not None and self.lines[self.at - 1].strip()
        if in_paragraph or not COMMENT.match(line):
            return None
        for n in range(self.at, len(self.lines)):
            if "-->" in self.lines[n]:
                return None if self.lines[n].partition("-->")[2].strip() else n + 1
        self.problem(self.at + 1, line.index("<") + 1, "the comment is not closed",
                     "close it with -->")
        return len(self.lines)

    def slashes(self, line):
        found = DIRECTIVE.match(line)
        self.at += 1
        if not found:
            column = line.index("/") + 1
            self.problem(self.at, column, "a directive's line that cannot be read",
                         "write '/// name' or '/// name | id', outside of quotes; in "
                         "running text '\\///'")
        elif found["name"]:
            self.directive(found)
        else:
            self.close(len(found["slashes"]), len(found["indent"]))
            self.out += ["", line, ""]

    def directive(self, found):
        line, slashes = self.at, len(found["slashes"])
        column = len(found["indent"]) + 1
        if self.open and slashes >= self.open[-1][0]:
            outer = self.constructs[self.open[-1][1]]
            self.problem(line, column, f"directive '{outer.name}' of line "
                         f"{outer.place.line} is open here",
                         "close it, or give it one slash more than what is in it")
        index, name = len(self.constructs), found["name"]
        options, keys, values = self.options(index, len(found["indent"]))
        self.add(Directive(name, (found["id"] or "").strip(), options,
                           Place(self.path, line, column), (),
                           Place(self.path, line, found.start("name") + 1),
                           keys, values), self.lines[line - 1])
        self.inside[index] = []
        self.open.append((slashes, index, line))
        self.out += ["", f"{found['indent']}{found['slashes']} {name} | {index}", ""]

    def close(self, slashes, indent):
        if self.open and self.open[-1][0] == slashes:
            self.open.pop()
        else:
            self.problem(self.at, indent + 1, "this closes no directive",
                         "an opening line is '/// name', the closing one has as many "
                         "slashes")

    def options(self, index, indent):
        """Take the indented YAML lines that follow the first line of directive number
        `index`; return them as Directive has them."""
        begin = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip() or not line.startswith(" " * (indent + 4)):
                break
            self.at += 1
        self.check_indent(index, indent)
        shift = indent + 4
        options, spots, errors = read_what_can_be("\n".join(
            line[shift:] for line in self.lines[begin:self.at]))
        for error in errors:
            self.unread.add(index)
            column = error.column and error.column + shift
            self.problem(begin + error.line, column,
                         f"options cannot be read: {error}", OPTIONS_TODO)
        return options, *({name: Place(self.path, begin + line, column + shift)
                           for name, (line, column) in found.items()}
                          for found in (spots.keys, spots.values))

    def check_indent(self, index, indent):
        """Find an option that would be text, since its indent is not four spaces."""
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        own = len(line) - len(line.lstrip())
        if OPTION.match(line) and (own > indent or "\t" in line[:own]):
            self.unread.add(index)
            self.problem(self.at + 1, own + 1, "an option that is not indented by four "
                         "spaces", OPTIONS_TODO)

    # ------------------------------------------------------------------ running text
    def end_text(self):
        if self.text_from is None:
            return
        begin, self.text_from = self.text_from, None
        text = RunningText("\n".join(self.lines[begin:self.at]), begin + 1, self.path,
                           self.add, self.problem)
        self.out.append(text.cut())
        for address, place in text.links():
            self.links.setdefault(address, []).append(place)


def _without_prefix(line, prefix):
    """Take a fence's indent or quote marks off one line of its code."""
    quotes = prefix.count(">")
    for _ in range(quotes):
        line = re.sub(r"^[ \t]*> ?", "", line, count=1)
    rest = re.sub(r"^.*>[ \t]?", "", prefix) if quotes else prefix
    return line[min(len(rest), len(line) - len(line.lstrip(" \t"))):]
