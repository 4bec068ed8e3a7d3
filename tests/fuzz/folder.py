"""A content folder that has everything, one file of which is an input."""

import json
import struct
import sys
import zlib
from contextlib import ExitStack
from functools import cache
from pathlib import Path, PurePosixPath
from subprocess import run
from unittest.mock import patch

from sitegen.article_page import new_environment
from sitegen.assets import shared_files
from sitegen.audited import Reads
from sitegen.cache import Store, nothing_changed
from sitegen.errors import Place, Problem
from sitegen.inputs import Inputs
from sitegen.pipeline import build
from sitegen.recordings import read_traces
from sitegen.references import read_references

ROOT = Path(__file__).parents[2]
FRONT = "---\ntitle: T\ntrace: demo\npicture: p.png\n---\n"
ARTICLE = FRONT + """
## Weights {#weights}

A formula \\(x_1\\), a value [[value demo:model.hidden_size]], a source [@vaswani2017].

/// attention-heatmap | map
Look.
///

/// verification-record | record
Checks.
///
"""
DRAWN = FRONT + """
/// head-gallery | heads
Heads.
///

/// cache-bytes | bytes
    file: configurations.json
    config: llama-3-8b

Bytes.
///

/// tensor-walk | walk
    file: tiny_llama.py

Steps.
///

/// change-one-thing | change
    walk: walk

What moves.
///

/// source-reader
    file: tiny_llama.py
///
"""
SETTINGS = """title = "S"
description = "D."
articles = ["a", "b"]
publish = ["content/configurations.json", "model/tiny_llama.py"]
"""
TRACES = '[demo]\nfile = "demo.json"\npublish = "trace.json"\n'
CACHE = "._site-cache/"
VALUES = {"n": 3, "list": [1.5, 2.5], "text": "t"}


def png(width=600, height=315):
    """Return the bytes of a small grey picture."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    rows = (b"\0" + b"\x80" * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b""))


@cache
def trace():
    """Return the text of a small trace that tiny_llama.py prints."""
    program = ROOT / "model" / "tiny_llama.py"
    return run([sys.executable, program, "--verify", "--export-trace", "-"], check=True,
               capture_output=True, text=True, encoding="utf-8").stdout


def sound_files():
    """Return path → bytes of a content folder that builds, from its parent."""
    own = {f"content/{name}": (ROOT / "content" / name).read_bytes() for name in
           ("walk.toml", "changes.json", "configurations.json", "references.bib")}
    return {
        **own, "content/site.toml": SETTINGS.encode(),
        "content/traces.toml": TRACES.encode(), "demo.json": trace().encode(),
        "content/articles/a/index.md": ARTICLE.encode(),
        "content/articles/a/p.png": png(), "content/articles/b/p.png": png(),
        "content/articles/b/index.md": DRAWN.encode(),
        "model/tiny_llama.py": (ROOT / "model" / "tiny_llama.py").read_bytes()}


class Folder:
    """The folder on disk; `build` with one file replaced by an input."""

    def __init__(self, place, articles):
        self.place = Path(place)
        self.files = sound_files()
        settings = SETTINGS.replace('["a", "b"]', json.dumps(list(articles)))
        self.files["content/site.toml"] = settings.encode()
        others = {f"content/articles/{name}/" for name in {"a", "b"} - set(articles)}
        for path, data in self.files.items():
            if not path.startswith(tuple(others)):
                self.put(path, data)
        content = self.place / "content"
        store = Store(None, Inputs(content))
        self.traces = read_traces(content, store)
        self.references = read_references(content)

    def put(self, path, data):
        """Write one file, its folders too."""
        file = self.place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def build(self, path, data):
        """Build with the file replaced; raises BuildFailed, or whatever it should not.

        Nothing is run and nothing written; a path that may not be written fails.
        Traces and references are read once, where they are not the input.  A file of
        the cache is one that a build before it has left.
        """
        if path.startswith(CACHE) and path not in self.files:
            self.build_with(path, use_cache=True)
            self.files[path] = (self.place / path).read_bytes()
        self.put(path, data)
        try:
            self.build_with(path, use_cache=path.startswith(CACHE))
        finally:
            self.put(path, self.files[path])

    def build_with(self, path, use_cache):
        """Build what there is; `path` is the file that is not what it was."""
        stand_ins = dict(STAND_INS)
        if path not in ("demo.json", "content/traces.toml"):
            stand_ins["sitegen.site_build.read_traces"] = lambda *_: (
                dict(self.traces[0]), list(self.traces[1]))
        if path != "content/references.bib":
            stand_ins["sitegen.site_build.read_references"] = lambda _: (
                list(self.references[0]), [])
        content, output = self.place / "content", self.place / "_site"
        with ExitStack() as stack:
            for target, stand_in in stand_ins.items():
                stack.enter_context(patch(target, stand_in))
            if use_cache:
                nothing_changed(content, output, {"base_url": None})
            build(content, output, use_cache=use_cache)


def refuse_wrong_paths(files, output):
    """Stand in for write_site: raise ValueError for a path that leaves the output."""
    for path in files:
        parts = PurePosixPath(path).parts
        if path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
            raise ValueError(f"a file would be written at {path!r}")


def nothing_run(folder, trace_id, *rest):
    """Stand in for run_trace: nothing that an input names is run."""
    return "traces.toml", "", [Problem(Place("traces.toml"), "not run")], Reads()


@cache
def _assets(elements):
    with patch("sitegen.assets.link_with_late", lambda *paths: ("", {}, [])):
        return shared_files(elements)


def assets(elements):
    """Stand in for shared_files, which depend on nothing that an input changes."""
    return _assets(frozenset(elements))


@cache
def _environment():
    return new_environment()


def environment(compiled):
    """Stand in for new_environment: the templates are compiled once."""
    return _environment()


STAND_INS = {
    "sitegen.site_build.shared_files": assets,
    "sitegen.article_page.run_snippets": lambda *rest: (dict(VALUES), [], Reads()),
    "sitegen.recordings.run_trace": nothing_run,
    "sitegen.pipeline.write_site": refuse_wrong_paths,
    "sitegen.site_build.new_environment": environment}
