"""Budgets of length: a function of 60 lines, a file of 300, a line of 88 columns.

Ruff holds the columns of Python; here they are counted where it does not look.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FUNCTION_LINES = 60
PYTHON_LINES = 300
SCRIPT_LINES = 250
COLUMNS = 88
# The model is read from top to bottom, on a page that shows 80 columns.
MODEL = ROOT / "model" / "tiny_llama.py"
MODEL_LINES, MODEL_COLUMNS = 735, 80
# The probe is downloaded as one file, so its parts cannot be files of their own.
PROBE = ROOT / "probe" / "probe_pretrained.py"
PROBE_LINES = 1430

PYTHON = [
    ROOT / "build.py",
    *(
        path
        for folder in ("sitegen", "model", "probe", "bench", "tests")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ),
]
SCRIPTS = [
    path
    for folder in ("static/js", "tests/js")
    for path in sorted((ROOT / folder).rglob("*.js"))
]


def long_functions(text):
    """Yield a sentence for each function over the budget."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"line {node.lineno}: {node.name} has {lines} lines"


def long_lines(text, columns):
    """Yield a sentence for each line over `columns` that could be broken at a space."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > columns and " " in line.strip():
            yield f"line {number} has {len(line)} columns"


def length_problems(path, text):
    """Yield a sentence for each budget that a file breaks."""
    most = {MODEL: MODEL_LINES, PROBE: PROBE_LINES}.get(
        path, SCRIPT_LINES if path.suffix == ".js" else PYTHON_LINES
    )
    count = len(text.splitlines())
    if count > most:
        yield f"{count} lines, at most {most}"
    if path == MODEL:
        yield from long_lines(text, MODEL_COLUMNS)
    if path.suffix == ".js":
        yield from long_lines(text, COLUMNS)
    else:
        yield from long_functions(text)


@pytest.mark.parametrize(
    "path", [*PYTHON, *SCRIPTS], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_files_functions_and_lines_keep_to_their_budget(path):
    assert list(length_problems(path, path.read_text("utf-8"))) == []


SPOILED = {
    "a function": ("x.py", "def f():\n" + "    pass\n" * FUNCTION_LINES),
    "a file": ("x.py", "pass\n" * (PYTHON_LINES + 1)),
    "a script": ("x.js", ";\n" * (SCRIPT_LINES + 1)),
    "a line": ("x.js", "; " * COLUMNS),
    "a line of the model": ("model/tiny_llama.py", "# " * MODEL_COLUMNS),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_budgets_notice(what):
    name, text = SPOILED[what]
    assert len(list(length_problems(ROOT / name, text))) == 1
