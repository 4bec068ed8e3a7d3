"""One folder takes another's place; only what killed builds left is removed."""

import errno
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from sitegen import swap
from sitegen.errors import BuildFailed
from sitegen.output import MARKER, write_site
from sitegen.swap import OLD_SECONDS, exchange, lock, new_folder, release, replace
from tests.site_builder import as_nobody, snapshot

LEFT = ".out-new-abcd1234"


def in_two_steps(monkeypatch):
    """Let a system be one that cannot exchange two folders."""
    monkeypatch.setattr(swap, "exchange", lambda one, other: False)


@pytest.fixture(params=["one step", "two steps"])
def steps(request, monkeypatch):
    if request.param == "two steps":
        in_two_steps(monkeypatch)
    return request.param


def test_this_system_exchanges_two_folders_in_one_step(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    assert exchange(tmp_path / "a", tmp_path / "b") is True
    assert snapshot(tmp_path) == {"a/b": b"", "b/a": b""}


def test_an_exchange_that_fails_says_why(tmp_path):
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "a", tmp_path / "b")


@pytest.mark.parametrize("platform", ["win32", "freebsd14"])
def test_a_system_without_the_call_is_no_failure(tmp_path, monkeypatch, platform):
    monkeypatch.setattr(swap.sys, "platform", platform)
    assert exchange(tmp_path, tmp_path) is False


def test_a_file_system_without_the_call_is_no_failure(tmp_path, monkeypatch):
    monkeypatch.setitem(swap.EXCHANGES, sys.platform, (
        swap.EXCHANGES[sys.platform][0], 1 << 20))
    assert exchange(tmp_path, tmp_path) is False


def test_a_new_site_takes_the_place_of_the_old_one(tmp_path, steps):
    for text in ("one", "two", "three"):
        write_site({text: text}, tmp_path / "out")
        assert snapshot(tmp_path) == {f"out/{text}": text.encode(),
                                      f"out/{MARKER}": b""}


@pytest.mark.parametrize("failing", [1, 2])
def test_a_failed_swap_puts_the_old_site_back(tmp_path, monkeypatch, failing):
    write_site({"x": "old"}, tmp_path / "out")
    in_two_steps(monkeypatch)
    real, calls = os.rename, []

    def one_fails(source, target):
        calls.append(source)
        if len(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    monkeypatch.setattr("sitegen.swap.os.rename", one_fails)
    with pytest.raises(BuildFailed, match="problems"):
        write_site({"x": "new"}, tmp_path / "out")
    assert snapshot(tmp_path) == {"out/x": b"old", f"out/{MARKER}": b""}


def test_an_old_site_that_was_aside_is_put_back(tmp_path, monkeypatch):
    """As after a kill between the two renamings."""
    write_site({"x": "old"}, tmp_path / "out")
    (tmp_path / "out").rename(tmp_path / ".out-old-abcd1234")
    with new_folder(tmp_path / "out"):
        assert snapshot(tmp_path) == {"out/x": b"old", f"out/{MARKER}": b""}
    (tmp_path / ".out-old-abcd1234").mkdir()
    with new_folder(tmp_path / "out"):
        assert not (tmp_path / ".out-old-abcd1234").exists()


def test_what_a_killed_build_left_is_removed(tmp_path):
    (tmp_path / LEFT / "a").mkdir(parents=True)
    (tmp_path / LEFT / "a" / "b").write_text("x")
    others = [".out-new-notes", ".other-new-abcd1234", ".out-new-abcd12345", "out2"]
    for name in others:
        (tmp_path / name).mkdir()
    write_site({"x": "y"}, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*others, "out"])


HOLDER = """
import sys; sys.path[:] = {path!r}
from pathlib import Path
from sitegen.swap import new_folder
with new_folder(Path("out").resolve()) as fresh:
    print(fresh, flush=True)
    input()
"""


def test_what_a_running_build_writes_is_left_alone(tmp_path):
    with subprocess.Popen(
            [sys.executable, "-c", HOLDER.format(path=sys.path)], cwd=tmp_path,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as build:
        running = tmp_path / os.path.basename(build.stdout.readline().strip())
        write_site({"x": "y"}, tmp_path / "out")
        assert running.is_dir()
        build.kill()
        build.wait()
        assert running.is_dir()
        write_site({"x": "y"}, tmp_path / "out")
        assert not running.exists()


def test_an_old_site_that_was_made_read_only_is_removed():
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / LEFT
        (folder / "a" / "closed").mkdir(parents=True)
        (folder / "a" / "b").write_text("x")
        (folder / "a" / "closed").chmod(0)
        (folder / "a").chmod(0o555)
        assert as_nobody(lambda: swap.remove(folder), Path(parent)) == "None"
        assert not folder.exists()


@pytest.mark.parametrize(("age", "stays"), [(0, True), (OLD_SECONDS + 60, False)])
def test_without_locks_what_is_old_was_left_behind(tmp_path, monkeypatch, age, stays):
    monkeypatch.setattr(swap, "fcntl", None)
    (tmp_path / LEFT).mkdir()
    then = time.time() - age
    os.utime(tmp_path / LEFT, (then, then))
    write_site({"x": "y"}, tmp_path / "out")
    assert (tmp_path / LEFT).exists() is stays
    assert (tmp_path / "out" / "x").read_bytes() == b"y"


def test_a_file_system_without_locks_is_no_failure(tmp_path, monkeypatch):
    def unsupported(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(swap.fcntl, "flock", unsupported)
    (tmp_path / LEFT).mkdir()
    write_site({"x": "y"}, tmp_path / "out")
    assert (tmp_path / LEFT).exists() and (tmp_path / "out" / "x").exists()


def test_a_lock_is_held_by_one(tmp_path):
    held = lock(tmp_path)
    with pytest.raises(BlockingIOError):
        lock(tmp_path)
    release(held)
    release(lock(tmp_path))


def test_a_folder_that_is_there_first_is_replaced_too(tmp_path, steps):
    for name in ("out", "fresh"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    replace(tmp_path / "out", tmp_path / "fresh")
    assert snapshot(tmp_path / "out") == {"fresh": b""}
