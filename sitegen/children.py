"""Run a program of the author's: it ends, and takes no more than it may."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.errors import BuildFailed, Place, Problem

try:
    import resource
except ImportError:     # Windows; there only the time and what is written are limited
    resource = None

SAME = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8", "LANGUAGE": "",
        "TZ": "UTC", "COLUMNS": "80", "LINES": "24"}
MORE_TASKS = 1000   # processes and threads that a program may add to the machine's
LOOK_SECONDS = 0.5  # between two looks at what was written


@dataclass(frozen=True)
class Limits:
    """What one program, with what it starts, may take.

    processors  how many it may keep busy for all of its seconds
    memory_mb   of each process, in 2**20 bytes; files that are mapped do not count
    written_mb  in its output and its working folder, and in any one file elsewhere
    """

    seconds: float = 120
    processors: float = os.cpu_count() or 1
    memory_mb: int = 4096
    written_mb: int = 1024

    @property
    def processor_seconds(self):
        """Return the processor time of each process, in whole seconds."""
        return max(1, round(self.seconds * self.processors))

    def raised(self, settings):
        """Return these limits with those that a `limits` of the content names."""
        return replace(self, **{name.replace("-", "_"): value
                                for name, value in settings.items()})


class LimitHit(Exception):
    """A program took more than it may; the message says of what."""


def run_child(command, folder, limits, written, output=(None, None)):
    """Return the exit status of a program when it has ended; a signal is negative.

    folder   its working folder
    written  the folder below which all files together count as written
    output   open files for its standard output and error, None for nowhere

    It leads a process group of its own, which ends with it.  Raises LimitHit, or
    OSError where it cannot be started.
    """
    stdout, stderr = (subprocess.DEVNULL if to is None else to for to in output)
    child = subprocess.Popen(command, cwd=folder, env=environment(), stdout=stdout,
                             stderr=stderr, stdin=subprocess.DEVNULL,
                             start_new_session=True)
    try:
        limit(child.pid, limits)
        wait(child, limits, written)
    finally:
        end(child)
    if child.returncode == -getattr(signal, "SIGXCPU", signal.NSIG):
        raise LimitHit(f"used more than {limits.processor_seconds} s of processor time")
    return child.returncode


@contextmanager
def scratch_folder():
    """Give a folder for one run, which is removed with what the program left there.

    Raises BuildFailed where it cannot be made or filled.
    """
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as error:
        name = Path(error.filename or "").name
        raise BuildFailed([Problem(
            Place("temporary files"), f"no program can be run: {error.strerror} "
            f"({name})", "make room for them, or name another folder in TMPDIR")
        ]) from None


def environment():
    """Return the environment of programs that a build runs: the same everywhere."""
    return {**os.environ, **SAME}


def limit(pid, limits):
    """Let the system hold a process to its limits, where it does that from outside.

    Not between fork and exec, where no Python may run once a build has threads.
    """
    if not hasattr(resource, "prlimit"):
        return
    with suppress(ProcessLookupError):      # it has ended already
        for which, value in ((resource.RLIMIT_CPU, limits.processor_seconds),
                             (resource.RLIMIT_DATA, limits.memory_mb << 20),
                             (resource.RLIMIT_FSIZE, limits.written_mb << 20),
                             (resource.RLIMIT_CORE, 0),
                             (resource.RLIMIT_NPROC, most_tasks())):
            hard = resource.prlimit(pid, which)[1]
            soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, which, (soft, hard))


def most_tasks():
    """Return how many processes and threads one user may have: more than run now."""
    try:
        now = Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2]
    except OSError:         # a system that does not tell
        return sys.maxsize
    return int(now) + MORE_TASKS


def wait(child, limits, written):
    """Wait for a process to end; raise LimitHit when it took too long or too much."""
    until = time.monotonic() + limits.seconds
    while child.returncode is None:
        rest = until - time.monotonic()
        if rest <= 0:
            raise LimitHit(f"did not end within {limits.seconds:g} s")
        with suppress(subprocess.TimeoutExpired):
            child.wait(min(rest, LOOK_SECONDS))
        if size_of(written) >= limits.written_mb << 20:
            raise LimitHit(f"wrote more than {limits.written_mb} MB")


def size_of(folder):
    """Return the bytes of all files below a folder, which a program may be changing."""
    size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += os.lstat(os.path.join(path, name)).st_size
    return size


def end(child):
    """End a process and, where there are process groups, all that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()
