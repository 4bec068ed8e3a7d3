"""The source reader and the lines in the text show the file that is published."""

import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.directives.source_reader import read_lines, split_lines
from sitegen.source import Step, parse_steps

MODEL = Path(__file__).parents[2] / "model" / "tiny_llama.py"
SETTINGS = ('title = "Site"\ndescription = "About it."\narticles = ["a"]\n'
            'publish = ["program.py"]\n')
READER = "/// source-reader\n    file: program.py\n\nThe whole file.\n///\n"
PROGRAM = '''\
"""A <program>,

with a docstring."""

def scores(q, k):
    # step: scores — compare each query & key
    made = q @ k

    # step: weights — softmax
    return made


def other():
    # step: other-one — nothing
    pass
'''


@pytest.fixture
def program(site):
    """A content folder whose article may read program.py."""
    site.add("site.toml", SETTINGS)
    (site.folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    return site


def listing_of(tree):
    return tree.css_first("source-reader pre.listing")


def test_the_listing_is_the_file_to_the_character(program):
    assert listing_of(program.tree(READER)).text() == PROGRAM


@pytest.mark.parametrize("text", [
    "a = 1", "a = 1\n", "\n\na = 1\n\n\n", "<b>\n&amp;\n", ""])
def test_lines_keep_the_line_ends_that_the_file_has(text):
    html = "".join(read_lines("program.py", text))
    parsed = LexborHTMLParser(f"<pre>\n{html}</pre>").css_first("pre").text()
    assert parsed == text


def test_every_line_has_its_number_as_id_and_every_step_its_lines(program):
    tree = program.tree(READER)
    lines = tree.css("source-reader .line")
    assert [line.id for line in lines] == [f"L{n}" for n in range(1, 16)]
    step = tree.css_first("#step-scores")
    assert [line.id for line in step.css(".line")] == ["L6", "L7"]
    assert step.text() == ("    # step: scores — compare each query & key\n"
                           "    made = q @ k\n")


def test_the_list_names_operations_in_order_with_role_and_lines(program):
    entries = program.tree(READER).css(".operations li")
    texts = [re.sub(r"\s+", " ", entry.text()).strip() for entry in entries]
    assert texts == ["scores lines 6–7 compare each query & key",
                     "weights lines 9–10 softmax", "other-one lines 14–15 nothing"]
    assert [entry.css_first("a").attributes["href"] for entry in entries] == [
        "#step-scores", "#step-weights", "#step-other-one"]


def test_the_reader_leads_back_to_every_place_that_leads_to_a_step(program):
    tree = program.tree(
        "## First\n\nSee [the scores](step:scores), [again](step:scores).\n\n"
        + READER +
        "\n## Second\n\n\\[ a = b \\] {#eq-a step=scores}\n\n"
        "/// source-lines | lines-a\n    step: scores\n\nIts lines.\n///\n")
    entry = tree.css_first(".operations li[data-step=scores]")
    links = [(a.text(), a.attributes["href"]) for a in entry.css(".mentions a")]
    assert links == [("section 1", "#at-scores-1"), ("equation 1", "#eq-a"),
                     ("listing 1", "#lines-a")]
    assert all(tree.css_first(href) for _, href in links)
    assert tree.css_first("#at-scores-1").attributes["href"] == "#step-scores"
    assert not tree.css(".operations li[data-step=weights] .mentions")


def test_the_file_stands_beside_the_page(program):
    program.article(READER)
    files = program.build()
    assert files["a/program.py"] == PROGRAM


def test_source_lines_show_one_step_under_its_own_numbers(program):
    tree = program.tree("/// source-lines | few\n    step: weights\n\nTwo.\n///\n\n"
                        + READER)
    lines = tree.css("#few .line")
    assert "".join(line.text() for line in lines) == (
        "    # step: weights — softmax\n    return made\n")
    assert [line.id for line in lines] == ["few-L9", "few-L10"]
    assert tree.css_first("#few .origin a").attributes["href"] == "#step-weights"


def test_source_lines_may_be_of_a_file_that_another_page_reads(program):
    program.add("site.toml", SETTINGS.replace('["a"]', '["a", "b"]'))
    program.article(READER, slug="b")
    program.article("/// source-lines | few\n    step: weights\n    file: program.py\n"
                    "    reader: ../b/index.html\n\nTwo.\n///\n")
    page = LexborHTMLParser(program.build()["a/index.html"])
    assert [line.id for line in page.css("#few .line")] == ["few-L9", "few-L10"]
    assert page.css_first("#few .origin a").attributes["href"] == (
        "../b/index.html#step-weights")


@pytest.mark.parametrize("text, message", [
    ("/// source-lines | few\n    step: scores\n    file: program.py\n///\n",
     "no anchor '#step-scores'"),
    ("/// source-lines\n    step: score\n    file: program.py\n///\n",
     "2:11: no step 'score' in program.py"),
    ("/// source-lines\n    step: scores\n    file: progam.py\n///\n",
     "3:11: the article has no source to take lines from"),
    ("/// source-reader\n    file: progam.py\n///\n",
     "2:11: no file 'progam.py' to read"),
    ("/// source-reader\n    file: program.py\n    trace: demo\n///\n",
     "3:12: no trace 'demo'"),
    (READER + "\n" + READER, "1:1: more than one source reader"),
    ("/// source-lines\n    step: scores\n///\n",
     "1:1: the article has no source to take lines from"),
    (READER + "\n/// source-lines\n    step: score\n///\n",
     "8:11: no step 'score' in program.py"),
    (READER + "\nSee [it](step:score).\n", "7:10: no step 'score' in the source"),
])
def test_what_cannot_be_shown_is_a_problem_at_its_place(program, text, message):
    assert any(message in found for found in program.problems(text))


def test_a_bad_mark_in_the_file_fails_the_build_at_its_line(program):
    (program.folder / "program.py").write_text("# step: a — b\nc = 1\n# step: a\n",
                                               encoding="utf-8")
    [problem] = program.problems(READER)
    assert problem == "program.py:3:1: a step mark that cannot be read"


def test_parts_hold_every_line_once_with_no_empty_part():
    lines = [f"{n}" for n in range(1, 8)]
    steps = [Step("a", "", 1, 2), Step("b", "", 3, 4), Step("c", "", 6, 6)]
    parts = [(part["step"].name if part["step"] else None, part["first"], part["lines"])
             for part in split_lines(lines, steps)]
    assert parts == [("a", 1, ["1", "2"]), ("b", 3, ["3", "4"]), (None, 5, ["5"]),
                     ("c", 6, ["6"]), (None, 7, ["7"])]


def test_the_model_s_listing_stays_within_its_budget(program):
    text = MODEL.read_text(encoding="utf-8")
    (program.folder / "program.py").write_text(text, encoding="utf-8")
    html = program.page(READER)
    start = html.index("<source-reader")
    size = len(html[start:html.index("</source-reader>")].encode())
    assert size <= 130_000
    tree = LexborHTMLParser(html)
    assert listing_of(tree).text() == text
    assert len(tree.css(".operations li")) == len(parse_steps(text, "program.py")[0])
