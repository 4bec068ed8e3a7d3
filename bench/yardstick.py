"""The bare loop that builds are held against: Markdown, Pygments, latex2mathml, a file.

    python bench/yardstick.py OUTPUT index.md …

It reads the same texts as the generator and does what a short script would: formulas to
MathML, code to classes, tables, footnotes and a table of contents, one page a text.  It
checks nothing, links nothing, and every page is an island.
"""

import re
import sys
from html import escape
from pathlib import Path

import markdown
from latex2mathml.converter import convert

FORMULA = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
EXTENSIONS = ["tables", "fenced_code", "codehilite", "footnotes", "toc"]
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="../site.css"></head><body>{body}</body></html>
"""


def cut_formulas(text):
    """Return the text with a mark for each formula, and the formulas as MathML."""
    formulas = []

    def cut(match):
        display = "block" if match[2] else "inline"
        formulas.append(convert(match[1] or match[2], display=display))
        return f"FORMULA{len(formulas) - 1}END"

    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [FORMULA.sub(cut, text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, FORMULA.sub(cut, text[end:])]), formulas


def render(text):
    """Return the page of one article's text."""
    _, front, body = text.split("---\n", 2)
    body, formulas = cut_formulas(body)
    html = markdown.markdown(body, extensions=EXTENSIONS)
    html = re.sub(r"FORMULA(\d+)END", lambda mark: formulas[int(mark[1])], html)
    return PAGE.format(title=escape(front.partition("title:")[2].strip()), body=html)


def main(output, *paths):
    """Write a page for each text."""
    for path in map(Path, paths):
        folder = Path(output, path.parent.name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(render(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
