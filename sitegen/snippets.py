"""Run an article's snippets where the reader would: beside what can be downloaded."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sitegen.audited import Reads, audited, read_report
from sitegen.content import read_text
from sitegen.errors import Place, Problem, known
from sitegen.records import Directive

CHILD = Path(__file__).with_name("snippet_child.py")
SECONDS = 120


@dataclass(frozen=True)
class Snippet:
    """Code to run: its file, the line on which it begins there, its text."""

    id: str
    path: str
    line: int
    code: str


def find_snippets(article):
    """Return (snippets in order, problems) of an article's `snippet` directives."""
    snippets, problems = [], []
    for directive in article.scan.of(Directive):
        if directive.name == "snippet":
            found, more = _snippet(article, directive)
            snippets += found
            problems += more
    return snippets, problems


def _snippet(article, directive):
    file = directive.options.get("file")
    if isinstance(file, str):
        return _file_snippet(article, directive, file)
    if len(directive.fences) != 1:
        return [], [Problem(directive.place, f"a snippet holds one fenced code block, "
                            f"this one {len(directive.fences)}",
                            "or names a script beside the article with 'file:'")]
    fence = directive.fences[0]
    return [Snippet(directive.id, fence.place.path, fence.place.line, fence.text)], []


def _file_snippet(article, directive, name):
    path = (article.folder / name).resolve()
    if not path.is_file() or not path.is_relative_to(article.folder.resolve()):
        have = [p.name for p in article.folder.glob("*.py")]
        return [], [Problem(directive.place, f"no script '{name}' beside the article",
                            known(have, name))]
    shown = f"{article.path.rsplit('/', 1)[0]}/{name}"
    code, problems = read_text(path, shown)
    found = [] if problems else [Snippet(directive.id or name, shown, 1, code)]
    return found, problems


def run_snippets(snippets, files):
    """Return (name → value, problems, Reads) after running all in one namespace.

    files  name → Path or text: what stands in the working folder
    """
    if not snippets:
        return {}, [], Reads()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as own:
        for name, content in files.items():
            _put(Path(folder) / name, content)
        answer, report = Path(own) / "answer.txt", Path(own) / "report.txt"
        ended = _run(snippets, folder, audited(report, CHILD, str(answer)))
        reads = read_report(report, folder)
        lines = answer.read_text("utf-8").split("\n") if answer.exists() else [""]
    if ended is None:
        result = json.loads(lines[-1])
        return result["values"], _problems(result["problem"], snippets), reads
    running = snippets[max(0, len(lines) - 2)]
    return {}, [Problem(Place(running.path, running.line), *ended)], reads


def _put(target, content):
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.copyfile(content, target)
    else:
        target.write_text(content, "utf-8")


def _run(snippets, folder, command):
    """Run the child; return None, or (message, what to do) where it came to no answer.

    Its output goes nowhere, since nobody could read it, and so fills no memory. It
    leads a process group of its own, which ends with it.
    """
    job = json.dumps({"snippets": [vars(snippet) for snippet in snippets]})
    child = subprocess.Popen(
        command, cwd=folder, env=environment(), stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        child.communicate(job.encode(), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return (f"the article's snippets did not end within {SECONDS} s",
                "make them smaller")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if child.returncode == 0:
        return None
    how = (f"signal {-child.returncode}" if child.returncode < 0
           else f"status {child.returncode}")
    return (f"this snippet ended its process with {how}",
            "a snippet runs to its last line")


def environment():
    """Return the environment of programs that a build runs: the same everywhere."""
    return {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}


def _problems(problem, snippets):
    if problem is None:
        return []
    snippet = snippets[problem["snippet"]]
    lines = snippet.code.split("\n")
    excerpt = lines[problem["line"] - 1] if problem["line"] <= len(lines) else ""
    place = Place(snippet.path, snippet.line + problem["line"] - 1)
    return [Problem(place, problem["message"], "", excerpt)]
