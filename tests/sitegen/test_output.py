"""The site is replaced as a whole or not at all."""

import os
import tempfile
from pathlib import Path

import pytest

from sitegen.errors import BuildFailed
from sitegen.output import MARKER, write_site
from tests.site_builder import as_nobody, snapshot


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


def failure_of(output):
    """Return the first problem of a write, "" where there is none."""
    try:
        write_site({"x": "new"}, output)
    except BuildFailed as failed:
        return failed.problems[0]
    return ""


@pytest.mark.parametrize("mode", [0o555, 0o700], ids=["read-only", "closed"])
def test_a_parent_that_cannot_be_written_leaves_the_old_site(mode):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        parent = Path(folder) / "parent"
        parent.mkdir()
        write_site({"x": "old"}, parent / "_site")
        before = snapshot(parent)
        parent.chmod(mode if os.getuid() == 0 else mode & 0o555)
        message = as_nobody(lambda: failure_of(parent / "_site"))
        parent.chmod(0o755)
        assert message.startswith("_site: cannot be written: Permission denied (")
        assert snapshot(parent) == before
