"""Guarded inline patterns find what unguarded ones find, and only skip the rest."""

import markdown
import pytest

from sitegen.inline_patterns import CHARACTERS, GuardedPatterns

TEXTS = [
    "plain words", "a `code` b", r"an \* escape", "[link](x.html) and ![alt](x.png)",
    "[ref][r] ![pic][r] [r] ![r]\n\n[r]: y.html", "<https://example.org> <a@b.org>",
    "line  \nbreak", "<b>raw</b> &amp; &copy;", "*a* **b** ***c*** _d_ __e__ f_g_h",
    "*a*", "_a_ and b_c_d", "__a__", "***a***",
    "note[^1]\n\n[^1]: text", "`*` and *`*`* and [*a*](b) and *[a](b)*",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_guard_changes_no_text(text):
    plain = markdown.Markdown(extensions=["footnotes"])
    guarded = markdown.Markdown(extensions=["footnotes", GuardedPatterns()])
    assert guarded.convert(text) == plain.convert(text)


def guards_of(md):
    """Return name of a pattern → the character that it is guarded with."""
    names = [item.name for item in md.inlinePatterns._priority]
    guarded = md.treeprocessors["inline"].guarded
    return {name: character for name, (_, _, character)
            in zip(names, guarded, strict=True)}


def test_every_pattern_of_markdown_that_can_be_guarded_is():
    md = markdown.Markdown(extensions=["footnotes", GuardedPatterns()])
    # em_strong has two characters
    assert guards_of(md) == {**CHARACTERS, "em_strong": ""}


def test_a_guard_of_the_wrong_character_would_be_seen(monkeypatch):
    monkeypatch.setitem(CHARACTERS, "backtick", "~")
    md = markdown.Markdown(extensions=[GuardedPatterns()])
    assert md.convert("`a`") != markdown.markdown("`a`")
