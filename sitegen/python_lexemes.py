"""Tell the parts of Python text apart, as Pygments does but some ten times faster.

Pygments' own lexer was a quarter of a cold build, and nearly all code of a site is
Python.  tests/sitegen/test_python_lexemes.py holds this module to Pygments, character
by character, on this repository and on part of the standard library.
"""

import re

KEYWORDS = frozenset(
    "False None True and as assert async await break class continue def del elif else "
    "except finally for from global if import in is lambda nonlocal not or pass raise "
    "return try while with yield".split())
LEXEME = re.compile(r"""
    (?P<comment>  \#[^\n]* )
  | ^[ \t]* (?P<doc> [rRuUbB]{0,2} (?P<fence> \"{3} | '{3} ) .*? (?: (?P=fence) | \Z ) )
  | (?P<string> (?P<prefix> (?: \b[rRuUbBfF]{1,2} )? )
        (?: (?P<triple> \"{3} | '{3} ) (?: \\. | . )*? (?: (?P=triple) | \Z )
          | (?P<quote> ["'] ) (?: \\. | [^\\\n] )*? (?: (?P=quote) | (?=\n) | \Z ) ) )
  | ^[ \t]* (?P<decorator> @[\w.]+ )
  | \b (?P<define> def | class ) (?P<space> [ \t]+ ) (?P<name> \w+ )
  | ^[ \t]* (?P<soft> match | case ) (?= [ ] [^=\n]+ [^\n]* : [ \t]* (?: \#[^\n]* )? $ )
  | (?P<word> \w+ )
""", re.VERBOSE | re.DOTALL | re.MULTILINE)
HOLE = re.compile(r"""
    \{\{ | \}\} | \{ (?P<code> [^{}]*? (?: \{[^{}]*\} [^{}]*? )* )
    (?: ![rsa] )? (?: : [^{}()\[\]"']* )? \}
""", re.VERBOSE)
CLASS_OF = {"comment": "c", "doc": "sd", "decorator": "nd", "soft": "k"}


def python_pieces(text):
    """Yield (class, piece) pairs; the pieces, joined, are the text.

    The classes are Pygments' short ones: k keyword, nf and nc the name that def and
    class define, nd decorator, s string, sd docstring, c comment, "" anything else.
    """
    end = 0
    for found in LEXEME.finditer(text):
        kind = found.lastgroup
        if kind == "word" and found["word"] not in KEYWORDS:
            continue
        start = found.start(kind if kind != "name" else "define")
        if start > end:
            yield "", text[end:start]
        yield from _parts(found, kind)
        end = found.end()
    if end < len(text):
        yield "", text[end:]


def _parts(found, kind):
    if kind == "name":
        yield "k", found["define"]
        yield "", found["space"]
        yield "nf" if found["define"] == "def" else "nc", found["name"]
    elif kind == "string" and "f" in found["prefix"].lower():
        yield from _f_string(found["string"])
    elif kind == "string":
        yield "s", found["string"]
    elif kind == "word":
        yield "k", found["word"]
    else:
        yield CLASS_OF[kind], found[kind]


def _f_string(text):
    """Yield the parts of an f-string: what stands in its braces is code again."""
    end = 0
    for hole in HOLE.finditer(text):
        if hole["code"]:
            yield "s", text[end:hole.start("code")]
            yield from python_pieces(hole["code"])
            end = hole.end("code")
    yield "s", text[end:]
