"""Put a folder in another's place: at any moment, one of the two is there, whole.

A new site is made in a folder beside the output that its build keeps locked.  The next
build of the same output removes such folders of builds that were killed: nobody holds
them any more.
"""

import errno
import os
import shutil
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from sitegen.lazy import ctypes

try:
    import fcntl
except ImportError:     # Windows: no locks, so only what is old counts as left behind
    fcntl = None

EXCHANGES = {"linux": ("renameat2", 2), "darwin": ("renameatx_np", 2)}
HERE = {"linux": -100, "darwin": -2}            # AT_FDCWD
NOT_HERE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}
RANDOM = 8              # characters that mkdtemp adds to a name
OLD_SECONDS = 3600      # without locks, what is older was left behind


@contextmanager
def new_folder(output):
    """Give a new folder beside the output; what is in it at the end is removed.

    Raises OSError where none can be made.
    """
    with locked(output.parent):
        sweep(output)
        fresh = Path(tempfile.mkdtemp(prefix=f".{output.name}-new-", dir=output.parent))
        held = lock(fresh)
    try:
        yield fresh
    finally:
        remove(fresh)
        release(held)


def replace(output, fresh):
    """Put the folder `fresh` in the place of the output; an old one is then in fresh.

    Raises OSError; then the output is as it was.
    """
    with locked(output.parent):
        if not output.exists():
            os.rename(fresh, output)
        elif not exchange(fresh, output):
            rename_both(fresh, output)


def exchange(one, other):
    """Exchange two folders in one step; return False where the system cannot."""
    name, flag = EXCHANGES.get(sys.platform, ("", 0))
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
    if call is None:
        return False
    here = HERE[sys.platform]
    if call(here, os.fsencode(one), here, os.fsencode(other), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in NOT_HERE:
        return False
    raise OSError(code, os.strerror(code), str(other))


def rename_both(fresh, output):
    """Put fresh in the output's place in two steps; killed between them, the old one
    is put back by the next build."""
    old = output.with_name(f".{output.name}-old-{fresh.name[-RANDOM:]}")
    os.rename(output, old)
    try:
        os.rename(fresh, output)
    except BaseException:
        os.rename(old, output)
        raise
    os.rename(old, fresh)


def sweep(output):
    """Remove what killed builds left beside the output; put its old site back, where
    one was killed while there was none."""
    for old in left(output, "old"):     # there for a moment only, under the same lock
        if not output.exists():
            os.rename(old, output)
        remove(old)
    for fresh in left(output, "new"):
        with suppress(OSError):         # its build runs, or has just removed it
            held = lock(fresh)
            if held is not None or time.time() - fresh.stat().st_mtime > OLD_SECONDS:
                remove(fresh)
            release(held)


def remove(folder):
    """Remove a folder if it is there, an old site that was made read-only too."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        with suppress(OSError):
            folder.chmod(0o700)
            for path, names, _ in os.walk(folder):
                for name in names:
                    os.chmod(os.path.join(path, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def left(output, kind):
    """Return the folders beside the output that builds of it made."""
    begin = f".{output.name}-{kind}-"
    return [output.parent / name for name in os.listdir(output.parent)
            if name.startswith(begin) and len(name) == len(begin) + RANDOM]


@contextmanager
def locked(folder):
    """Hold a folder's lock, after waiting for it, where there are such locks, and such
    a folder."""
    held = None
    with suppress(OSError):
        held = lock(folder, wait=True)
    try:
        yield
    finally:
        release(held)


def lock(folder, wait=False):
    """Return a lock of a folder that ends with this process, None where the system has
    none; raises BlockingIOError where another process holds it."""
    if fcntl is None:
        return None
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(held)
        raise
    except OSError:         # a file system without locks
        os.close(held)
        return None
    return held


def release(held):
    """Give up a lock that `lock` returned."""
    if held is not None:
        os.close(held)
