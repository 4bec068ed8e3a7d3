"""What all directives share: names, options, ids, bodies, nesting."""

import pytest
from selectolax.lexbor import LexborHTMLParser


@pytest.mark.parametrize(("text", "expected"), [
    ("/// figur | f\nx\n///", "1:5: unknown directive 'figur'"),
    ("x\n\n/// Figure\nx\n///", "3:5: unknown directive 'Figure'"),
    ("/// figure\n    wid: true\n\nx\n///",
     "2:5: figure: wid: unknown key; did you mean 'wide'?"),
    ("/// figure\n    wide: 3\n\nx\n///", "2:11: figure: wide: 3: expected a boolean"),
    ("/// figure\n    wide: 'true'\n\nx\n///",
     '2:11: figure: wide: "true": expected a'),
    ("/// downloads\n///", "1:5: downloads: 'files' is missing"),
    ("/// downloads\n    files:\n        no.py: x\n///",
     "3:9: no file 'no.py' to download"),
    ("- a\n\n    /// figur\n    x\n    ///", "3:9: unknown directive 'figur'"),
])
def test_a_directive_that_cannot_be_drawn_is_named(site, text, expected):
    problems = site.problems(text)
    assert len(problems) == 1 and problems[0].startswith(expected)


def test_an_unknown_name_comes_with_the_nearest_and_all_others(site):
    site.article("/// figur\nx\n///\n")
    todo = site.failure()[0].todo
    assert todo.startswith("did you mean 'figure'?  known: attention-heatmap, ")


@pytest.mark.parametrize(("text", "selector"), [
    ("/// side-note\nx\n///", "aside > p"),
    ("/// side-note\n- a\n- b\n///", "aside > ul > li"),
    ("/// side-note\n```py\nx\n```\n///", "aside pre"),
    ("- a\n\n    /// side-note\n    x\n    ///\n\n- b", "li aside > p"),
    ("- a\n\n  /// side-note\n  x\n  ///\n\n- b", "li aside > p"),
    ("1. a\n\n   /// side-note\n   x\n   ///\n", "li aside > p"),
    ("//// figure | f\n\n/// side-note\nx\n///\n\n---\n\nC.\n////", "figure aside > p"),
    ("///// figure | f\n\n//// figure | g\n\n/// side-note\nx\n///\n\nC.\n////\n\nC.\n"
     "/////", "figure figure aside > p"),
    ("/// side-note\n///", "aside"),
    ("text\n/// side-note\nx\n///\ntext", "aside > p"),
])
def test_a_body_is_markdown_wherever_the_directive_stands(site, text, selector):
    assert LexborHTMLParser(site.body(text)).css_first(selector) is not None


def test_a_figure_s_caption_is_behind_the_rule_or_the_last_paragraph(site):
    html = site.body("/// figure | f\n| a |\n|---|\n| b |\n\nWhat to see.\n///\n\n"
                     "/// figure | g\nOne.\n\n---\n\nTwo.\n\nThree.\n///\n")
    tree = LexborHTMLParser(html)
    captions = [node.text() for node in tree.css("figcaption")]
    assert "What to see." in captions[0]
    assert "Two." in captions[1] and "Three." in captions[1]
    assert tree.css_first("#f .body table") and tree.css_first("#g .body p")


def test_directives_without_an_id_get_one_that_nobody_has(site):
    html = site.body("/// side-note\na\n///\n\n/// side-note | side-note-1\nb\n///\n\n"
                     "## Side note 2\n\n/// side-note\nc\n///\n")
    tree = LexborHTMLParser(html)
    ids = [node.attributes["id"] for node in tree.css("[id]")]
    assert len(ids) == len(set(ids)) == 4


def test_options_are_yaml_and_do_not_show(site):
    html = site.body("/// figure | f\n    wide: true\n    origin: 'Made: by hand'\n\n"
                     "x\n\nC.\n///\n")
    tree = LexborHTMLParser(html)
    assert "wide" in tree.css_first("figure").attributes["class"]
    assert tree.css_first(".origin").text() == "Made: by hand"
    assert "origin:" not in html
