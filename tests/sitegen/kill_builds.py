"""Kill builds at random; after each, the old site is there or the new one, whole.

    python -m tests.sitegen.kill_builds [COUNT] [SEED]

Prints one line.  Half of the builds are killed after some time, half just before one of
the changes that they make to the file system.  Each is a fork of this process, which
has imported the libraries and compiled the templates: so the kills fall where a build
reads, runs, renders and writes.
"""

import contextlib
import io
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import build
from sitegen import site_build
from tests.site_builder import SmallSite, snapshot

WHOLE = 12      # after so many kills, one build runs to its end
KEPT = {"content", "_site", "._site-cache"}
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.chmod",
           "ctypes.dlsym"}      # the last is the exchange of the old and the new site
TEXT = """
## Version {version}

\\[ a_{version} \\]

/// snippet | s
```python
version = {version}
```

Caption.
///

[[value run:version]]
"""


class Killer:
    """Counts down the changes that this process makes; kills it at the last."""

    left = None     # None counts nothing

    def note(self, event, arguments):
        """Take one audit event."""
        if self.left is not None and (event in CHANGES or (
                event == "open" and arguments[2] & os.O_ACCMODE != os.O_RDONLY)):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


KILLER = Killer()


def write_version(site, version):
    """Write the content of one of two sites, which differ in their files too."""
    site.article(TEXT.format(version=version))
    site.add("articles/a/data.json", f"[{version}]")
    more = site.add("articles/a/more.json", "[]")
    if version == 1:
        more.unlink()


def run_build(site):
    """Build in this process, in silence; return the exit status."""
    with contextlib.redirect_stdout(io.StringIO()):
        return build.main(["--content", str(site.content), "--output",
                           str(site.output)])


def start(site, dies_at=None):
    """Start a build; return its process id.

    dies_at  the change, from 1, before which it kills itself
    """
    if pid := os.fork():
        return pid
    status = 99
    try:
        KILLER.left = dies_at
        status = run_build(site)
    finally:
        os._exit(status)


def built(site):
    """Build to the end; return (the site's bytes, the seconds that it took)."""
    begun = time.monotonic()
    _, status = os.waitpid(start(site), 0)
    assert status == 0, f"a build ended with status {status}"
    return snapshot(site.output), time.monotonic() - begun


def count_changes(site):
    """Return how many changes a build makes to the file system."""
    KILLER.left = 0
    assert run_build(site) == 0
    changes, KILLER.left = -KILLER.left, None
    return changes


def kill_one(site, choose, seconds, changes):
    """Start a build and kill it; return whether it had ended before."""
    if choose.random() < 0.5:
        pid = start(site)
        time.sleep(choose.uniform(0, seconds))
        os.kill(pid, signal.SIGKILL)
    else:
        pid = start(site, dies_at=choose.randint(1, changes))
    return os.WIFEXITED(os.waitpid(pid, 0)[1])


def kill_builds(folder, count, seed=0):
    """Return how often a kill left what; raise AssertionError where a site is not
    whole, or a later build fails or leaves something behind."""
    choose, found, wanted, times = random.Random(seed), Counter(), {}, []
    site = SmallSite(folder)
    write_version(site, 2)
    run_build(site)             # what comes now finds a cache, and templates compiled
    write_version(site, 1)
    changes = count_changes(site)
    for version in (1, 2):
        write_version(site, version)
        wanted[version], elapsed = built(site)
        times.append(elapsed)
    before = wanted[2]
    while (killed := found["old"] + found["new"]) < count:
        version = 1 if before == wanted[2] else 2
        write_version(site, version)
        ended = kill_one(site, choose, max(times), changes)
        now = snapshot(site.output)
        assert now in (before, wanted[version]), (
            f"after {killed} kills one left a site that is not whole")
        found["ended" if ended else "new" if now != before else "old"] += 1
        found["left"] += len([*site.folder.glob("._site-new-*")]) > 0
        before = now
        if killed % WHOLE == 0 or killed == count - 1:
            before = look_at_next_build(site, wanted[version])
    return found


def look_at_next_build(site, wanted):
    """Build to the end; return the site's bytes, which are the wanted ones, and all
    that there is beside the content and the cache."""
    now, _ = built(site)
    assert now == wanted, "the build after a kill made another site"
    left = {path.name for path in site.folder.iterdir()} - KEPT
    assert not left, f"the build after a kill left {left}"
    return now


def main(count="120", seed="0"):
    """Kill so many builds; print what was found."""
    environment = site_build.new_environment()
    sys.addaudithook(KILLER.note)
    with (tempfile.TemporaryDirectory() as folder,
          patch.object(site_build, "new_environment", lambda *kept: environment)):
        found = kill_builds(Path(folder), int(count), int(seed))
    print(f"{count} builds killed: {found['old']} left the old site, {found['new']} "
          f"the new one, none a half; {found['left']} left a folder, which the next "
          f"build removed ({found['ended']} more had ended before)")


if __name__ == "__main__":
    main(*sys.argv[1:])
