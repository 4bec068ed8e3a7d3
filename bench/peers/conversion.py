"""The generated articles, as each peer writes them: front matter, formulas, links.

What all of them read alike (headings, tables, lists, fenced code, footnotes) stays.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.yardstick import FENCE

INLINE = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
DISPLAY = re.compile(r"\\\[\s*(.+?)\s*\\\]", re.DOTALL)
LINK = re.compile(r"\]\(\.\./([\w-]+)/index\.html(#[\w-]+)?\)")


@dataclass(frozen=True)
class Dialect:
    """How a peer writes what the peers write differently.

    path     of an article's text in the peer's project; {slug}
    front    its front matter; {slug}, {title}
    link     to another article, between the parentheses; {slug}, {anchor}
    inline   a formula in a line, display one of its own; {tex}
    """

    path: str
    front: str
    link: str
    inline: str = "${tex}$"
    display: str = "$$\n{tex}\n$$"


def outside_code(text, change: Callable[[str], str]):
    """Return the text with all but its fenced blocks changed."""
    parts, end = [], 0
    for fence in FENCE.finditer(text):
        parts += [change(text[end:fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def convert(text, slug, dialect):
    """Return one of our articles in a peer's dialect.

    Raises ValueError unless the text begins with front matter.
    """
    _, front, body = text.split("---\n", 2)
    title = front.partition("title:")[2].splitlines()[0].strip()

    def change(prose):
        prose = DISPLAY.sub(lambda found: dialect.display.format(tex=found[1]), prose)
        prose = INLINE.sub(lambda found: dialect.inline.format(tex=found[1]), prose)
        return LINK.sub(lambda found: f"]({dialect.link})".format(
            slug=found[1], anchor=found[2] or ""), prose)

    return dialect.front.format(slug=slug, title=title) + outside_code(body, change)


def write_project(folder, texts, dialect):
    """Write articles, slug → our text, into a peer's project; return their paths."""
    paths = []
    for slug, text in texts.items():
        path = Path(folder, dialect.path.format(slug=slug))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(convert(text, slug, dialect), "utf-8")
        paths.append(path)
    return paths
