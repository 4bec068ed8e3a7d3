"""Whatever happens to a build, the folder that it writes is the old site or the new."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from sitegen import cache, output, snippets
from sitegen.errors import BuildFailed
from sitegen.output import write_site
from sitegen.pipeline import build
from tests.site_builder import SmallSite, obeying_modes, snapshot
from tests.sitegen.test_children import runs

ROOT = Path(__file__).parents[2]
BUILD = [sys.executable, str(ROOT / "build.py")]
KILLS = "120"
IN_PLACE = """
from pathlib import Path
from sitegen import pipeline
from tests.sitegen import kill_builds

def write_in_place(files, output, *arguments):
    for path, content in files.items():
        (Path(output) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(output) / path).write_bytes(content.read_bytes())
        (Path(output) / ".written-by-build-py").touch()

pipeline.write_site = write_in_place
kill_builds.main("40")
"""


def test_builds_killed_at_any_moment_leave_a_whole_site(record_property):
    done = subprocess.run([sys.executable, "-m", "tests.sitegen.kill_builds", KILLS],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    record_property("printed", done.stdout.strip())
    assert done.stdout.startswith(f"{KILLS} builds killed: ")


def test_a_site_that_is_written_in_place_would_be_found_out():
    done = subprocess.run([sys.executable, "-c", IN_PLACE], cwd=ROOT,
                          capture_output=True, text=True)
    assert "left a site that is not whole" in done.stderr


@contextmanager
def small_disk(size):
    """Give a folder that so many bytes fit into: a file system of its own, where we may
    mount one; else a folder, and then all that is large counts as too much."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs",
                                  folder], capture_output=True).returncode == 0
        try:
            yield Path(folder), mounted
        finally:
            if mounted:
                subprocess.run(["umount", folder], check=True)


def fill(folder, mounted, monkeypatch):
    """Leave no room in a small disk."""
    if not mounted:
        monkeypatch.setattr(output, "_write", no_room)
        monkeypatch.setattr(cache, "write_whole", no_room)
    with suppress(OSError), open(folder / "filler", "wb", buffering=0) as filler:
        while mounted:
            filler.write(bytes(4096))


def no_room(target, content):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))


def built(site, text):
    """Return the site's bytes after a build with a cache, of one article."""
    site.article(text)
    build(site.content, site.output)
    return snapshot(site.output)


def test_a_full_disk_leaves_the_old_site(site, monkeypatch):
    with small_disk(1 << 21) as (folder, mounted):
        site.output = folder / "_site"
        old = built(site, "Old.\n")
        with monkeypatch.context() as full:
            fill(folder, mounted, full)
            site.article("New, " + "and long. " * 5000)
            assert str(failure_of(site)).startswith(
                "_site: cannot be written: No space left on device (")
            assert snapshot(site.output) == old
        (folder / "filler").unlink()
        assert built(site, "New.\n") != old
        assert {path.name for path in folder.iterdir()} == {"_site", "._site-cache"}


def test_without_room_for_a_cache_there_is_still_a_site(site, monkeypatch):
    built(site, "Old.\n")
    with monkeypatch.context() as full:
        full.setattr(cache, "write_whole", no_room)
        assert b"New." in built(site, "New.\n")["a/index.html"]
    assert b"Newest." in built(site, "Newest.\n")["a/index.html"]


def test_a_read_only_folder_is_named():
    with tempfile.TemporaryDirectory() as folder:
        site = SmallSite(folder)
        built(site, "Old.\n")
        site.article("New.\n")
        before = snapshot(site.folder)
        for path in [site.folder, *site.folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        said = obeying_modes(lambda: str(failure_of(site)))
        site.folder.chmod(0o755)
        assert said.startswith("_site: cannot be written: Permission denied (")
        assert snapshot(site.folder) == before


def failure_of(site):
    """Return the first problem of a build with a cache."""
    try:
        return build(site.content, site.output)
    except BuildFailed as failure:
        return failure.problems[0]


def test_no_room_for_temporary_files_is_named(site, monkeypatch):
    monkeypatch.setattr(snippets, "_put", no_room)
    site.article("/// snippet\n```python\nx = 1\n```\n///\n")
    assert [str(problem) for problem in site.failure()] == [
        "temporary files: no program can be run: No space left on device (job.json)\n"
        "  make room for them, or name another folder in TMPDIR"]


def start(site, **options):
    """Start the command that builds a site."""
    return subprocess.Popen(
        [*BUILD, "--content", str(site.content), "--output", str(site.output)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_builds_at_once_into_one_folder_all_succeed(site):
    site.article("/// snippet | s\n```python\nx = 1\n```\n\nCaption.\n///\n")
    builds = [start(site) for _ in range(3)]
    told = [build.communicate() for build in builds]
    assert [build.returncode for build in builds] == [0, 0, 0], told
    together = snapshot(site.output)
    assert not [*site.folder.glob("._site-new-*"), *site.folder.glob("._site-old-*")]
    assert start(site).wait() == 0
    assert snapshot(site.output) == together


WRITER = """
import sys; sys.path[:] = {path!r}
from sitegen.errors import BuildFailed
from sitegen.output import write_site
for n in range(40):
    write_site({{f"{{n % 7}}/x": str(n), "y": "y"}}, "out")
"""


def test_there_is_a_site_at_every_moment(tmp_path):
    write_site({"y": "y"}, tmp_path / "out")
    code = WRITER.format(path=sys.path)
    writers = [subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
               for _ in range(3)]
    looked = 0
    while any(writer.poll() is None for writer in writers):
        assert (tmp_path / "out").is_dir()
        looked += 1
    assert looked > 100
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert len(snapshot(tmp_path / "out")) == 3


def test_ctrl_c_stops_a_build_and_what_it_runs(site):
    site.article("Text.\n")
    assert start(site).wait() == 0
    before = snapshot(site.output)
    began = site.folder / "began"
    site.article("/// snippet\n```python\nimport os, time\n"
                 f"with open({str(began)!r}, 'w') as file:\n"
                 "    file.write(str(os.getpid()))\ntime.sleep(60)\n```\n///\n")
    started = start(site)
    pid = wait_for_number(began)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=30)
    assert (started.returncode, "Traceback" in said) == (130, False), said
    assert not runs(pid)
    assert snapshot(site.output) == before
    assert not [*site.folder.glob("._site-new-*")]


def wait_for_number(file):
    """Return the number that a file holds, as soon as it does."""
    while True:
        with suppress(OSError, ValueError):
            return int(file.read_text())
        time.sleep(0.02)
