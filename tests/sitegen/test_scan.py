"""The scan cuts out what is not Markdown, and says where it cannot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.records import Citation, Directive, Fence, Formula, Value
from sitegen.scan import scan
from tests.fuzz.mutations import MARKUP, NASTY

ANY = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")), max_size=5)
TEXTS = st.lists(st.sampled_from([*NASTY, *MARKUP]) | ANY, max_size=25).map("".join)


def scanned(text, takes_code=()):
    found, problems = scan(text, "a.md", takes_code=lambda name: name in takes_code)
    assert problems == []
    return found


def complaints(text):
    return [f"{p.place.line}:{p.place.column}: {p.message}"
            for p in scan(text, "a.md")[1]]


# ------------------------------------------------------------------------ fenced code
@pytest.mark.parametrize(("text", "code"), [
    ("```py\nx\n```", "x\n"),
    ("~~~\n```\n~~~", "```\n"),
    ("````\n```\nx\n```\n````", "```\nx\n```\n"),
    ("```\na\n    ```\nb\n```", "a\n    ```\nb\n"),
    ("> ```\n> x\n>\n>   y\n> ```", "x\n\n  y\n"),
    ("- a\n\n  ```\n  x\n    y\n  ```", "x\n  y\n"),
    ("- ```\n  x\n  ```", "x\n"),
    ("> - ```\n>   x\n>   ```", "x\n"),
    ("```\n\\( x \\) [[value a:b]] [@c]\n/// figure\n```",
     "\\( x \\) [[value a:b]] [@c]\n/// figure\n"),
    ("```\n```", ""),
    ("```\n\n\n```", "\n\n"),
    ("```\nx\n``` \n", "x\n"),
    ("```\n\tx\n```", "\tx\n"),
])
def test_the_text_of_fenced_code_is_exact(text, code):
    found = scanned(text)
    assert [fence.text for fence in found.of(Fence)] == [code]
    assert len(found.constructs) == 1


@pytest.mark.parametrize(("info", "language"), [
    ("python", "python"), ("{.python}", "python"), (" py title=x", "py"), ("", "")])
def test_a_fence_s_first_word_is_its_language(info, language):
    assert scanned(f"```{info}\nx\n```").of(Fence)[0].language == language


@pytest.mark.parametrize("text", ["a ``` b", "```inline``` code", "`` ``` ``"])
def test_ticks_within_a_line_open_no_fence(text):
    assert scanned(text).of(Fence) == []


@pytest.mark.parametrize(("text", "expected"), [
    ("x\n\n```py\ny\n", "3:1: fenced code is not closed"),
    ("> ~~~\n> x\n\ny", "1:3: fenced code is not closed"),
    ("````\nx\n```", "1:1: fenced code is not closed"),
    ("```\nx\n~~~", "1:1: fenced code is not closed"),
])
def test_an_open_fence_is_named_where_it_opens(text, expected):
    assert complaints(text) == [expected]


# ---------------------------------------------------------------------------- formulas
@pytest.mark.parametrize(("text", "formulas"), [
    ("a \\(x\n+ y\\) b", [("x\n+ y", False)]),
    ("\\[\nx_1\n\\]", [("x_1", True)]),
    ("> \\[ z\n> + w \\]", [("z\n  + w", True)]),
    ("\\[ a\n> b \\]", [("a\n> b", True)]),
    ("[a \\(x\\)](b) ![c \\(y\\)](d)", [("x", False), ("y", False)]),
    ("*\\(x\\)* _\\(y\\)_", [("x", False), ("y", False)]),
    ("\\`\\(x\\)\\`", [("x", False)]),
    ("\\(a\\)\\(b\\)", [("a", False), ("b", False)]),
    ("\\(a \\\\ b\\)", [("a \\\\ b", False)]),
])
def test_formulas_are_cut_out_wherever_they_stand(text, formulas):
    assert [(f.tex, f.display) for f in scanned(text).of(Formula)] == formulas


@pytest.mark.parametrize("text", [
    "`\\( x \\)`", "`` ` \\( x \\) ``", "\\\\( x \\\\)", "<!-- \\( x \\) -->",
    "$x$ and $5", "text <!-- \\[ --> text", "<!--\n\n\\[ x\n\n```\n\n-->"])
def test_code_escapes_comments_and_dollars_are_no_formulas(text):
    assert scanned(text).of(Formula) == []


@pytest.mark.parametrize(("text", "expected"), [
    ("a \\( b", "1:3: formula '\\(' is not closed"),
    ("\\( a\n\nb \\)", "1:1: formula '\\(' is not closed"),
    ("x\n\\[ a", "2:1: formula '\\[' is not closed"),
    ("\\(\\)", "1:1: empty formula"), ("\\[ \n \\]", "1:1: empty formula"),
    ("\\[ a\n\nb \\]", "1:1: blank line inside a formula"),
    ("> \\[ a\n>\n> b \\]", "1:3: blank line inside a formula"),
    ("x \\[ a \\] {#e}", "1:3: a numbered formula stands on lines of its own"),
    ("\\[ a \\] {#e} x", "1:1: a numbered formula stands on lines of its own"),
    ("\\[ a \\] {#e step}", "1:1: a formula's label cannot be read"),
])
def test_a_formula_that_cannot_be_right_is_named(text, expected):
    assert complaints(text)[0] == expected


def test_a_formula_knows_its_label_step_and_place():
    formula = scanned("x\n\n\\[\n  a_1 \\] {#eq-a step=scores}").of(Formula)[0]
    assert (formula.id, formula.step) == ("eq-a", "scores")
    assert str(formula.place) == "a.md:3:1"
    assert str(formula.tex_place) == "a.md:4:3"


# ------------------------------------------------------------------ values, citations
@pytest.mark.parametrize(("text", "name", "form"), [
    ("[[value t:a.b]]", "t:a.b", ""),
    ("[[value t:w[0,0,2,1] .3f]]", "t:w[0,0,2,1]", ".3f"),
    ("[[ value run:x  + ]]", "run:x", "+"), ("| [[value t:a .2f]] |", "t:a", ".2f")])
def test_a_value_has_a_name_and_a_format(text, name, form):
    value = scanned(text).of(Value)[0]
    assert (value.name, value.format) == (name, form)


def test_several_keys_make_one_citation():
    assert scanned("[@a; @b-2] [@c](x)").of(Citation)[0].keys == ("a", "b-2")


@pytest.mark.parametrize(("text", "expected"), [
    ("[[value t:a", "1:1: a value that cannot be read"),
    ("x [[value t:a\n.3f]]", "1:3: a value that cannot be read"),
    ("[[value t:w[0]", "1:1: a value that cannot be read"),
    ("[@a, @b]", "1:1: a citation that cannot be read"),
    ("[@a p. 3]", "1:1: a citation that cannot be read"),
])
def test_half_a_construct_is_no_text(text, expected):
    assert complaints(text) == [expected]


def test_many_brackets_take_no_time():
    assert len(complaints("[[value " + "[[][" * 2000)) > 0


# -------------------------------------------------------------------------- directives
def test_a_directive_s_options_are_yaml():
    directive = scanned("/// figure | f\n    wide: true\n    layers: [0, 1]\n\nx\n///"
                        ).of(Directive)[0]
    assert (directive.name, directive.id) == ("figure", "f")
    assert directive.options == {"wide": True, "layers": [0, 1]}


def test_directives_nest_with_fewer_slashes_inside():
    found = scanned("//// figure\n\n/// side-note\nx\n///\n\n////")
    assert [d.name for d in found.of(Directive)] == ["figure", "side-note"]


def test_a_directive_that_takes_code_keeps_it():
    found = scanned("/// snippet\n```python\nx = 1\n```\ncap\n///", {"snippet"})
    assert [fence.text for fence in found.of(Directive)[0].fences] == ["x = 1\n"]
    assert found.of(Fence) == []


@pytest.mark.parametrize(("text", "expected"), [
    ("/// figure\nx", "1:1: directive 'figure' is not closed"),
    ("x\n\n///", "3:1: this closes no directive"),
    ("//// figure\nx\n///\n////", "3:1: this closes no directive"),
    ("/// figure : x", "1:1: a directive's line that cannot be read"),
    ("> /// figure\n> x\n> ///", "1:3: a directive's line that cannot be read"),
    ("/// figure\n\n/// side-note\nx\n///\n\n///",
     "3:1: directive 'figure' of line 1 is open here"),
    ("/// figure\n  wide: true\n///",
     "2:3: an option that is not indented by four spaces"),
    ("/// figure\n\twide: true\n///",
     "2:2: an option that is not indented by four spaces"),
    ("/// figure\n    wide: [1\n///", "2:13: options cannot be read: expected ',' or "
     "']', but got '<stream end>'"),
    ("/// figure\n    wide\n///", "2:5: options cannot be read: expected 'name: value' "
     "lines"),
    ("/// figure\n    a: 1\n    a: 2\n///",
     "3:5: options cannot be read: 'a' stands twice"),
])
def test_a_directive_that_cannot_be_right_is_named(text, expected):
    assert complaints(text)[0] == expected


def test_a_comment_hides_whatever_it_holds():
    found = scanned("<!--\n```\n/// figure\n\\( [[value a\n-->\n\nshown")
    assert found.constructs == [] and found.text == "\nshown"


def test_an_open_comment_is_named():
    assert complaints("x\n\n<!-- y\n\nz") == ["3:1: the comment is not closed"]


def test_several_problems_are_all_told():
    assert len(complaints("\\(\n\n```x`\n\n[[value\n\n/// figure\n\n```\n")) == 4


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(TEXTS)
def test_a_scan_loses_nothing_and_its_places_are_in_the_text(text):
    found, problems = scan(text, "a.md")
    lines = text.split("\n")
    assert len(found.sources) == len(found.constructs)
    for place in (*(c.place for c in found.of(object)), *(p.place for p in problems)):
        assert 1 <= place.line <= len(lines) + 1
        assert place.column is None or place.column <= len(lines[place.line - 1]) + 1
    if not found.constructs and not problems:
        kept = "".join(found.text.split())
        assert kept == "".join(text.split()) or "<!--" in text
