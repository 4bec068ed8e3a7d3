"""Listings keep their text to the character, and hide nothing."""

import html
import re
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name

from sitegen.highlight import highlight, mark_directions

MODEL = Path(__file__).parents[2] / "model" / "tiny_llama.py"
TAG = re.compile(r"<(/?)span(?: class=\"[\w -]+\")?(?: data-name=\"U\+[0-9A-F]{4}\")?>")

SAMPLES = {
    "python": 'def f(x):\n    """One <line>,\n\n    & three."""\n    return x  # [1]\n',
    "pycon": ">>> 1 +\\\n... 2\n3\n>>> f('''a\n... b''')\nTraceback (most recent)\n",
    "console": "$ python -m pip install numpy  # all\nok\n",
    "json": '{"a": [1, -2.5e3, null, "\\u202e"]}\n',
    "toml": 'a = """\nx\n"""\n[b]\n',
    "yaml": "a:\n  - b: |\n      c\n\n      d\n",
    "html": "<!-- a\nb --><p class='x'>&amp;</p>\n<script>\nlet a = 1;\n</script>\n",
    "js": "/* a\n b */ const t = `x\n${1}\ny`;\n",
    "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
    "bash": "cat <<'END'\na\nEND\n",
    "": "plain <text> & more\n",
    "no-such-language": "for <x> in y:\n",
}


def text_of(lines):
    return html.unescape(TAG.sub("", "\n".join(lines)))


@pytest.mark.parametrize("language", SAMPLES)
@pytest.mark.parametrize("tail", [
    "", "\n", "\n\n  \n", "  trailing  \n", "'''open\n\nend"])
def test_the_text_is_kept_to_the_character(language, tail):
    text = "\n\n" + SAMPLES[language] + tail
    lines = highlight(text, language).lines
    assert text_of(lines) == text.removesuffix("\n")


@pytest.mark.parametrize("language", SAMPLES)
def test_every_line_closes_what_it_opens_and_holds_no_other_tag(language):
    for line in highlight(SAMPLES[language], language).lines:
        assert "\n" not in line
        assert line.count("<span") == line.count("</span>")
        assert "<" not in TAG.sub("", line)


def test_the_model_is_kept_to_the_character():
    text = MODEL.read_text(encoding="utf-8")
    listing = highlight(text, "python")
    assert text_of(listing.lines) + "\n" == text
    assert len(listing.lines) == text.count("\n")


def test_a_docstring_of_three_lines_has_a_span_in_each():
    lines = highlight('"""a\nb\n\nc"""', "python").lines
    assert lines == ('<span class="sd">"""a</span>', '<span class="sd">b</span>', "",
                     '<span class="sd">c"""</span>')


def test_neighbours_of_one_kind_share_a_span():
    assert highlight("f(r'a', 'b')", "python").lines == (
        "f(<span class=\"s\">r'a'</span>, <span class=\"s\">'b'</span>)",)


def test_names_that_are_defined_stand_out():
    [line, _] = highlight("def softmax(x):\n    pass", "python").lines
    assert line == ('<span class="k">def</span> <span class="nf">softmax</span>(x):')


def test_an_unknown_language_is_plain_and_said_to_be_unknown():
    assert highlight("a < b", "pyhton") == highlight("a < b", "pyhton")
    assert not highlight("a < b", "pyhton").known
    assert highlight("a < b", "pyhton").lines == ("a &lt; b",)
    assert highlight("a", "python").known and highlight("a", "text").known


@pytest.mark.parametrize("character", [
    "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068",
    "\u2069", "\u200e", "\u200f"])
def test_characters_that_turn_the_direction_are_shown(character):
    mark = (f'<span class="bidi-mark" data-name="U+{ord(character):04X}">'
            f"{character}</span>")
    for text in (f'a = "x{character}y"', f"# x{character}y", f"x{character}y"):
        [line] = highlight(text, "python").lines
        assert line.count(mark) == 1 == line.count(character)
    assert mark_directions(f"<{character}") == f"&lt;{mark}"


def test_arabic_and_hebrew_words_are_left_alone():
    assert highlight('a = "שלום مرحبا"', "python").lines == (
        'a = <span class="s">"שלום مرحبا"</span>',)


def test_lexers_are_those_of_pygments():
    """The samples are worth something only if these lexers exist."""
    known = [name for name in SAMPLES if name and highlight("", name).known]
    assert known == [name for name in SAMPLES if name and name != "no-such-language"]
    assert all(get_lexer_by_name(name) for name in known)
