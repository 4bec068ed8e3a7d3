"""What a program reads is told, and it runs as it would without being listened to."""

import os
import subprocess
import sys

import pytest

from sitegen import audited as audited_module
from sitegen.audited import Reads, audited, read_report

PLAIN = {
    "values": "import sys\nprint(sys.argv, __name__, __file__, __package__, __doc__)\n"
              "print(sys.path[0], __spec__, __builtins__, sorted(globals()))",
    "doc": '"""What it says."""\nprint(__doc__)',
    "status": "import sys\nsys.exit(7)",
    "words": "import sys\nsys.exit('it went wrong')",
    "raises": "def f(n):\n    return 1 / n\n\nf(0)",
    "chain": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n"
             "    raise ValueError('é') from e",
    "syntax": "x = (1,\ny = 2",
    "interrupted": "raise KeyboardInterrupt",
    "at the end": "import atexit\natexit.register(print, 'last')\nprint('first')",
    "thread": "import threading, time\n"
              "threading.Thread(target=lambda: (time.sleep(.1), print('t'))).start()",
    "shadow": "import json, random\nprint(json.X, random.X)",
    "itself": "import __main__, pickle\nclass C: x = 5\n"
              "print(__main__.C, pickle.loads(pickle.dumps(C())).x)",
    "future": "def f(x: int): pass\nprint(f.__annotations__)",
    "not utf-8": "# -*- coding: latin-1 -*-\nprint(ascii('é'))",
    "killed": "import os\nos.kill(os.getpid(), 9)",
    "output": "import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('é')",
    "stdin": "print(input())",
}


def ended(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, input=b"typed\n",
                          env={**os.environ, "PYTHONHASHSEED": "0"})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", PLAIN)
def test_a_script_runs_as_without_the_audit(tmp_path, name):
    (tmp_path / "sub").mkdir()
    for module in ("json", "random") if name == "shadow" else ():
        (tmp_path / "sub" / f"{module}.py").write_text(f"X = 'own {module}'\n")
    (tmp_path / "sub" / "script.py").write_text(PLAIN[name], "utf-8")
    arguments = ["sub/script.py", "--flag", "-", "ä b"]
    plain = ended([sys.executable, "-B", *arguments], tmp_path)
    assert ended(audited(tmp_path / "report", *arguments), tmp_path) == plain
    assert any(plain)


def reads_of(folder, code, **files):
    """Return the Reads of a script in folder/project, beside files of its own."""
    project = folder / "project"
    for name, text in {"script.py": code, **files}.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    status, _, error = ended(audited(folder / "report", "script.py"), project)
    assert status == 0, error.decode()
    return read_report(folder / "report")


def names_of(paths, folder):
    """Return paths of a project relative to it; those of others are left out."""
    project = str(folder / "project") + os.sep
    return sorted(path.removeprefix(project) for path in paths
                  if path.startswith(project))


DATA = {"data.txt": "1,2\n", "helper.py": "import deeper\n", "deeper.py": "",
        "pkg/__init__.py": "", "pkg/part.py": ""}
SEEN = {
    "open": ("open('data.txt').read()", ["data.txt"]),
    "pathlib": ("import pathlib\npathlib.Path('data.txt').read_text()", ["data.txt"]),
    "os.open": ("import os\nos.read(os.open(b'data.txt', os.O_RDONLY), 9)",
                ["data.txt"]),
    "import": ("import helper", ["deeper.py", "helper.py"]),
    "package": ("import importlib\nimportlib.import_module('pkg.part')",
                ["pkg/__init__.py", "pkg/part.py"]),
    "np.loadtxt": ("import numpy\nnumpy.loadtxt('data.txt', delimiter=',')",
                   ["data.txt"]),
    "np.fromfile": ("import numpy\nnumpy.fromfile('data.txt', 'u1')", ["data.txt"]),
    "np.memmap": ("import numpy\nnumpy.memmap('data.txt', 'u1', 'r')[0]",
                  ["data.txt"]),
    "mmap": ("import mmap\nwith open('data.txt') as f:\n"
             "    mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[0]",
             ["data.txt"]),
    "sqlite3": ("import sqlite3\nsqlite3.connect('d.db')", ["d.db"]),
    "absent": ("try:\n    open('gone.txt')\nexcept OSError:\n    pass", ["gone.txt"]),
    "update": ("open('data.txt', 'r+').read()", ["data.txt"]),
    "another folder": ("import os\nos.chdir('pkg')\nopen('../data.txt').read()",
                       ["data.txt"]),
    "a link": ("import os\nos.path.islink('l') or os.symlink('data.txt', 'l')\n"
               "open('l').read()", ["l"]),
    "exec": ("exec(open('deeper.py').read())", ["deeper.py"]),
    "runpy": ("import runpy\nrunpy.run_path('deeper.py')", ["deeper.py"]),
}


@pytest.mark.parametrize("how", SEEN)
def test_what_a_program_reads_is_told(tmp_path, how):
    code, expected = SEEN[how]
    reads = reads_of(tmp_path, code, **DATA)
    assert names_of(reads.files, tmp_path) == sorted([*expected, "script.py"])
    assert not reads.unseen and not reads.names


def test_bytecode_counts_as_the_source_that_it_was_made_from(tmp_path):
    reads_of(tmp_path, "import helper", **DATA)
    subprocess.run([sys.executable, "-m", "compileall", "-q", tmp_path / "project"],
                   check=True)
    reads = reads_of(tmp_path, "import helper", **DATA)
    assert names_of(reads.files, tmp_path) == ["deeper.py", "helper.py", "script.py"]


@pytest.mark.parametrize(("code", "folders"), [
    ("import os\nos.listdir('pkg')", ["pkg"]),
    ("import glob\nglob.glob('pkg/*.py')", ["pkg"]),
    ("import os\nlist(os.walk('pkg'))", ["pkg"]),
    ("from pathlib import Path\nlist(Path('pkg').iterdir())", ["pkg"]),
    ("import pkg.part", ["pkg"]),
    ("try:\n    import pkg.gone\nexcept ImportError:\n    pass", ["pkg"]),
    ("1", []),
])
def test_listed_folders_are_told(tmp_path, code, folders):
    reads = reads_of(tmp_path, code, **DATA)
    assert names_of(reads.folders, tmp_path) == folders


def test_the_folder_that_modules_are_looked_for_in_is_told(tmp_path):
    assert str(tmp_path / "project") in reads_of(tmp_path, "import helper",
                                                 **DATA).folders


def test_imported_packages_are_told_with_their_versions(tmp_path):
    reads = reads_of(tmp_path, "import numpy, yaml")
    assert set(reads.packages) == {"numpy", "pyyaml"}
    assert reads.packages["numpy"].count(".") == 2
    assert not [path for path in reads.files if "numpy" in path]
    assert reads_of(tmp_path, "1").packages == {}


def test_a_package_that_is_not_installed_is_told(tmp_path):
    reads = reads_of(tmp_path, "try:\n    import no_such_package\n"
                     "except ImportError:\n    pass")
    assert [path for path in reads.files
            if path.endswith("site-packages/no_such_package.py")]


def test_variables_that_are_looked_up_are_told(tmp_path):
    code = ("import os\nos.environ.get('ONE'), 'TWO' in os.environ, os.getenv('PATH')\n"
            "os.environ['OWN'] = '1'\nos.getenv('TZ'), os.getenvb(b'SIX')\n"
            "assert os.environb[b'OWN'] == b'1'")
    assert reads_of(tmp_path, code).variables == {"ONE", "TWO", "PATH", "SIX", "OWN"}
    assert reads_of(tmp_path, "import json").variables == frozenset()


def test_what_a_program_writes_for_others_is_said(tmp_path, monkeypatch):
    code = "open('made.txt', 'w').close(); open('made.txt').close()"
    assert not reads_of(tmp_path, code).unseen
    monkeypatch.setattr(audited_module, "TEMPORARY", "/nowhere")
    assert reads_of(tmp_path, code).unseen == "writes made.txt"


def test_what_a_program_made_itself_is_not_read(tmp_path):
    reads = reads_of(tmp_path, "import tempfile\nwith tempfile.NamedTemporaryFile() as "
                     "f:\n    f.write(b'x')\n    open(f.name).read()")
    assert names_of(reads.files, tmp_path) == ["script.py"]
    assert not [path for path in reads.files if "tmp" in os.path.basename(path)]


UNSEEN = {
    "starts a process (subprocess.Popen)":
        "import subprocess\nsubprocess.run(['true'])",
    "starts a process (os.system)": "import os\nos.system('true')",
    "starts a process (os.fork)":
        "import os, sys\nif os.fork() == 0:\n    sys.exit()\nos.wait()",
    "starts a process (os.posix_spawn)":
        "import os\nos.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)",
    "starts a process (multiprocessing)":
        "import multiprocessing as m\nif __name__ == '__main__':\n"
        "    p = m.get_context('spawn').Process(target=print)\n    p.start()\n"
        "    p.join()",
    "uses the network (socket.connect)":
        "import socket\ns = socket.socket()\ns.connect_ex(('127.0.0.1', 9))",
    "loads a C library (libc.so.6)": "import ctypes\nctypes.CDLL('libc.so.6')",
    "opens a database by its address (file:d.db?mode=rwc)":
        "import sqlite3\nsqlite3.connect('file:d.db?mode=rwc', uri=True)",
    "ended before it could tell what it read": "import os\nos._exit(0)",
}


@pytest.mark.parametrize("why", UNSEEN)
def test_what_nobody_can_see_is_said(tmp_path, why):
    reads = reads_of(tmp_path, UNSEEN[why])
    assert reads.unseen == why


def test_an_exec_leaves_no_report_to_trust(tmp_path):
    reads = reads_of(tmp_path, "import os\nos.execv('/bin/true', ['true'])")
    assert reads.unseen


def test_a_damaged_report_is_not_trusted(tmp_path):
    for text in ("", "{'opened'", "\0"):
        (tmp_path / "report").write_text(text)
        assert read_report(tmp_path / "report").unseen


def test_a_fork_does_not_write_the_report(tmp_path):
    code = ("import os, sys\nif os.fork() == 0:\n    open('deeper.py')\n"
            "    sys.exit()\nos.wait()\nopen('data.txt')")
    assert names_of(reads_of(tmp_path, code, **DATA).files, tmp_path) == [
        "data.txt", "script.py"]


def test_what_was_read_is_told_when_the_program_fails(tmp_path):
    (tmp_path / "script.py").write_text("open('script.py')\n1 / 0")
    status, *_ = ended(audited(tmp_path / "report", "script.py"), tmp_path)
    reads = read_report(tmp_path / "report")
    assert status == 1 and str(tmp_path / "script.py") in reads.files


def test_no_reads_are_equal_to_no_reads():
    assert Reads() == Reads(frozenset(), frozenset(), frozenset(), {}, frozenset(), "")
    assert not Reads().unseen
