"""Run an article's snippets where the reader would: beside what can be downloaded."""

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

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
    return [Snippet(directive.id or name, shown, 1, path.read_text("utf-8"))], []


def run_snippets(snippets, files):
    """Return (name → value, problems) after running all snippets in one namespace.

    files  name → Path or text: what stands in the working folder
    """
    if not snippets:
        return {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            _put(Path(folder) / name, content)
        return _run(snippets, folder)


def _put(target, content):
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.copyfile(content, target)
    else:
        target.write_text(content, "utf-8")


def _run(snippets, folder):
    job = {"snippets": [vars(snippet) for snippet in snippets]}
    first = Place(snippets[0].path, snippets[0].line)
    try:
        done = subprocess.run(
            [sys.executable, "-B", str(CHILD)], input=json.dumps(job), cwd=folder,
            capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {}, [Problem(first, f"the article's snippets did not end within "
                            f"{SECONDS} s", "make them smaller")]
    if done.returncode != 0:
        last = (done.stderr.strip().split("\n") or [""])[-1]
        return {}, [Problem(first, f"the snippets' process ended with status "
                            f"{done.returncode}: {last}")]
    answer = json.loads(done.stdout.strip().split("\n")[-1])
    return answer["values"], _problems(answer["problem"], snippets)


def _problems(problem, snippets):
    if problem is None:
        return []
    snippet = snippets[problem["snippet"]]
    lines = snippet.code.split("\n")
    excerpt = lines[problem["line"] - 1] if problem["line"] <= len(lines) else ""
    place = Place(snippet.path, snippet.line + problem["line"] - 1)
    return [Problem(place, problem["message"], "", excerpt)]
