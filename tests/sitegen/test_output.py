"""The site is replaced as a whole or not at all, and is the same in every build."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sitegen.errors import BuildFailed
from sitegen.output import MARKER, write_site
from tests.site_builder import SmallSite, snapshot

BUILD = Path(__file__).parents[2] / "build.py"
NOBODY = 65534


def test_every_file_is_written_and_old_ones_go(tmp_path):
    output = tmp_path / "_site"
    write_site({"a/x.txt": "old", "b": b"\0"}, output)
    source = tmp_path / "source"
    source.write_bytes(b"copied")
    write_site({"a/y.txt": "nëw", "c": source}, output)
    assert snapshot(output) == {"a/y.txt": "nëw".encode(), "c": b"copied", MARKER: b""}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["_site", "source"]


def failed_build(output, files=None):
    with pytest.raises(BuildFailed) as failed:
        write_site(files or {"x": "y"}, output)
    return str(failed.value.problems[0])


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    assert "files that build.py did not write" in failed_build(tmp_path)
    assert snapshot(tmp_path) == {"mine.txt": b"x"}


def test_a_file_is_no_output_folder(tmp_path):
    (tmp_path / "out").write_text("x")
    assert "is a file, not a folder" in failed_build(tmp_path / "out")
    assert failed_build(tmp_path / "out" / "below")
    assert snapshot(tmp_path) == {"out": b"x"}


def test_a_file_that_cannot_be_copied_leaves_the_old_site(tmp_path):
    write_site({"x": "old"}, tmp_path / "out")
    message = failed_build(tmp_path / "out", {"x": "new", "y": tmp_path / "gone.txt"})
    assert "No such file or directory (gone.txt)" in message
    assert snapshot(tmp_path) == {"out/x": b"old", f"out/{MARKER}": b""}


def test_an_empty_folder_and_a_link_to_one_are_filled(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_site({"x": "y"}, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert snapshot(tmp_path / "real")["x"] == b"y"


def test_the_output_is_not_inside_the_content(site):
    site.article("Text.\n")
    site.output = site.content / "articles" / "a" / "_site"
    assert [problem.message for problem in site.failure()] == [
        "is inside the content folder"]


def unprivileged_failure(output):
    """Return the first problem of a write by a user to whom modes mean something."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(NOBODY)
            write_site({"x": "new"}, output)
            os.write(writer, b"written")
        except BuildFailed as failed:
            os.write(writer, str(failed.problems[0]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answer:
        return answer.read()


@pytest.mark.parametrize("mode", [0o555, 0o700], ids=["read-only", "closed"])
def test_a_parent_that_cannot_be_written_leaves_the_old_site(mode):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        parent = Path(folder) / "parent"
        parent.mkdir()
        write_site({"x": "old"}, parent / "_site")
        before = snapshot(parent)
        parent.chmod(mode if os.getuid() == 0 else mode & 0o555)
        message = unprivileged_failure(parent / "_site")
        parent.chmod(0o755)
        assert message.startswith("_site: cannot be written: Permission denied (")
        assert snapshot(parent) == before


TEXT = """
## Title \\(x_1\\)

Text[^1] [@k] and [](#eq-a).

\\[ a_1 \\] {#eq-a}

[^1]: A note.

/// snippet | s
```python
words = list({"one", "two", "three", "four"})
```

Caption.
///

[[value run:words]]
"""


def build_elsewhere(folder, **environment):
    site = SmallSite(folder)
    site.add("references.bib", "@misc{k, title={T}, author={A, B}, year={2020}}\n")
    site.article(TEXT)
    done = subprocess.run(
        [sys.executable, str(BUILD), "--content", str(site.content), "--output",
         str(site.output)], env={**os.environ, **environment}, capture_output=True,
        text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return snapshot(site.output)


def test_two_builds_give_the_same_bytes(tmp_path):
    one, other = tmp_path / "one", tmp_path / "a longer näme"
    one.mkdir()
    other.mkdir()
    first = build_elsewhere(one, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8")
    second = build_elsewhere(other, PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="C")
    assert first == second
    assert b"2026" not in first["a/index.html"]
