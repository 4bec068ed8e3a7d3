"""Join ES modules into one classic script, for pages that are opened from disk.

`file://` refuses `type=module`, so the build links the sources itself.  It knows a
small part of the module grammar, and refuses the rest:

    import { a, b as c } from "./x.js";              at the head of a file
    export function | async function | class | const NAME

Every module becomes one closure that returns what it exports, dependencies first.
Comments that stand alone on their lines are left out.
"""

import re
from dataclasses import dataclass, field

from sitegen.errors import Place, Problem, known

TOKEN = re.compile(r"""
    (?P<comment>  //[^\n]* | /\*.*?\*/ )
  | (?P<string>   "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<space>    \s+ )
  | (?P<word>     [\w$\#]+ )
  | (?P<mark>     \+\+ | -- | => | . )
""", re.VERBOSE | re.DOTALL)
REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
IMPORT = re.compile(r"""import\s*\{([^{}]*)\}\s*from\s*(["'])(.*?)\2\s*;""")
IMPORTED = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?")
EXPORT = re.compile(r"export\s+(?:(?:async\s+)?function\b\s*\*?|class\b|const\b)\s*"
                    r"([A-Za-z_$][\w$]*)")
CLASSIC_COMMENT = re.compile(r"<!--|^[ \t]*-->", re.MULTILINE)

OPENERS = {")": "(", "]": "[", "}": "{"}
BLOCK_WORDS = {"if", "for", "while", "with", "switch", "catch", "await"}
BEFORE_REGEX = BLOCK_WORDS | {"return", "typeof", "case", "in", "of", "delete", "void",
                              "throw", "new", "else", "do", "instanceof", "yield"}
SUPPORTED = ('supported: import { a, b as c } from "./x.js"; and '
             "export function, async function, class or const NAME")


@dataclass(frozen=True)
class Token:
    """A piece of JavaScript; `depth` counts open brackets, `inside` says function."""

    kind: str
    text: str
    start: int
    depth: int = 0
    inside: bool = False

    @property
    def end(self):
        """Return the offset after the last character."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Import:
    """One import statement: names as (exported, local) pairs."""

    specifier: str
    names: tuple[tuple[str, str], ...]
    start: int
    end: int


@dataclass
class Module:
    """A source file, its statements of the module grammar, and what is wrong."""

    path: object
    text: str
    imports: list[Import] = field(default_factory=list)
    exports: dict[str, int] = field(default_factory=dict)
    cuts: list[tuple[int, int]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, start, message, todo=SUPPORTED):
        """Record what is wrong at an offset of the text."""
        line = self.text.count("\n", 0, start) + 1
        line_start = self.text.rfind("\n", 0, start) + 1
        excerpt = self.text[line_start:].split("\n", 1)[0]
        place = Place(str(self.path), line, start - line_start + 1)
        self.problems.append(Problem(place, message, todo, excerpt))


class Scanner:
    """Cuts JavaScript into tokens, knowing strings, templates, regexes and brackets.

    A slash begins a regular expression where an operand may stand; after `)` that
    depends on the word before its `(`, and after `}` it is taken to begin one.
    """

    def __init__(self, module):
        self.module = module
        self.text = module.text
        self.tokens = []
        self.open = []           # (bracket, token before it, begins a function)
        self.last = None         # the last token that is neither space nor comment
        self.closed = None       # what stood before the bracket that closed last

    def scan(self):
        """Return all tokens; joined, their texts are the module's text."""
        offset = 0
        while offset < len(self.text):
            offset = self._step(offset)
        for bracket, _, _, start in self.open:
            self.module.problem(start, f"'{bracket}' is never closed", "close it")
        return self.tokens

    def _step(self, offset):
        found = TOKEN.match(self.text, offset)
        kind, text = found.lastgroup, found.group()
        if kind in ("space", "comment"):
            self.tokens.append(self._token(kind, text, offset))
            return found.end()
        if text == "/" and self._operand_may_stand():
            regex = REGEX.match(self.text, offset)
            kind, text = ("regex", regex.group()) if regex else (kind, text)
        elif text == "`" or (text == "}" and self._inside_template()):
            return self._template(offset)
        elif text in "\"'":
            self.module.problem(offset, "a string is not closed on its line", "close it")
        self._push(kind, text, offset)
        return offset + len(text)

    def _token(self, kind, text, start):
        inside = any(function for _, _, function, _ in self.open)
        return Token(kind, text, start, len(self.open), inside)

    def _push(self, kind, text, start):
        if kind == "mark" and text in OPENERS:
            self._close(text, start)
        token = self._token(kind, text, start)
        if kind == "mark" and text in OPENERS.values():
            self.open.append((text, self.last, self._begins_function(text), start))
        self.tokens.append(token)
        self.last = token

    def _close(self, text, start):
        if self.open and self.open[-1][0] == OPENERS[text]:
            self.closed = self.open.pop()[1]
        else:
            self.module.problem(start, f"'{text}' closes nothing", "open it or take it out")

    def _begins_function(self, bracket):
        if bracket != "{" or self.last is None:
            return False
        if self.last.text == "=>":
            return True
        before = self.closed.text if self.closed else ""
        return self.last.text == ")" and before not in BLOCK_WORDS

    def _operand_may_stand(self):
        last = self.last
        if last is None:
            return True
        if last.kind == "word":
            return last.text in BEFORE_REGEX
        if last.text == ")":
            return self.closed is not None and self.closed.text in BLOCK_WORDS
        return last.kind == "mark" and last.text not in ("]", "++", "--")

    def _inside_template(self):
        return bool(self.open) and self.open[-1][0] == "${"

    def _template(self, offset):
        if self.text[offset] == "}":
            self.open.pop()
        found = TEMPLATE.match(self.text, offset + 1)
        if not found:
            self.module.problem(offset, "a template is never closed", "close it")
            self._push("template", self.text[offset:], offset)
            return len(self.text)
        self._push("template", self.text[offset:found.end()], offset)
        if found.group(1) == "${":
            self.open.append(("${", self.last, False, found.end() - 2))
            self.last = None     # an operand may stand after ${
        return found.end()
