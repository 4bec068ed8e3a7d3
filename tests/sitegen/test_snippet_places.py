"""Where a snippet went wrong: the line and column of the author's file, and a hint."""

import textwrap

import pytest

from sitegen.snippet_child import CHECK, check_shape, run_snippet
from tests.site_builder import FRONT_LINES


def failed(site, text, caret_at):
    """Return the one problem of a text; its caret must stand before `caret_at`."""
    site.article(text)
    (problem,) = site.failure()
    raw = text.split("\n")[problem.place.line - 1 - FRONT_LINES]
    assert problem.excerpt == raw
    assert raw[problem.place.column - 1:].startswith(caret_at), problem
    return problem


def fenced(code, prefix=""):
    """Return a snippet directive; each line of its fence begins with a prefix."""
    fence = textwrap.indent(f"```python\n{code}\n```", prefix, lambda line: True)
    return f"/// snippet | s\n{fence}\n\nCaption.\n///\n"


CODE = "import math\nif math:\n    x = math.sqrtt(2)"


@pytest.mark.parametrize("prefix", ["", "  ", "> ", ">", "> > ", "\t"],
                         ids=["none", "spaces", "quote", "tight", "quotes", "tab"])
def test_what_stands_before_the_code_counts_in_its_column(site, prefix):
    assert failed(site, fenced(CODE, prefix), "math.sqrtt").place.line == (
        FRONT_LINES + 5)


def test_a_fence_in_a_list_counts_its_indent(site):
    text = ("1. An item.\n\n    /// snippet | s\n    ```python\n    x = 1 / 0\n    ```"
            "\n\n    Caption.\n    ///\n")
    problem = failed(site, text, "1 / 0")
    assert str(problem.place) == f"content/articles/a/index.md:{FRONT_LINES + 5}:9"


@pytest.mark.parametrize(("code", "caret_at"), [
    ("é = '注意'; x = 1 / 0", "1 / 0"),
    ("if True:\n\ty = '注'; x = nothing", "nothing"),
    ("def f():\n    raise ValueError('x')\n\n\nf()", "raise"),
    ("x = [n\n     for n in (1, 2)\n     if n / 0]", "n / 0"),
    ("é = 1; return", "return"),
    ("é = 1; f(a b)", "a b"),
    ("é = '注'; import numpy as np; x = np.ones(2)  # [3]", "# [3]"),
    ("import json\njson.loads('{')", "json.loads"),
    ("with open('a.txt') as f:\n    pass", "open"),
    ("class A:\n    '注'; x = 1 / 0", "1 / 0"),
    ("x = (lambda: missing)()", "missing"),
    ("x = 1\n\n\n  y = 2", " y"),
])
def test_columns_count_characters(code, caret_at):
    found = run_snippet("s", code, {CHECK: check_shape})
    line = code.split("\n")[found["line"] - 1]
    assert line[found["column"] - 1:].startswith(caret_at), found


def test_a_script_beside_the_article_has_its_own_lines(site):
    site.add("articles/a/bad.py", "# 注意\n\nvalue = '注' + 1\n")
    site.article("/// snippet\n    file: bad.py\n\nx\n///\n")
    (problem,) = site.failure()
    assert str(problem) == (
        "content/articles/a/bad.py:3:9: TypeError: can only concatenate str (not "
        '"int") to str\n    | value = \'注\' + 1\n    |         ^')


@pytest.mark.parametrize(("code", "todo"), [
    ("lenght = 1\nx = lenghth", "did you mean 'lenght'?"),
    ("import math\nmath.sqr(2)", "did you mean 'sqrt'?"),
    ("import helpr", "a snippet imports what is installed, or can be downloaded here\n"
     "did you mean 'helper'?  known: bad, helper"),
    ("open('data.jsn')", "a snippet's working folder holds what can be downloaded here"
     "\ndid you mean 'data.json'?  known: bad, data.json, helper"),
    ("import helper\nhelper.half(1)", "raised in helper.py, line 2: return n / 0"),
    ("import bad", ""),
    ("e = ValueError('x')\ne.add_note('a note')\nraise e", "a note"),
    ("raise ValueError('x')", ""),
])
def test_what_may_have_been_meant_is_said(site, code, todo):
    site.add("articles/a/helper.py", "def half(n):\n    return n / 0\n")
    site.add("articles/a/bad.py", "x = (\n")
    site.add("articles/a/data.json", "1")
    site.article(fenced(code))
    (problem,) = site.failure()
    assert problem.todo == todo


@pytest.mark.parametrize(("code", "message"), [
    ("import bad_one", "SyntaxError: '(' was never closed (bad_one.py, line 1)"),
    ("class E(Exception):\n    def __str__(self):\n        raise E\nraise E", "E"),
    ("raise ValueError('two\\nlines')", "ValueError: two lines"),
    ("raise ValueError('x' * 10**6)", f"ValueError: {'x' * 488}…"),
    ("raise ExceptionGroup('many', [ValueError(1)])",
     "ExceptionGroup: many (1 sub-exception)"),
])
def test_an_exception_says_it_in_one_line(tmp_path, monkeypatch, code, message):
    (tmp_path / "bad_one.py").write_text("x = (\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert run_snippet("s", code, {})["message"] == message
