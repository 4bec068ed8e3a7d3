"""Colour source text: Pygments finds the tokens, this module writes the spans.

Its own formatter, because lexing and HtmlFormatter are most of a cold build: few
classes, neighbours of one class in one span, every span closed at its line's end; and
a lexer of its own for Python, python_lexemes.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from sitegen.fragments import kept
from sitegen.lazy import pygments_lexers
from sitegen.python_lexemes import python_pieces

# The token kinds that look different, as the tuples that Pygments' own are, with its
# short class names: code is set by weight and tone, so numbers, operators and names
# that are used need no span.
CLASSES = {
    ("Comment",): "c", ("Keyword",): "k", ("Operator", "Word"): "k",
    ("Literal", "String"): "s", ("Literal", "String", "Doc"): "sd",
    ("Name", "Function"): "nf", ("Name", "Class"): "nc", ("Name", "Decorator"): "nd",
    ("Generic", "Prompt"): "gp", ("Generic", "Output"): "go",
}
PLAIN = {"", "text", "txt", "plain", "none"}
PYTHON = {"python", "py", "python3", "py3"}
SPECIAL = re.compile("[&<>\u202a-\u202e\u2066-\u2069\u200e\u200f]")
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


@dataclass(frozen=True)
class Highlighted:
    """A listing's lines as HTML, without line ends; `known` says the lexer exists."""

    lines: tuple[Markup, ...]
    known: bool


def highlight(text, language=""):
    """Return the text as Highlighted lines; an unknown language leaves it plain.

    The lines' text content, joined by line ends, is the text without its last one.
    Characters that turn the direction of writing are wrapped, so that they show:
    code must not read otherwise than it runs (Boucher and Anderson 2021).
    """
    lines, is_known = coloured_lines(text.removesuffix("\n") + "\n", language.lower())
    return Highlighted(tuple(map(Markup, lines)), is_known)


@kept
def coloured_lines(text, language):
    """Return [the text's lines as HTML, whether the language is known]; plain data."""
    tokens = _tokens(text, language)
    return [_lines(_merged(tokens or [("", text)], text))[:-1], tokens is not None]


def mark_directions(text):
    """Return plain text as Markup, characters that turn its direction made visible."""
    return Markup(SPECIAL.sub(_special, text))


def _tokens(text, language):
    """Return (class, piece) pairs of a text, or None for an unknown language.

    Pygments' get_tokens() would trim the text and change its line ends.
    """
    if language in PLAIN:
        return [("", text)]
    if language in PYTHON:
        return python_pieces(text)
    lexer = _lexer(language)
    return lexer and ((_class_name(kind), piece) for _, kind, piece
                      in lexer.get_tokens_unprocessed(text))


@lru_cache(maxsize=64)
def _lexer(language):
    try:
        return pygments_lexers.get_lexer_by_name(language)
    except pygments_lexers.ClassNotFound:
        return None


def _merged(tokens, text):
    """Return the tokens with neighbours of one class in one.

    A lexer that loses a character gets no say: the text counts more than its colours.
    """
    pieces = []
    for name, piece in tokens:
        if pieces and pieces[-1][0] == name:
            pieces[-1][1].append(piece)
        else:
            pieces.append((name, [piece]))
    joined = [(name, "".join(parts)) for name, parts in pieces]
    return joined if "".join(part for _, part in joined) == text else [("", text)]


@lru_cache(maxsize=512)
def _class_name(kind):
    while kind is not None:
        if kind in CLASSES:
            return CLASSES[kind]
        kind = kind.parent
    return ""


def _lines(pieces):
    """Return the pieces' HTML in lines; a piece of several has a span in each."""
    parts = [_span(name, piece) if "\n" not in piece
             else "\n".join(_span(name, line) for line in piece.split("\n"))
             for name, piece in pieces]
    return "".join(parts).split("\n")


def _span(name, text):
    if SPECIAL.search(text):
        text = SPECIAL.sub(_special, text)
    return f'<span class="{name}">{text}</span>' if name and text else text


def _special(found):
    character = found.group()
    if character in ESCAPES:
        return ESCAPES[character]
    name = f"U+{ord(character):04X}"
    return f'<span class="bidi-mark" data-name="{name}">{character}</span>'
