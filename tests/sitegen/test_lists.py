"""Lists are indented for Python-Markdown, whatever width their author chose."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.lists import indent_lists


def indented(text):
    return "\n".join(indent_lists(text.split("\n")))


@pytest.mark.parametrize(("text", "expected"), [
    ("- a\n  - b\n    - c", "- a\n    - b\n        - c"),
    ("1. a\n\n   text", "1. a\n\n    text"),
    ("- a\n    - b\n        - c", "- a\n    - b\n        - c"),
    ("> - a\n>   - b", "> - a\n>     - b"),
    ("Text:\n- a", "Text:\n\n- a"),
    ("Text\n1. a", "Text\n\n1. a"),
    ("- a\n\n  text\n- b", "- a\n\n    text\n\n- b"),
    ("1. a\n   - b\n2. c", "1. a\n    - b\n2. c"),
    ("- a\n\n      code\n        more", "- a\n\n        code\n          more"),
], ids=["nested by two", "ordered by three", "nested by four", "in a quote",
        "under a text", "ordered under a text", "after a paragraph", "up a level",
        "code in an item"])
def test_what_belongs_to_an_item_is_indented_by_four_spaces(text, expected):
    assert indented(text) == expected


@pytest.mark.parametrize("text", [
    "born in\n1986. A year", "lazy - dash\nand - more", "* * *\n\n- - -",
    "<pre>\n- x\n- y\n</pre>", "text\n    - no item", "text\n\n    - code\n    - code",
    "- a\nlazy", "Term\n:   text\n\n    - item"])
def test_what_is_no_list_stays_as_it_is(text):
    assert indented(text) == text


def test_a_fence_within_an_item_keeps_the_list_whole(site):
    html = site.body("1. one\n\n   ```python\n   x = 1\n     y\n   ```\n2. two\n")
    tree = LexborHTMLParser(html)
    assert len(tree.css("ol")) == 1 and len(tree.css("ol > li")) == 2
    assert tree.css_first("li pre").text() == "x = 1\n  y\n"


@pytest.mark.parametrize("indent", ["  ", "   ", "    ", "\t"])
def test_any_usual_indent_puts_a_fence_into_its_item(site, indent):
    lines = ["- one", "", "```", "a", " b", "```", "- two"]
    text = "\n".join(indent + line if 2 <= n <= 5 else line
                     for n, line in enumerate(lines))
    tree = LexborHTMLParser(site.body(text))
    assert [len(item.css("pre")) for item in tree.css("ul > li")] == [1, 0]
    assert tree.css_first("pre").text() == "a\n b\n"


def test_a_list_begins_with_the_number_that_was_typed(site):
    assert '<ol start="3">' in site.body("3. c\n4. d\n")
