"""Steps are found by their marks: moved lines move with them."""

from pathlib import Path

import pytest

from sitegen.source import parse_steps

MODEL = Path(__file__).parents[2] / "model" / "tiny_llama.py"

TEXT = '''\
def f(x):
    """# step: no — a mark in a docstring is none"""
    before = 1
    # step: first — one, and two
    y = x

    z = f"# step: no — a string {y}"
    # step: second-part — up to the end of the function
    if z:
        y = 3   # an inner line
    # a comment that is no mark
    return y


# step: outer — outside of every function
A = (
    1)

class C:
    # step: inner — in a class
    B = 2

'''


def ranges(text):
    steps, problems = parse_steps(text, "f.py")
    assert problems == []
    return {step.name: (step.first, step.last) for step in steps.values()}


def test_a_step_runs_to_the_next_mark_or_to_a_line_that_is_indented_less():
    assert ranges(TEXT) == {"first": (4, 7), "second-part": (8, 12),
                            "outer": (15, 19), "inner": (20, 21)}


def test_moved_lines_move_with_their_mark():
    moved = ranges("import x\n\n\n" + TEXT)
    assert moved == {name: (first + 3, last + 3)
                     for name, (first, last) in ranges(TEXT).items()}


def test_a_mark_in_a_string_opens_no_step():
    assert ranges('a = "\\"# step: a — b"\nb = \'\'\'\n# step: c — d\n\'\'\'\n') == {}


def test_a_quote_in_a_comment_hides_no_mark():
    assert ranges("# it's here\n# step: a — it's there\nb = 1\n") == {"a": (2, 3)}


@pytest.mark.parametrize("line", [
    "# step: scores",
    "# step: scores -- compare",
    "# step: Scores — compare",
    "# step scores — compare",
    "#step: scores — compare",
    "# step: scores —",
    "# step: — compare",
    "a = 1  # step: scores — compare",
])
def test_a_mark_that_cannot_be_read_is_a_problem_at_its_place(line):
    steps, problems = parse_steps(f"x = 1\n  {line}\ny = 2\n", "f.py")
    assert steps == {}
    assert [p.message for p in problems] == ["a step mark that cannot be read"]
    place = problems[0].place
    assert (place.path, place.line, place.column) == ("f.py", 2, 3 + line.index("#"))
    assert problems[0].excerpt == f"  {line}" and "# step: name — " in problems[0].todo


def test_a_name_marked_twice_is_a_problem_that_names_both_lines():
    text = "# step: a — one\nx = 1\n# step: a — two\ny = 2\n"
    steps, problems = parse_steps(text, "f.py")
    assert (steps["a"].role, steps["a"].last) == ("one", 2)
    assert str(problems[0]).startswith(
        "f.py:3:1: step 'a' is marked twice, first on line 1")


def test_other_comments_about_steps_are_no_marks():
    assert ranges("# steps: none\n# a step: no\n# the next\nx = 1\n") == {}


def test_every_step_of_the_model_is_found_and_none_overlaps():
    text = MODEL.read_text(encoding="utf-8")
    steps, problems = parse_steps(text, MODEL.name)
    assert problems == []
    assert len(steps) == text.count("    # step: ") >= 20
    lines = text.splitlines()
    covered = [n for step in steps.values() for n in range(step.first, step.last + 1)]
    assert len(covered) == len(set(covered))
    for step in steps.values():
        assert step.name in lines[step.first - 1] and lines[step.last - 1].strip()
        assert step.last > step.first
