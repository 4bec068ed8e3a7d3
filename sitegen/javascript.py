"""Cut JavaScript into tokens: just enough to know code from text, and depth.

Strings, template literals, regular expressions and comments are told apart, and
brackets are matched.  A slash begins a regular expression where an operand may
stand; after `)` that depends on the word before its `(`, and after `}` it is taken
to begin one when another slash closes it on the line.
"""

import re
from typing import NamedTuple

TOKEN = re.compile(r"""
    (?P<comment>  //[^\n]* | /\*.*?\*/ )
  | (?P<string>   "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<space>    \s+ )
  | (?P<word>     [\w$\#]+ )
  | (?P<mark>     \+\+ | -- | => | . )
""", re.VERBOSE | re.DOTALL)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)

OPENER = {")": "(", "]": "[", "}": "{"}
BLOCK_WORDS = {"if", "for", "while", "with", "switch", "catch", "await"}
BEFORE_OPERAND = BLOCK_WORDS | {
    "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else",
    "do", "instanceof", "yield"}


class Token(NamedTuple):
    """A piece of JavaScript at an offset of the text.

    depth    how many brackets are open around it
    inside   whether one of them is a function's body
    """

    kind: str
    text: str
    start: int
    depth: int = 0
    inside: bool = False


class Open(NamedTuple):
    """A bracket that waits for its partner, and the code token before it."""

    bracket: str
    start: int
    before: Token | None
    inside: bool


def scan_javascript(text):
    """Return (tokens, faults); the tokens' texts, joined, are the text.

    faults   (offset, message) of each bracket, string or template left open
    """
    scanner = _Scanner(text)
    offset = 0
    while offset < len(text):
        offset = scanner.step(offset)
    faults = [(o.start, f"'{o.bracket}' is never closed") for o in scanner.open]
    return scanner.tokens, sorted(scanner.faults + faults)


class _Scanner:
    def __init__(self, text):
        self.text = text
        self.tokens = []
        self.faults = []
        self.open = []
        self.last = None         # the last token that is neither space nor comment
        self.closed = None       # what stood before the bracket that closed last

    def step(self, offset):
        """Take the token at an offset and return the offset after it."""
        found = TOKEN.match(self.text, offset)
        kind, text = found.lastgroup, found.group()
        if kind in ("space", "comment"):
            self.tokens.append(self._token(kind, text, offset))
            return found.end()
        if text == "`" or (text == "}" and self._in_template()):
            return self._template(offset)
        if text == "/" and self._operand_may_stand():
            regex = REGEX.match(self.text, offset)
            kind, text = ("regex", regex.group()) if regex else (kind, text)
        elif text in ('"', "'"):
            self.faults.append((offset, "a string is not closed on its line"))
        self._push(kind, text, offset)
        return offset + len(text)

    def _token(self, kind, text, start):
        inside = bool(self.open) and self.open[-1].inside
        return Token(kind, text, start, len(self.open), inside)

    def _push(self, kind, text, start):
        if kind == "mark" and text in OPENER:
            self._close(text, start)
        token = self._token(kind, text, start)
        if kind == "mark" and text in OPENER.values():
            inside = token.inside or self._begins_function(text)
            self.open.append(Open(text, start, self.last, inside))
        self.tokens.append(token)
        self.last = token

    def _close(self, text, start):
        if self.open and self.open[-1].bracket == OPENER[text]:
            self.closed = self.open.pop().before
        else:
            self.faults.append((start, f"'{text}' closes nothing"))

    def _begins_function(self, bracket):
        if bracket != "{" or self.last is None or self.last.kind != "mark":
            return False
        if self.last.text == ")":
            return self.closed is not None and self.closed.text not in BLOCK_WORDS
        return self.last.text == "=>"

    def _operand_may_stand(self):
        last = self.last
        if last is None:
            return True
        if last.kind == "word":
            return last.text in BEFORE_OPERAND
        if last.text == ")":
            return self.closed is not None and self.closed.text in BLOCK_WORDS
        return last.kind == "mark" and last.text not in ("]", "++", "--")

    def _in_template(self):
        return bool(self.open) and self.open[-1].bracket == "${"

    def _template(self, offset):
        inside = bool(self.open) and self.open[-1].inside
        if self.text[offset] == "}":
            self.open.pop()
        found = TEMPLATE.match(self.text, offset + 1)
        if not found:
            self.faults.append((offset, "a template is never closed"))
        end = found.end() if found else len(self.text)
        self._push("template", self.text[offset:end], offset)
        if found and found[1] == "${":
            self.open.append(Open("${", end - 2, self.last, inside))
            self.last = None     # an operand may stand after ${
        return end
