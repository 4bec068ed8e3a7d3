"""Snippets run where a reader would run them, and fail with their file and line."""

import os
import time

import pytest

from sitegen import children
from tests.site_builder import SETTINGS


def snippet(code, name="s"):
    """Return a snippet directive; its code begins on the third line."""
    return f"/// snippet | {name}\n```python\n{code}\n```\n\nCaption.\n///\n\n"


def printed(site, text):
    """Return what a text's last paragraph says, its values printed."""
    return site.tree(text).css("article > p")[-1].text().strip()


@pytest.mark.parametrize(("code", "expected"), [
    ("x = 1\ny = 1 / 0", "4:5: ZeroDivisionError: division by zero"),
    ("def f():\n    return g()\n\nf()", "4:12: NameError: name 'g' is not defined"),
    ("x = 1\nx = [1", "4:5: SyntaxError: '[' was never closed"),
    ("import sys\nsys.exit(3)", "4:1: SystemExit: 3"),
    ("raise KeyboardInterrupt", "3:1: KeyboardInterrupt"),
    ("assert 1 == 2, 'no'", "3:8: AssertionError: no"),
    ("input()", "3:1: EOFError: EOF when reading a line"),
    ("import numpy as np\nx = np.zeros((2, 3))  # [3, 2]",
     "4:23: the comment says shape [3,2], x has [2, 3]"),
    ("x = 3  # [1]", "3:8: the comment says shape [1], x has int"),
    ("print(1)  # [1]", "3:11: a shape comment stands where nothing is assigned: put "
     "it at the end of an assignment"),
    ("import os\nos._exit(0)", "3: this snippet ended its process with status 0"),
    ("import os\nos._exit(4)", "3: this snippet ended its process with status 4"),
    ("import os\nos.kill(os.getpid(), 9)",
     "3: this snippet ended its process with signal 9"),
])
def test_a_snippet_that_fails_is_named_with_its_line(site, code, expected):
    assert site.problems(snippet(code)) == [expected]


def test_the_second_of_two_snippets_is_named_when_it_fails(site):
    assert site.problems(snippet("x = 1") + snippet("import os\nos._exit(4)", "t")) == [
        "11: this snippet ended its process with status 4"]


def test_a_snippet_that_never_ends_is_stopped_and_named(site):
    site.add("site.toml", SETTINGS + "limits = {seconds = 2}\n")
    begun = time.monotonic()
    assert site.problems(snippet("x = 1") + snippet("while True:\n    pass", "t")) == [
        "11: the article's snippets did not end within 2 s"]
    assert time.monotonic() - begun < 60


def test_what_a_snippet_starts_ends_with_it(site):
    code = "import subprocess\np = subprocess.Popen(['sleep', '600'])\npid = p.pid"
    pid = int(printed(site, snippet(code) + "[[value run:pid]]"))
    for _ in range(50):
        if not is_running(pid):
            break
        time.sleep(0.1)
    assert not is_running(pid)


def is_running(pid):
    """Tell whether a process runs: one that ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_output_goes_nowhere_however_much_it_is(site):
    code = ("import atexit, os, sys\nprint('x' * 10**7)\nos.write(1, b'{}')\n"
            "sys.stderr.write('y')\natexit.register(print, 'late')\nx = 7")
    assert printed(site, snippet(code) + "[[value run:x]]\n") == "7"


def test_snippets_share_one_namespace_in_order(site):
    text = snippet("x = 1") + snippet("x += 1", "t") + "[[value run:x]]\n"
    assert printed(site, text) == "2"


def test_a_snippet_finds_what_a_reader_can_download(site):
    site.add("articles/a/helper.py", "NUMBER = 5\n")
    site.add("articles/a/data.json", "[1, 2]")
    code = ("import json\nimport helper\nfrom pathlib import Path\n"
            "x = helper.NUMBER + len(json.load(open('data.json')))\n"
            "names = sorted(p.name for p in Path().iterdir())")
    text = snippet(code) + "[[value run:x]] [[value run:names]]\n"
    assert printed(site, text) == "7 [data.json, helper.py]"


def test_a_hidden_snippet_runs_and_is_not_shown(site):
    text = "/// snippet\n    show: false\n```python\nsecret = 4\n```\n///\n\n"
    text += "[[value run:secret]]\n"
    assert "secret =" not in site.body(text) and printed(site, text) == "4"


@pytest.mark.parametrize("code", [
    "x = '# [1, 2]'", "# [1, 2]\nx = 1", "x = [1]  # a list, [1, 2]",
    "import numpy as np\nx = np.zeros((2, 3))  # [2, 3] float64",
    "import numpy as np\nx, y = np.zeros(2), np.ones(2)  # [2]",
    "import numpy as np\nx = np.float64(3)  # []",
    "import numpy as np\nx = (np.zeros((2,\n  3)))  # [2, 3]",
    "import numpy as np\nx = np.zeros(2)\nx[:] = 1  # [2]",
    "import numpy as np\nx = np.zeros(3)\nx += 1  # [3]"])
def test_shape_comments_that_hold_pass(site, code):
    assert site.page(snippet(code))


def test_only_plain_values_can_be_printed(site):
    code = ("class Odd:\n    def __getattr__(self, name):\n        raise ValueError\n"
            "odd, big, text, far = Odd(), 10**5000, 'x' * 5000, [1] * 5000\n"
            "none, nested, half, ok = None, [[1]], '\\ud83d', 1.5")
    problems = site.problems(snippet(code) + "".join(
        f"[[value run:{name}]]\n" for name in ("odd", "big", "text", "far", "none",
                                               "nested", "half", "ok")))
    assert [line.partition(": ")[2] for line in problems] == [
        f"the snippets leave no value '{name}'"
        for name in ("odd", "big", "text", "far", "none", "nested", "half")]


@pytest.mark.parametrize(("text", "expected"), [
    ("/// snippet\ncaption\n///", "1:1: a snippet holds one fenced code block, this "
     "one 0"),
    ("/// snippet\n```\na\n```\n\n```\nb\n```\n///", "1:1: a snippet holds one fenced "
     "code block, this one 2"),
    ("/// snippet\n    file: no.py\n\nx\n///", "2:11: no script 'no.py' beside the "
     "article"),
    ("/// snippet\n    file: ../../site.toml\n\nx\n///", "2:11: no script "
     "'../../site.toml' beside the article"),
    ("/// snippet\n    file: bad.py\n\nx\n///", "content/articles/a/bad.py:2:1: "
     "NameError: name 'nothing' is not defined"),
    ("/// snippet\n    file: latin.py\n\nx\n///", "content/articles/a/latin.py:1: not "
     "UTF-8 text"),
])
def test_a_snippet_without_code_that_runs_is_named(site, text, expected):
    site.add("articles/a/bad.py", "x = 1\nnothing\n")
    site.add("articles/a/latin.py", b"x = '\xe9'\n")
    assert site.problems(text) == [expected]


def test_programs_see_the_same_environment_in_every_build(monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    found = children.environment()
    assert (found["PYTHONHASHSEED"], found["PYTHONUTF8"]) == ("0", "1")
    assert found["PATH"] == os.environ["PATH"]
