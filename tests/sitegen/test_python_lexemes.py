"""The fast lexer sees Python as Pygments does."""

import sysconfig
from itertools import chain
from pathlib import Path

import pytest
from pygments.lexers.python import PythonLexer
from pygments.token import Name, String

from sitegen.highlight import CLASSES
from sitegen.python_lexemes import python_pieces

ROOT = Path(__file__).parents[2]
LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = [*sorted(ROOT.glob("sitegen/**/*.py")), *sorted(ROOT.glob("model/*.py")),
         *sorted(ROOT.glob("tests/**/*.py")), *sorted(LIBRARY.glob("[a-d]*.py"))]


def by_character(pieces):
    return list(chain.from_iterable([name] * len(piece) for name, piece in pieces))


def pygments_class(kind, piece):
    """Return the class of a token of Pygments, None where we differ on purpose.

    A string's prefix belongs to it, __init__ is a name like others where it is only
    used, and so is the _ of a case.
    """
    if kind in String.Affix or kind in Name.Function.Magic or piece == "_":
        return None
    return next((CLASSES[k] for k in reversed(kind.split()) if k in CLASSES), "")


def differences(text):
    """Yield (line, ours, Pygments') for each visible character where they differ."""
    ours = by_character(python_pieces(text))
    theirs = by_character((pygments_class(kind, piece), piece) for _, kind, piece
                          in PythonLexer().get_tokens_unprocessed(text))
    for at, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        on_purpose = other is None or (mine == "nd" and other == "")
        if mine != other and not on_purpose and not text[at].isspace():
            yield text.count("\n", 0, at) + 1, mine, other


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_python_is_seen_as_pygments_sees_it(path):
    text = path.read_text(encoding="utf-8")
    assert "".join(piece for _, piece in python_pieces(text)) == text
    assert list(differences(text)) == []


def test_the_comparison_notices_a_word_that_is_missed(monkeypatch):
    monkeypatch.setattr("sitegen.python_lexemes.KEYWORDS", frozenset({"def"}))
    assert list(differences("def f():\n    return 1\n")) == [(2, "", "k")] * 6


@pytest.mark.parametrize("text, pieces", [
    ("a = 'open\nb = 1", [("", "a = "), ("s", "'open"), ("", "\nb = 1")]),
    ('a = """open\nif', [("", "a = "), ("s", '"""open\nif')]),
    ("classes.index(definition)", [("", "classes.index(definition)")]),
    ("x.match = case", [("", "x.match = case")]),
    ("a @ b\n@c\ndef d", [("", "a @ b\n"), ("nd", "@c"), ("", "\n"), ("k", "def"),
                          ("", " "), ("nf", "d")]),
    ("rb'a' br\"b\" if'c'", [("s", "rb'a'"), ("", " "), ("s", 'br"b"'), ("", " "),
                             ("k", "if"), ("s", "'c'")]),
    ("f'{{a}} {b!r:>{w}} {c[\"d\"]}'", [
        ("s", "f'{{a}} {"), ("", "b!r:>{w}"), ("s", "} {"), ("", "c["), ("s", '"d"'),
        ("", "]"), ("s", "}'")]),
    ("f'{x:02d} {y!r}'", [("s", "f'{"), ("", "x"), ("s", ":02d} {"), ("", "y"),
                          ("s", "!r}'")]),
    ("", []),
])
def test_small_texts_are_cut_as_expected(text, pieces):
    assert list(python_pieces(text)) == pieces
