"""White space goes from scripts, and what they say stays."""

import subprocess
from pathlib import Path

import pytest

from sitegen.compact_script import compact_script
from sitegen.javascript import scan_javascript
from tests.sitegen.test_linker import NODE

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "static/js").rglob("*.js"))


def compact(text):
    tokens, faults = scan_javascript(text)
    assert faults == []
    return compact_script(tokens)


def words_of(text):
    """Return the tokens that mean something."""
    return [token.text for token in scan_javascript(text)[0]
            if token.kind not in ("space", "comment")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_token_of_a_source_is_lost_or_made(path):
    text = path.read_text("utf-8")
    assert words_of(compact(text)) == words_of(text)
    assert len(compact(text)) < len(text)


@pytest.mark.parametrize(("text", "short"), [
    ("const a = 1;\n  const b = 2;\n", "const a=1;const b=2;"),
    ("let x = a + +b - -c;", "let x=a+ +b- -c;"),
    ("x = a++ + ++b;", "x=a++ + ++b;"), ("x = a / /b/.y;", "x=a/ /b/.y;"),
    ("return [\n  1,\n];", "return[1,];"), ("if (a < !--b) c;", "if(a< !--b)c;"),
    ("while (n-- > 0) m;", "while(n-- >0)m;"), ("1 .toFixed()", "1 .toFixed()"),
    ("for (const a of b) c;", "for(const a of b)c;"),
    ("a // why\nb", "a\nb"), ("a /* why */ in b", "a in b"),
    ("f()\n(g)", "f()\n(g)"), ("return\na", "return\na"), ("a\n++b", "a\n++b"),
    ("a\n  .b()\n  .c", "a.b().c"), ("x = {\n  a,\n}\ny", "x={a,}\ny"),
    ("`a  ${ b  +  1 }  c`\nd", "`a  ${b+1}  c`\nd"), ('"a  b"  ;', '"a  b";'),
    ("/a  b/g .test(c)", "/a  b/g.test(c)"), ("/a/ in b", "/a/ in b"),
    ("/*! MIT */\na", "/*! MIT */\na"), ("class A {\n  #b = 1;\n}", "class A{#b=1;}"),
])
def test_what_is_spare_goes(text, short):
    assert compact(text) == short


@pytest.mark.parametrize("text", [
    "let a = 1\nlet b = a\n++b\nconsole.log(a, b)",
    "const f = () => {\n  return\n  1\n}\nconsole.log(f())",
    "let a = 6, g = 2\nconst b = a\n/ 3 / g\nconsole.log(b)",
    "const a = [1, 2]\nconst [b] = a\n;[3].forEach((c) => console.log(b, c))",
    "let i = 2; do i--\nwhile (i > 0)\nconsole.log(i - -1, - -i, +i + +1)",
])
def test_lines_without_semicolons_end_where_they_did(text):
    def run(script):
        return subprocess.run([NODE, "-e", script], capture_output=True, text=True,
                              check=True).stdout
    assert run(compact(text)) == run(text)
