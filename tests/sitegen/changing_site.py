"""A copy of the generator with a small project beside it, to change and to build.

The project is tests/cases/incremental with recordings of tests/golden: small articles
that use each kind of input once.  Each build is a process of its own.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).with_name("fork_server.py")
CASE, GOLDEN = ROOT / "tests/cases/incremental", ROOT / "tests/golden"
GENERATOR = ("build.py", "sitegen", "templates", "static", "LICENSE", "THIRD-PARTY.md")
# File of the project → the golden case's file that it is.
BORROWED = {
    "traces/demo.json": "attention-heatmap/demo.json",
    "traces/walked.json": "tensor-walk/demo.json",
    "traces/changed.json": "change-one-thing/demo.json",
    "traces/checked.json": "verification-record/demo.json",
    "model/walked.py": "tensor-walk/model.py",
    "content/walk.toml": "tensor-walk/walk.toml",
    "content/changes.json": "change-one-thing/changes.json",
    "content/configurations.json": "cache-bytes/configurations.json",
    "bench/decode.json": "line-plot/decode.json"}
# Linking these takes longer than all the rest of the site.
HEAVY = ("tensor-walk", "change-one-thing", "cache-bytes")


@dataclass(frozen=True)
class Built:
    """How a build ended: its status, its document of --json, what it said beside."""

    status: int
    document: dict
    said: str

    @property
    def pages(self):
        """Return what was built → why."""
        return {item["name"]: item["why"] for item in self.document["built"]}

    @property
    def found_nothing_to_do(self):
        """Return whether it answered from the last build, and began no stage."""
        return self.status == 0 and not self.document["seconds"]


class ChangingSite:
    """The generator's copy `generator/`, the project `project/`, its output."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.generator = self.folder / "generator"
        self.project = self.folder / "project"
        self.output, self.clean = self.project / "_site", self.folder / "clean/_site"
        self.environment, self.options = {}, []
        self.number, self.before = 0, {}
        for name in GENERATOR:
            copy_any(ROOT / name, self.generator / name)
        for name in HEAVY:
            (self.generator / f"static/js/widgets/{name}.js").unlink()
        copy_project(self.project)
        for name in ("temporary", "templates"):
            (self.folder / name).mkdir()
        self.server = subprocess.Popen(
            [sys.executable, "-P", SERVER, self.folder / "templates"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.server.communicate()

    def fresh(self):
        """Return a number that was not there before; its digits grow, so that what it
        stands in has another size each time."""
        self.number += 1
        return str(self.number) * 2

    def paths(self, *patterns):
        """Return the paths, below the folder, of files that match; sorted."""
        found = {path for pattern in patterns for path in self.folder.glob(pattern)}
        return sorted(path.relative_to(self.folder).as_posix() for path in found
                      if path.is_file() and "__pycache__" not in path.parts)

    def read(self, path):
        """Return the text of a file below the folder."""
        return (self.folder / path).read_text("utf-8")

    def write(self, path, content):
        """Write a file below the folder: a text or bytes; None removes it."""
        file = self.folder / path
        self.before.setdefault(path, file.read_bytes() if file.is_file() else None)
        if content is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def append(self, path, text):
        """Write a text at the end of a file."""
        self.write(path, self.read(path) + text)

    def replace(self, path, old, new):
        """Replace a text that stands in a file."""
        text = self.read(path)
        assert old in text, (path, old)
        self.write(path, text.replace(old, new, 1))

    def restore(self, before):
        """Write files as they were: path → bytes, None where there was none."""
        for path, content in before.items():
            self.write(path, content)

    def build(self, *options):
        """Build the project with the cache; return how it ended."""
        return self.ended(self.begin(self.output, *options))

    def build_clean(self, *options):
        """Build it elsewhere, without a cache."""
        return self.ended(self.begin(self.clean, "--no-cache", *options))

    def build_both(self):
        """Return how (the incremental build, the clean one) ended; they run at once."""
        both = [self.begin(self.output), self.begin(self.clean, "--no-cache")]
        return tuple(map(self.ended, both))

    def kill(self, seconds):
        """Begin a build and kill it after some time; return whether it still ran."""
        process, _ = self.begin(self.output)
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        return self.ask(process) == -signal.SIGKILL

    def begin(self, output, *options):
        """Start a build; return (its process, the folder of what it says)."""
        said = self.folder / "said" / output.parent.name
        said.mkdir(parents=True, exist_ok=True)
        command = [str(self.generator / "build.py"), "build", "--json",
                   "--content", str(self.project / "content"),
                   "--output", str(output), *self.options, *options]
        environment = {"TMPDIR": str(self.folder / "temporary"),
                       "OPENBLAS_NUM_THREADS": "1", **self.environment}
        return self.ask([command, environment, *map(str, (
            said / "out", said / "err"))]), said

    def ended(self, begun):
        """Wait for a build that was begun; return how it ended."""
        process, said = begun
        status = self.ask(process)
        out, err = ((said / name).read_text("utf-8") for name in ("out", "err"))
        return Built(status, json.loads(out or "null"), err)

    def ask(self, question):
        """Return what the server answers."""
        print(json.dumps(question), file=self.server.stdin, flush=True)
        return json.loads(self.server.stdout.readline())


def copy_project(folder):
    """Make the small project in a folder."""
    copy_any(CASE, folder)
    for name, source in BORROWED.items():
        copy_any(GOLDEN / source, folder / name)


def copy_any(source, target):
    """Copy a file, or a folder with all that is in it but bytecode."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copyfile(source, target)


def snapshot(folder):
    """Return path → (mode, bytes) of every file below a folder."""
    return {path.relative_to(folder).as_posix():
            (path.stat().st_mode, path.read_bytes())
            for path in sorted(folder.rglob("*")) if path.is_file()}


def differences(one, other):
    """Return the paths in which two snapshots differ."""
    return sorted(path for path in one.keys() | other.keys()
                  if one.get(path) != other.get(path))
