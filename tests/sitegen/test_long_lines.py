"""What is long, repeated or deep is read in time, or is told; never a traceback."""

import re
import time

import pytest

from sitegen.errors import BuildFailed
from sitegen.scan import scan
from tests.fuzz.folder import Folder

LONG = 60_000       # characters
SECONDS = 3         # of the processor; what looks back at each character takes minutes
FRONT = "---\ntitle: T\n---\n"
REPEATED = ["`", "` `", "\\(", "\\(x", "\\[", "\\[ \n>", "\\[a\\]{#", "[[value [",
            "[@a;",
            "[@", "](<", "](a(", "<!--", "<!-- ", "href=", "{#a ", "> ", "- ", "1. ",
            "```\n", "/// a | b ", "///\n", "[a]: <", "\t", "\\"]
OPENED = ["[", "![", "[a][", "[](#", "*[", "[^1](", "[a](b(", "<b ", "[[value "]
DEEP = ["> ", "1. ", "> > "]


@pytest.mark.parametrize("piece", REPEATED)
def test_a_long_line_is_scanned_in_time(piece):
    started = time.process_time()
    scan("a " + piece * (LONG // len(piece)), "a.md")
    assert time.process_time() - started < SECONDS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return Folder(tmp_path_factory.mktemp("long"), ["a"])


def told(folder, text):
    """Return the problems of a text, which must be there within SECONDS."""
    started = time.process_time()
    with pytest.raises(BuildFailed) as failed:
        folder.build("content/articles/a/index.md", (FRONT + text).encode())
    assert time.process_time() - started < SECONDS
    return failed.value.problems


@pytest.mark.parametrize("piece", OPENED)
def test_brackets_that_nothing_closes_are_told_at_the_first(folder, piece):
    problems = told(folder, f"Text.\n\n{piece * (LONG // len(piece))}\n")
    opened = [p for p in problems if "of a paragraph are not closed" in p.message]
    assert [p.place.line for p in opened] == [6]
    assert re.search(r"[\[(<]", piece[opened[0].place.column - 1:])


def test_closed_brackets_are_as_many_as_one_likes(folder):
    folder.build("content/articles/a/index.md", (FRONT + "[a] (b) " * 300).encode())


@pytest.mark.parametrize("piece", DEEP)
def test_what_is_too_deep_is_told_with_its_line(folder, piece):
    problems = told(folder, f"Text.\n\n{piece * 4000}x\n")
    assert ("quotes, lists or elements in each other, too deep", 6) in [
        (problem.message, problem.place.line) for problem in problems]


@pytest.mark.parametrize(("piece", "count"), [("[^1]", 4000), ("<a href=x>", 1500)])
def test_a_fault_that_is_repeated_is_looked_for_once(folder, piece, count):
    assert told(folder, piece * count)


def test_equal_titles_are_numbered_in_time(folder):
    started = time.process_time()
    folder.build("content/articles/a/index.md", (FRONT + "# a\n" * 3000).encode())
    assert time.process_time() - started < 2 * SECONDS
