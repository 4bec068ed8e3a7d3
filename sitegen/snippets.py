"""Run an article's snippets where the reader would: beside what can be downloaded."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from sitegen.audited import Reads, audited, read_report
from sitegen.children import LimitHit, Limits, run_child, scratch_folder
from sitegen.content import read_text
from sitegen.errors import Place, Problem, known
from sitegen.records import Directive
from sitegen.safe_paths import is_below

CHILD = Path(__file__).with_name("snippet_child.py")
LIMITS = Limits()
RAISE = "make the snippets smaller, or raise 'limits' in site.toml"
MISSING = {
    "module": "a snippet imports what is installed, or can be downloaded here",
    "file": "a snippet's working folder holds what can be downloaded here"}


@dataclass(frozen=True)
class Snippet:
    """Code to run: its file, the line on which it begins there, its text.

    lines  the file's lines: the code's with what stands before it in a list or quote
    """

    id: str
    path: str
    line: int
    code: str
    lines: tuple


def find_snippets(article):
    """Return (snippets in order, problems, whether these are all) of an article's
    `snippet` directives: those before the first that cannot be had run without it."""
    snippets, problems, are_all = [], [], True
    for directive in article.scan.of(Directive):
        if directive.name == "snippet":
            found, more = _snippet(article, directive)
            are_all = are_all and bool(found)
            snippets += found if are_all else []
            problems += more
    return snippets, problems, are_all


def _snippet(article, directive):
    if not directive.is_read:
        return [], []
    file = directive.options.get("file")
    if isinstance(file, str):
        return _file_snippet(article, directive, file)
    if len(directive.fences) != 1:
        return [], [Problem(directive.place, f"a snippet holds one fenced code block, "
                            f"this one {len(directive.fences)}",
                            "or names a script beside the article with 'file:'")]
    fence = directive.fences[0]
    place, lines = fence.place, article.scan.raw.split("\n")
    end = place.line - 1 + fence.text.count("\n")
    return [Snippet(directive.id, place.path, place.line, fence.text,
                    tuple(lines[place.line - 1:end]))], []


def _file_snippet(article, directive, name):
    path = article.folder / name
    if not is_below(article.folder, name):
        have = [p.name for p in article.folder.glob("*.py")]
        return [], [Problem(directive.at("file"), f"no script '{name}' beside the "
                            "article", known(have, name))]
    shown = f"{article.path.rsplit('/', 1)[0]}/{name}"
    code, problems = read_text(path, shown)
    if problems:
        return [], problems
    return [Snippet(directive.id or name, shown, 1, code, tuple(code.split("\n")))], []


def run_snippets(snippets, files, limits=LIMITS):
    """Return (name → value, problems, Reads) after running all in one namespace.

    files  name → Path or text: what stands in the working folder
    """
    if not snippets:
        return {}, [], Reads()
    with scratch_folder() as own:
        folder = own / "work"
        _put(own / "job.json", json.dumps([[s.id, s.code] for s in snippets]))
        folder.mkdir()
        for name, content in files.items():
            _put(folder / name, content)
        report, answer = own / "report.txt", own / "answer.txt"
        command = audited(report, CHILD, str(own / "job.json"), str(answer))
        ended = _run(command, folder, limits)
        reads = read_report(report, folder)
        begun, result = _read_answer(answer)
    if not ended and result:
        return result["values"], _problems(result["problem"], snippets, files), reads
    running = snippets[max(0, begun - 1)]
    return {}, [Problem(Place(running.path, running.line), *(
        ended or _ended("status 0")))], reads


def _put(target, content):
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.copyfile(content, target)
    else:
        target.write_text(content, "utf-8")


def _run(command, folder, limits):
    """Run the child; return (message, what to do) where it came to no answer.

    Its output goes nowhere, since nobody could read it, and so fills no memory.
    """
    try:
        status = run_child(command, folder, limits, folder)
    except LimitHit as hit:
        return f"the article's snippets {hit}", RAISE
    return status and _ended(f"signal {-status}" if status < 0 else f"status {status}")


def _ended(how):
    return (f"this snippet ended its process with {how}",
            "a snippet runs to its last line")


def _read_answer(path):
    """Return (how many snippets began, the last line's JSON or None)."""
    lines = path.read_text("utf-8").split("\n") if path.exists() else [""]
    return len(lines) - 1, json.loads(lines[-1]) if lines[-1] else None


def _problems(problem, snippets, files):
    """Return the problem that the child found, with its place in the author's file."""
    if problem is None:
        return []
    snippet, index = snippets[problem["snippet"]], problem["line"] - 1
    excerpt, column = "", problem["column"]
    if index < len(snippet.lines):
        excerpt = snippet.lines[index]
        column = column and column + len(excerpt) - len(snippet.code.split("\n")[index])
    return [Problem(Place(snippet.path, snippet.line + index, column),
                    problem["message"], _todo(problem, files), excerpt)]


def _todo(problem, files):
    """Return what the author may have meant, a line each."""
    kind, wanted = problem["missing"]
    if kind == "memory":
        return RAISE
    names = {name.removesuffix(".py") for name in files
             if kind != "module" or name.endswith(".py")}
    lines = [MISSING[kind], known(names, wanted)] if kind else []
    return "\n".join(problem["hints"] + lines)
