"""A program that a build runs takes no more than it may, and leaves nothing running."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sitegen import children
from sitegen.children import LimitHit, Limits, run_child
from sitegen.programs import run_trace
from sitegen.snippets import Snippet, run_snippets

FEW = Limits(seconds=30, memory_mb=512, written_mb=8)


def run(folder, code, limits=FEW, **options):
    """Return the status of a Python program in a folder."""
    return run_child([sys.executable, "-c", code], folder, limits, folder, **options)


def snippet_problem(code, limits=FEW):
    """Return the one Problem of a snippet."""
    lines = tuple(code.split("\n"))
    values, (problem,), _ = run_snippets([Snippet("s", "a.md", 1, code, lines)], {},
                                         limits)
    assert values == {}
    return problem


@pytest.mark.parametrize(("code", "limits", "message"), [
    ("import time\ntime.sleep(60)", {"seconds": 1}, "did not end within 1 s"),
    ("while True:\n    pass", {"seconds": 50, "processors": 0.02},
     "used more than 1 s of processor time"),
    ("for n in range(9):\n    open(str(n), 'wb').write(bytes(2**20))", {},
     "wrote more than 8 MB"),
    ("import time\nfor n in range(9):\n    open(str(n), 'wb').write(bytes(2**20))\n"
     "time.sleep(60)", {}, "wrote more than 8 MB"),
    ("try:\n    open('a', 'wb').write(bytes(2**25))\nexcept OSError:\n    pass", {},
     "wrote more than 8 MB"),
])
def test_a_limit_that_is_hit_is_named(tmp_path, code, limits, message):
    begun = time.monotonic()
    with pytest.raises(LimitHit) as hit:
        run(tmp_path, code, replace(FEW, **limits))
    assert str(hit.value) == message
    assert time.monotonic() - begun < 20


def test_below_its_limits_a_program_ends_as_it_likes(tmp_path):
    code = "open('a', 'wb').write(bytes(2**22)); bytearray(2**27); raise SystemExit(3)"
    assert run(tmp_path, code) == 3
    assert run(tmp_path, "import os; os.kill(os.getpid(), 15)") == -signal.SIGTERM


def test_a_snippet_without_memory_is_named_with_its_line():
    problem = snippet_problem("x = 1\ny = bytearray(2**30)")
    assert (str(problem.place), problem.message) == ("a.md:2:5", "MemoryError")
    assert "raise 'limits' in site.toml" in problem.todo


def test_a_snippet_that_fills_a_disk_is_named():
    problem = snippet_problem("with open('a', 'wb') as f:\n    f.write(bytes(2**25))")
    assert problem.message == "the article's snippets wrote more than 8 MB"


def trace_problem(folder, *argv, **limits):
    """Return what is said of a program of traces.toml."""
    (folder / "content").mkdir()
    _, text, (problem,), _ = run_trace(folder / "content", "t", argv,
                                       replace(FEW, **limits))
    assert text == ""
    return str(problem)


def test_a_trace_program_without_memory_is_named(tmp_path):
    (tmp_path / "large.py").write_text("bytearray(2**30)")
    assert trace_problem(tmp_path, "python", "large.py") == (
        "content/traces.toml: t: 'python large.py' ended with status 1: MemoryError\n"
        "  make it smaller, or raise its 'limits' in traces.toml")


def test_a_trace_program_that_prints_without_end_is_stopped(tmp_path):
    assert "wrote more than 8 MB" in trace_problem(tmp_path, "yes")


@pytest.mark.parametrize(("argv", "said"), [
    (["no-such-program"], "cannot be run: [Errno 2] No such file or directory"),
    (["a\0b"], "cannot be run: embedded null byte"),
    (["printf", r"\377"], "cannot be run: 'utf-8' codec can't decode byte 0xff"),
    (["python", "gone.py"], "ended with status 2: "),
])
def test_a_program_that_cannot_be_used_is_named(tmp_path, argv, said):
    assert said in trace_problem(tmp_path, *argv)


def test_what_is_no_python_script_cannot_be_seen(tmp_path):
    (tmp_path / "content").mkdir()
    (tmp_path / "script.py").write_text("print(1)")
    for argv, seen in ((["python", "script.py"], True), (["echo", "1"], False),
                       (["python", "-c", "print(1)"], False)):
        _, text, problems, reads = run_trace(tmp_path / "content", "t", argv)
        assert (text, problems, bool(reads.unseen)) == ("1\n", [], not seen)


FORKS = """
import os, time
for _ in range(5):
    os.fork()
open(f"{os.getpid()}.pid", "w").close()
while True:
    time.sleep(1)
"""


def test_a_crowd_of_children_ends_with_its_group(tmp_path):
    with pytest.raises(LimitHit):
        run(tmp_path, FORKS, replace(FEW, seconds=3))
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 32
    assert not [pid for pid in pids if runs(pid)]


def runs(pid):
    """Tell whether a process runs: one that ended and was not waited for does not."""
    for _ in range(50):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state in "ZX":
            return False
        time.sleep(0.1)
    return True


def test_an_interrupted_build_ends_its_program(tmp_path):
    code = (f"import sys; sys.path[:] = {sys.path!r}\n"
            "from pathlib import Path\nfrom sitegen.children import *\n"
            "program = 'import os, time; open(str(os.getpid()) + \".pid\", \"w\");"
            " time.sleep(60)'\n"
            f"run_child([{sys.executable!r}, '-c', program], Path('.'), Limits(),"
            " Path('.'))")
    build = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path,
                             stderr=subprocess.DEVNULL)
    while not (found := [*tmp_path.glob("*.pid")]):
        time.sleep(0.05)
    build.send_signal(signal.SIGINT)
    assert build.wait(20) == -signal.SIGINT
    assert not runs(int(found[0].stem))


def test_a_system_without_these_calls_still_stops_a_program(tmp_path, monkeypatch):
    """As on Windows: no resource module, no process groups, no SIGKILL."""
    monkeypatch.setattr(children, "resource", None)
    monkeypatch.delattr(os, "killpg")
    monkeypatch.delattr(signal, "SIGKILL")
    monkeypatch.delattr(signal, "SIGXCPU")
    monkeypatch.setattr(subprocess.Popen, "kill", subprocess.Popen.terminate)
    assert run(tmp_path, "raise SystemExit(3)") == 3
    with pytest.raises(LimitHit, match="did not end within 1 s"):
        run(tmp_path, "import time\ntime.sleep(60)", replace(FEW, seconds=1))


def test_what_a_content_folder_names_raises_the_limits():
    raised = FEW.raised({"seconds": 7, "memory-mb": 9})
    assert raised == replace(FEW, seconds=7, memory_mb=9)
    assert FEW.raised({}) == FEW
