"""Cut formulas, values and citations out of running text, with their places."""

import re
from bisect import bisect_right
from html import unescape

from sitegen.errors import Place
from sitegen.records import Citation, Formula, Value

SAME_PARAGRAPH = r"(?:(?!\n[ \t>]*\n).)"
# TeX goes to its closing bracket, but not past another opening one: what is not closed
# is looked at once, however often it stands there. A backslash takes what follows it.
TEX = r"(?:[^\\\n]|\n(?![ \t>]*\n)|\\(?![()])(?:[^\n]|\n(?![ \t>]*\n)))*?"
BLOCK = r"(?:[^\\]|\\[^\[\]])*?"
SPEC = r"[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*"    # may hold [0,0,2,1]
LABEL = r"(?:[ \t]*\{#(?P<label>[\w:.-]+)(?:[ \t]+step=(?P<step>[\w-]+))?[ \t]*\})?"
# What each alternative begins with is a character as such: a set of these is looked for
# ten times as fast as anything else (sre's charset prefix).
INLINE = re.compile(
    r"<(?P<comment>!--(?:(?!<!--|-->).)*-->)"
    r"|\\(?:(?P<escape>[\\`])"
    rf"|(?P<inline>\((?P<tex>{TEX})\\\))"
    rf"|(?P<display>\[(?P<block>{BLOCK})\\\]{LABEL})"
    r"|(?P<open>[(\[]))"
    rf"|`(?P<code>(?<!``)(?P<ticks>`*)(?!`){SAME_PARAGRAPH}+?(?<!`)`(?P=ticks)(?!`))"
    rf"|\[(?:(?P<value>\[[ \t]*value\b(?P<spec>{SPEC})\]\])"
    r"|(?P<cite>(?P<keys>@[\w:.+-]+(?:;[ \t]*@[\w:.+-]+)*)\](?![(\[]))"
    r"|(?P<broken>\[[ \t]*value\b|@(?![^\]\n]{0,999}\][(\[])))", re.S)
ATTRIBUTE = r"\s*=\s*(?:[\"']([^\"'\n]*)|([^\s\"'>]+))"
LINK = re.compile(r"\]\([ \t]*(?:<([^>\n]{0,999})>|((?:[^\s()\\]|\\.|\([^\s()]*\))*))"
                  r"|\[(?:(?<=^\[)|(?<=^ \[)|(?<=^  \[)|(?<=^   \[))"
                  r"[^\]\n]+\]:[ \t]*<?([^\s>]+)"
                  rf"|h(?<=\bh)ref{ATTRIBUTE}|s(?<=\bs)rc{ATTRIBUTE}", re.M)
PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
BRACKETS = {"[": "]", "(": ")", "<": ">"}
MOST_OPEN = 100     # brackets of a paragraph
BROKEN = {"[@": ("a citation that cannot be read", "write [@key] or [@key; @other]"),
          "[[": ("a value that cannot be read",
                 "write [[value NAME]] or [[value NAME FORMAT]] on one line")}


class RunningText:
    """Lines between fences and directives; `cut` takes their constructs out.

    add      called with (construct, its source); returns the mark to put there
    problem  called with (line, column, message, what to do)
    """

    def __init__(self, text, first_line, path, add, problem):
        self.text, self.first_line, self.path = text, first_line, path
        self.add, self.problem = add, problem
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def place(self, offset):
        """Return the Place of an offset into the text."""
        line = bisect_right(self.starts, offset) - 1
        return Place(self.path, self.first_line + line, offset - self.starts[line] + 1)

    def cut(self):
        """Return the text with marks where its constructs stood."""
        if any(self.text.count(bracket) > MOST_OPEN for bracket in BRACKETS):
            self.text = PARAGRAPH.sub(self._bounded, self.text)
        return INLINE.sub(self._construct, self.text)

    def links(self):
        """Yield (address, Place) of each link, image and reference."""
        for found in LINK.finditer(self.text):
            group = found.lastindex or 0
            yield unescape(found[group].strip()), self.place(found.start(group))

    def _bounded(self, found):
        """Return a paragraph, but as spaces where it opens too much: Markdown looks for
        the end of each bracket, up to the paragraph's own."""
        for opening, closing in BRACKETS.items():
            left = _left_open(found[0], opening, closing)
            if len(left) > MOST_OPEN:
                place = self.place(found.start() + left[0])
                self.problem(place.line, place.column, f"more than {MOST_OPEN} "
                             f"'{opening}' of a paragraph are not closed",
                             "close them, or write them as code")
                return re.sub(r"[^\n]", " ", found[0])
        return found[0]

    def _construct(self, found):
        kind = next(kind for kind in ("comment", "escape", "code", "inline", "display",
                                      "open", "value", "cite", "broken")
                    if found[kind] is not None)
        if kind in ("comment", "escape", "code"):
            return found[0]
        return getattr(self, f"_{kind}")(found, self.place(found.start()))

    def _open(self, found, place):
        closing = {"(": "\\)", "[": "\\]"}[found[0][1]]
        self.problem(place.line, place.column, f"formula '{found[0]}' is not closed",
                     f"close it with '{closing}', or write '\\{found[0]}'")
        return found[0]

    def _broken(self, found, place):
        message, todo = BROKEN[found[0][:2]]
        self.problem(place.line, place.column, message, todo)
        return found[0]

    def _inline(self, found, place):
        self._check_formula(found["tex"], place)
        tex, tex_place = self._tex(found, "tex")
        return self.add(Formula(tex, False, place, tex_place), found[0])

    def _display(self, found, place):
        self._check_formula(found["block"], place)
        tex, tex_place = self._tex(found, "block")
        before = self.text.rfind("\n", 0, found.start()) + 1
        end = self.text.find("\n", found.end())
        after = self.text[found.end():end if end >= 0 else None].strip()
        alone = before == found.start() and not after
        if found["label"] and not alone:
            self.problem(place.line, place.column,
                         "a numbered formula stands on lines of its own",
                         "put it at the begin of a line with nothing after it")
        elif not found["label"] and after.startswith("{#"):
            self.problem(place.line, place.column, "a formula's label cannot be read",
                         "write {#name} or {#name step=name-of-step} after it")
        placed = self.add(Formula(tex, True, place, tex_place, found["label"],
                                  found["step"]), found[0])
        return f"\n\n{placed}\n\n" if alone else placed

    def _tex(self, found, group):
        """Return (TeX, its Place): outer space and a quote's marks are not of it."""
        text, line_start = found[group], self.text.rfind("\n", 0, found.start()) + 1
        if ">" in self.text[line_start:found.start()]:
            text = re.sub(r"\n[ \t>]+", lambda m: "\n" + " " * (len(m[0]) - 1), text)
        begin = found.start(group) + len(text) - len(text.lstrip())
        return text.strip(), self.place(begin)

    def _check_formula(self, tex, place):
        if not tex.strip():
            self.problem(place.line, place.column, "empty formula",
                         "write the formula, or take its brackets out")
        elif re.search(r"\n[ \t>]*\n", tex):
            self.problem(place.line, place.column, "blank line inside a formula",
                         "take the blank line out")

    def _value(self, found, place):
        name, _, fmt = found["spec"].strip().partition(" ")
        return self.add(Value(name, fmt.strip(), place), found[0])

    def _cite(self, found, place):
        keys = tuple(key.strip().lstrip("@") for key in found["keys"].split(";"))
        return self.add(Citation(keys, place), found[0])


def _left_open(text, opening, closing):
    """Return the offsets of the opening brackets that nothing closes."""
    left = []
    for offset, character in enumerate(text):
        if character == opening:
            left.append(offset)
        elif character == closing and left:
            left.pop()
    return left
