"""Small content folders made from text, and what becomes of them, for tests."""

import ctypes
import os
import re
from pathlib import Path
from unittest.mock import patch

from selectolax.lexbor import LexborHTMLParser

from sitegen.errors import BuildFailed
from sitegen.pipeline import build

SETTINGS = 'title = "Site"\ndescription = "About it."\narticles = ["a"]\n'
FRONT = "---\ntitle: Title\n---\n"
NOBODY = 65534
CAPABILITIES = 0x20080522       # version 3 of what capget(2) and capset(2) take
FRONT_LINES = FRONT.count("\n")


class SmallSite:
    """A content folder with the article 'a', below a folder of the test's own.

    Texts of articles are given without front matter, so line n of a text is line
    n + FRONT_LINES of its file.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.content, self.output = self.folder / "content", self.folder / "_site"
        self.add("site.toml", SETTINGS)

    def add(self, path, content):
        """Write a file of the content folder; return its Path."""
        file = self.content / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def article(self, text, front=FRONT, slug="a"):
        """Write an article: front matter, then text."""
        return self.add(f"articles/{slug}/index.md", front + text)

    def build(self, base_url=None):
        """Build without a cache; return path → content of what was written, text where
        it is UTF-8.

        The pages' scripts are left out: linking them takes longer than all the rest,
        and has tests of its own.
        """
        with patch("sitegen.assets.link_with_late", lambda *paths: ("", {}, [])):
            report = build(self.content, self.output, base_url, use_cache=False)
        return {path: _written(content) for path, content in report.files.items()}

    def page(self, text):
        """Return the whole HTML of the page that a text becomes."""
        self.article(text)
        return self.build()["a/index.html"]

    def body(self, text):
        """Return the HTML between the page's <article> tags, outer space off."""
        html = self.page(text)
        return html[html.index(">", html.index("<article")) + 1:
                    html.index("</article>")].strip()

    def tree(self, text):
        """Return a page as an HTML parser sees it."""
        return LexborHTMLParser(self.page(text))

    def failure(self, base_url=None):
        """Return the Problems of a build that must fail."""
        try:
            self.build(base_url)
        except BuildFailed as failed:
            return failed.problems
        raise AssertionError("the build succeeded")

    def problems(self, text):
        """Return 'line:column: message' of each problem of a text, by its own lines.

        The path stands before them where it is not the article's.
        """
        self.article(text)
        return [_by_text(problem) for problem in self.failure()]


def _written(content):
    data = content.read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _by_text(problem):
    place, message = problem.place, problem.message
    if place.path != "content/articles/a/index.md":
        return f"{place}: {message}"
    line = str(place.line - FRONT_LINES) if place.line else ""
    return ":".join(part for part in (line, str(place.column or "")) if part) + (
        f": {message}")


def text_of(html):
    """Return what a reader sees of a piece of HTML, white space as single spaces."""
    tree = LexborHTMLParser(f"<body>{html}")
    return re.sub(r"\s+", " ", tree.body.text()).strip()


def snapshot(folder):
    """Return path → bytes of every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def as_nobody(call, *folders):
    """Return the text of what a call returns for a user to whom modes mean something.

    folders  given to that user, with what is in them, where we are root
    """
    if os.getuid() == 0:
        for folder in folders:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, NOBODY, NOBODY)
    return in_child(call, lambda: os.setuid(NOBODY))


def obeying_modes(call):
    """Return the text of what a call returns for us, but that modes hold for root too:
    unlike nobody, we can read the generator wherever it is."""
    return in_child(call, obey_modes)


def obey_modes():
    """Give up what lets root pass over modes: capabilities 1 and 2 of capset(2)."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES)
    sets = (ctypes.c_uint32 * 6)()      # effective, permitted, inheritable; twice
    assert libc.capget(header, sets) == 0
    for index in range(3):
        sets[index] &= ~0b110
    assert libc.capset(header, sets) == 0


def in_child(call, before):
    """Return the text of what a call returns in a child, which first does what makes a
    root like others."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                before()
            os.write(writer, str(call()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return answer.read()
