"""What a build tells people: stages, reasons and sizes."""

import io
import sys
from argparse import Namespace

import pytest

from sitegen.commands.reporting import MANY_PAGES, Progress, say_done
from sitegen.report import PageBytes, Report

OPTIONS = Namespace(command="build", output="_site", quiet=False, json=False)


FILES = {"index.html": "", "static/app.js": ""}


def report(built=(("a", "new"),), taken=0, pages=None):
    """Return a Report of two files."""
    return Report(FILES, list(built), taken, pages or {})


def sizes(html=1000, data=0, scripts=20_000, styles=0, fonts=0):
    """Return the PageBytes of a page."""
    return PageBytes(html, data, scripts, styles, fonts)


class Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self):
        return True


def printed(capsys, made, options=OPTIONS):
    """Return the lines that are printed of a Report."""
    assert say_done(options, made) == 0
    return capsys.readouterr().out.split("\n")[:-1]


def test_few_pages_are_named_with_the_reason_that_they_were_built_for(capsys):
    lines = printed(capsys, report(built=[("a/index.html", "a.md changed")], taken=2))
    assert lines[:2] == ["a/index.html: a.md changed", "2 pages taken from the cache"]
    assert lines[2].startswith("_site: 0 pages, 2 files, ")
    assert lines[2].endswith("s of processor time; open _site/index.html")


def test_many_pages_are_counted(capsys):
    lines = printed(capsys, report(built=[(str(n), "new") for n in range(9)]))
    assert lines[0] == "9 made anew"


def test_nothing_to_do_is_said(capsys):
    assert printed(capsys, report(built=(), taken=3))[0] == "nothing has changed"


def test_a_table_says_what_each_page_loads(capsys):
    pages = {"index.html": sizes(), "a/index.html": sizes(1234, 5600, 0, 70, 46_000)}
    assert printed(capsys, report(pages=pages))[1:4] == [
        "kilobytes        HTML     data  scripts   styles    fonts      all",
        "index.html        1.0      0.0     20.0      0.0      0.0     21.0",
        "a/index.html      1.2      5.6      0.0      0.1     46.0     52.9"]


def test_of_many_pages_the_heaviest_are_shown_in_their_order(capsys):
    pages = {str(n): sizes(html=n) for n in range(MANY_PAGES + 2)}
    lines = printed(capsys, report(pages=pages))
    shown = [line.split()[0] for line in lines[2:MANY_PAGES + 2]]
    assert shown == [str(n) for n in range(2, MANY_PAGES + 2)]
    assert lines[MANY_PAGES + 2] == "and 2 lighter pages"


@pytest.mark.parametrize("options", [
    Namespace(**{**vars(OPTIONS), "quiet": True}),
    Namespace(**{**vars(OPTIONS), "json": True})])
def test_stages_are_not_shown_where_they_are_not_wanted(monkeypatch, options):
    monkeypatch.setattr(sys, "stdout", Terminal())
    with Progress(options) as progress:
        progress("read")
    assert sys.stdout.getvalue() == "" and progress.seconds().keys() == {"read"}


def test_a_pipe_is_told_the_stages_in_the_end(capsys):
    with Progress(OPTIONS) as progress:
        progress("read")
        progress("write")
        assert capsys.readouterr().out == ""
    assert capsys.readouterr().out == "read 0.0 · write 0.0 s\n"


def test_a_terminal_has_one_line_that_is_rewritten(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    with Progress(OPTIONS) as progress:
        progress("snippets")
        progress("read")
    assert sys.stdout.getvalue() == (
        "\r\rsnippets …\r          \rread …\r      \rsnippets 0.0 · read 0.0 s\n")


def test_problems_leave_no_stage_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Terminal())
    with pytest.raises(ValueError, match="stop"), Progress(OPTIONS) as progress:
        progress("read")
        raise ValueError("stop")
    assert sys.stdout.getvalue().endswith("\r      \r")
