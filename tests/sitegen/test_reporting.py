"""What a build tells people: stages, reasons and sizes."""

import io
import sys
from argparse import Namespace
from dataclasses import dataclass, field

import pytest

from sitegen.commands.reporting import MANY_PAGES, Progress, say_done

OPTIONS = Namespace(command="build", output="_site", quiet=False, json=False)


@dataclass(frozen=True)
class Sizes:
    """Bytes that a page loads."""

    html: int = 1000
    data: int = 0
    scripts: int = 20_000
    styles: int = 0
    fonts: int = 0


@dataclass
class Report:
    """What a build made, as sitegen.records has it."""

    files: dict = field(default_factory=lambda: {"index.html": "", "static/app.js": ""})
    built: list = field(default_factory=list)
    taken: int = 0
    pages: dict = field(default_factory=dict)


class Terminal(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self):
        return True


def printed(capsys, report, options=OPTIONS):
    """Return the lines that are printed of a report."""
    assert say_done(options, report) == 0
    return capsys.readouterr().out.split("\n")[:-1]


def test_few_pages_are_named_with_the_reason_that_they_were_built_for(capsys):
    lines = printed(capsys, Report(built=[("a/index.html", "a.md changed")], taken=2))
    assert lines[:2] == ["a/index.html: a.md changed", "2 pages taken from the cache"]
    assert lines[2].startswith("_site: 1 page, 2 files, ")
    assert lines[2].endswith("s of processor time; open _site/index.html")


def test_many_pages_are_counted(capsys):
    lines = printed(capsys, Report(built=[(str(n), "new") for n in range(9)]))
    assert lines[0] == "9 pages built"


def test_a_table_says_what_each_page_loads(capsys):
    pages = {"index.html": Sizes(), "a/index.html": Sizes(1234, 5600, 0, 70, 46_000)}
    assert printed(capsys, Report(pages=pages))[:3] == [
        "kilobytes        HTML     data  scripts   styles    fonts      all",
        "index.html        1.0      0.0     20.0      0.0      0.0     21.0",
        "a/index.html      1.2      5.6      0.0      0.1     46.0     52.9"]


def test_of_many_pages_the_heaviest_are_shown_in_their_order(capsys):
    pages = {str(n): Sizes(html=n) for n in range(MANY_PAGES + 2)}
    lines = printed(capsys, Report(pages=pages))
    shown = [line.split()[0] for line in lines[1:MANY_PAGES + 1]]
    assert shown == [str(n) for n in range(2, MANY_PAGES + 2)]
    assert lines[MANY_PAGES + 1] == "and 2 lighter pages"


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
