"""An article becomes what a careful author expects, wherever its parts stand."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.site_builder import text_of

VALUES = "/// snippet\n    show: false\n```python\nx = 42\n```\n///\n\n"


def css(html, selector):
    return LexborHTMLParser(html).css(selector)


@pytest.mark.parametrize(("text", "place"), [
    ("## A \\(x\\)", "h2"), ("- \\(x\\)", "li"), ("> \\(x\\)", "blockquote"),
    ("| \\(x\\) |\n|---|\n| a |", "th"), ("| a |\n|---|\n| \\(x\\) |", "td"),
    ("a[^1]\n\n[^1]: \\(x\\)", ".footnote"), ("A\n:   \\(x\\)", "dd"),
    ("\\(x\\)\n:   b", "dt"), ("[\\(x\\)](#top)", "a[href='#top']"),
    ("*\\(x\\)*", "em"), ("**a \\(x\\) b**", "strong"), ("<b>\\(x\\)</b>", "b"),
    ("/// side-note\n\\(x\\)\n///", "aside"), ("> - \\(x\\)", "blockquote li"),
    ("Setext \\(x\\)\n---", "h2"), ("<div markdown>\n*\\(x\\)*\n</div>", "div em"),
    ("1. a\n\n   \\[ x \\]", "li .equation"), ("\\[ x \\]", ".equation"),
    ("text\n\\[ x \\]\ntext", ".equation"),
    ("> \\[ x\n> + y \\]", "blockquote .equation"),
])
def test_a_formula_is_drawn_where_it_stands(site, text, place):
    assert len(css(site.body(text), f"{place} math")) == 1


@pytest.mark.parametrize(("text", "place"), [
    ("[[value run:x .1f]]", "p"), ("## A [[value run:x .1f]]", "h2"),
    ("- [[value run:x .1f]]", "li"),
    ("| [[value run:x .1f]] |\n|---|\n| a |", "th"),
    ("**[[value run:x .1f]]**", "strong"),
    ("a[^1]\n\n[^1]: [[value run:x .1f]]", ".footnote"),
    ("> [[value run:x .1f]]", "blockquote"),
    ("[[[value run:x .1f]]](#top)", "a[href='#top']"),
])
def test_a_value_is_printed_where_it_stands(site, text, place):
    found = css(site.body(VALUES + text), f"{place} data")
    assert [node.text() for node in found] == ["42.0"]


def test_a_value_stands_in_full_beside_a_text_that_says_less(site):
    third = VALUES.replace("42", "1 / 3") + "[[value run:x]] is [[value run:x .2f]]\n"
    assert site.body(third).endswith(
        '<p>0.3333333333333333 is <data value="0.3333333333333333">0.33</data></p>')
    assert site.body(VALUES + "[[value run:x]]").endswith("<p>42</p>")


@pytest.mark.parametrize(("text", "code"), [
    ("`\\( x \\)`", "\\( x \\)"), ("``[[value a:b]] ` ``", "[[value a:b]] `"),
    ("`[@key]`", "[@key]"),
    ("    \\( x \\) [[value a:b]]", "\\( x \\) [[value a:b]]\n"),
    ("`{{ x }}`", "{{ x }}"), ("`<b>&amp;`", "<b>&amp;"), ("`a\\`", "a\\"),
    ("    ```\n    x\n    ```", "    ```\n    x\n    ```\n"),
])
def test_code_is_shown_as_typed(site, text, code):
    assert css(site.body(text), "code")[0].text() == code


@pytest.mark.parametrize("text", [
    "## Use {{ name }}", "**x**{{ y }} `c`{% z %}", "| b {{ c }} |\n|---|\n| x |",
    "para\n{{ x }}", "## The set {1, 2}", "[a](#top){{ d }}", "{% raw %} {# note #}",
    "- item {{ x }}", "$5 and $x$", "a \\ b and C:\\temp", "50 % & more <3"])
def test_text_that_looks_like_something_stays_text(site, text):
    plain = text.replace("`", "").replace("*", "").replace("[a](#top)", "a")
    for word in plain.replace("|", " ").replace("-", " ").replace("#", "").split():
        assert word in text_of(site.body(text))


def test_attributes_in_braces_still_work(site):
    html = site.body("## A {#own}\n\ntext\n{: .small }\n\n*b*{.c}\n")
    assert css(html, "#own h2") and css(html, "p.small") and css(html, "em.c")


def test_an_escaped_backslash_opens_no_formula(site):
    assert "\\( x \\)" in text_of(site.body("\\\\( x \\\\)"))


@pytest.mark.parametrize(("text", "levels"), [
    ("# A\n\n### C\n\n#### D", ["h1", "h3", "h4"]),
    ("> ## Q\n\n- ## L", ["h3", "h3"]),
    ("Setext\n===\n\nSub\n---", ["h1", "h2"]),
    ("/// side-note\n## In a note\n///", ["h3"]),
])
def test_headings_keep_their_level_but_boxes_open_no_section(site, text, levels):
    tree = LexborHTMLParser(site.body(text))
    assert [node.tag for node in tree.css("h1, h2, h3, h4, h5, h6")] == levels
    assert len(tree.css("section")) == levels.count("h2")


def test_the_contents_list_has_titles_without_ids_links_or_notes(site):
    site.add("references.bib", "@misc{k, title={T}, author={A}, year={2020}}\n")
    page = site.page("## A \\(x\\) [b](#top) [@k] c[^1]\n\n[^1]: n\n")
    entry = css(page, "page-contents li span")[0]
    assert entry.text().split() == ["A", "x", "b", "c"]
    assert css(entry.html, "math") and not css(entry.html, "a, sup, [id]")


def test_a_label_says_what_it_leads_to_before_and_behind_it(site):
    text = ("[](#eq-a) [](#f) [](#late)\n\n\\[ a \\] {#eq-a}\n\n/// figure | f\nx\n\n"
            "Caption.\n///\n\n## Late *title* {#late}\n\n[](#eq-a)\n")
    links = [a.text() for a in css(site.body(text), "p > a") if a.text()]
    assert links[:3] == ["equation 1", "figure 1", "Late title"]
    assert "equation 1" in links[3:]


def test_equations_and_figures_are_numbered_apart_in_order(site):
    html = site.body("\\[ a \\] {#e1}\n\n/// figure | f1\nx\n\nC.\n///\n\n"
                     "\\[ b \\]\n\n\\[ c \\] {#e2}\n\n/// figure | f2\nx\n\nC.\n///\n")
    assert [node.text() for node in css(html, ".equation .number")] == ["(1)", "(2)"]
    assert [node.text() for node in css(html, "figcaption .label")] == [
        "Figure 1.", "Figure 2."]


def test_comments_do_not_reach_the_page(site):
    html = site.page("a <!-- secret \\( --> b\n\n<!--\nsecret\n\n```\n-->\n\nc\n")
    assert "secret" not in html and "<!--" not in html


def test_a_construct_that_markdown_drops_is_a_problem(site):
    assert site.problems("[a]: https://example.org \"\\(x\\)\"\n\ntext\n") == [
        "1:27: Markdown does not read this as what it looks like"]


def test_an_unknown_language_is_named_at_its_fence(site):
    assert site.problems("x\n\n```pyhton\ny\n```\n") == [
        "3: unknown language 'pyhton'"]


@pytest.mark.parametrize(("text", "expected"), [
    ("\\( \\frac{a \\)", "1:11: formula: "), ("\\[\n a \\foo\n\\]", "2:4: formula: "),
    ("> \\[\n> a \\foo\n> \\]", "2:5: formula: "),
    ("| \\(\\foo\\) |\n|-|", "1:5: formula: "),
    ("\\(\\text{é日本} \\foo\\)", "1:14: formula: "),
])
def test_a_formula_that_does_not_parse_is_named_where_it_breaks(site, text, expected):
    assert site.problems(text)[0].startswith(expected)


def test_markup_characters_in_every_kind_of_text_stay_text(site):
    site.add("articles/a/b&'.txt", "")
    site.add("references.bib", "@misc{k, title={<i>T</i> & \"x\"}, author={<b>A</b>}, "
             "year={2020}}\n")
    html = site.page("/// snippet\n    show: false\n```python\nx = '</script><b>&\"'\n"
                     "```\n///\n\n## A `<u>` & b\n\n[[value run:x]] [@k]\n\n```\n</pre>"
                     "</code><script>\n```\n")
    tree = LexborHTMLParser(html)
    assert tree.css_first("section > p").text().startswith('</script><b>&" [')
    assert "<i>T</i>" in tree.css_first(".references").text()
    assert not tree.css("article b, article i, article u, article script")
    assert tree.css_first("article pre").text() == "</pre></code><script>\n"


@pytest.mark.parametrize("escape", ["\\0", "\\x1b", "\\ud800", "\\x7f"])
def test_a_character_that_is_no_text_never_reaches_a_page(site, escape):
    site.article("Text.\n", f'---\ntitle: "a{escape}b"\n---\n')
    found = {str(problem.place): problem.message for problem in site.failure()}
    assert found["content/articles/a/index.md"].startswith(
        "the page would hold a character that is no text")


def test_a_section_after_a_table_is_a_section(site):
    tree = site.tree("## A {#a}\n\n| x |\n|---|\n| 1 |\n\n## B {#b}\n\nText.\n")
    assert [node.attributes["id"] for node in tree.css("article > section")] == [
        "a", "b"]
    assert [link.attributes["href"] for link in tree.css(".contents a")] == ["#a", "#b"]
