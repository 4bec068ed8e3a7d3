"""Tell of each saved file of which a site is made."""

import queue
import threading
from contextlib import suppress
from pathlib import Path

from watchfiles import DefaultFilter, watch

from sitegen.content import read_toml
from sitegen.errors import BuildFailed, Place, Problem

ROOT = Path(__file__).parents[2]
# What every site is made of, beside its content.
SOURCES = ("templates", "static", "sitegen", "model", "probe/traces")
QUIET_MS, AT_MOST_MS = 100, 1000    # a burst of saves ends with a pause, or is cut
LOOK_SECONDS = 0.5      # Windows hears no Ctrl-C while it waits for a queue


class Watcher:
    """Watches folders with all below them, and single files by their folders."""

    def __init__(self, content, output):
        self._content, self._output = Path(content).resolve(), Path(output).resolve()
        self._saved = queue.SimpleQueue()
        self._watched, self._stop = None, threading.Event()
        self.look_again()

    def saves(self):
        """Yield the set of Paths of each burst of saves.  Raises BuildFailed where the
        system refuses to watch."""
        while True:
            saved = self._next_save()
            while not self._saved.empty():
                saved |= self._next_save()
            self.look_again()
            yield saved

    def _next_save(self):
        while True:
            try:
                saved = self._saved.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            if isinstance(saved, Exception):
                raise BuildFailed([Problem(Place("serve"), "cannot watch the files: "
                                           f"{saved}")])
            return saved

    def look_again(self):
        """Watch what there is now: a site may name other files than before, and a
        folder that was replaced is another one."""
        folders = [path for path in (self._content, *(ROOT / name for name in SOURCES))
                   if path.is_dir()]
        files = {ROOT / "build.py", self._content, *outside_files(self._content)}
        around = {path.parent for path in files if path.parent.is_dir()}
        now = ({(path, inode(path)) for path in (*folders, *around)}, files)
        if now == self._watched:
            return
        self._stop.set()
        self._watched, self._stop = now, threading.Event()
        self._listen(folders, True, lambda path: True)
        self._listen(around, False, files.__contains__)

    def _listen(self, paths, recursive, is_meant):
        """Put the saves below some folders into the queue, in a thread of its own."""
        stop, ignore = self._stop, DefaultFilter()

        def counts(change, path):
            found = Path(path)
            return (ignore(change, path) and is_meant(found)
                    and not found.is_relative_to(self._output))

        def listen():
            try:
                for changes in watch(*paths, watch_filter=counts, step=QUIET_MS,
                                     debounce=AT_MOST_MS, stop_event=stop,
                                     recursive=recursive, raise_interrupt=False):
                    self._saved.put({Path(path) for _, path in changes})
            except FileNotFoundError:       # gone since we looked, so look again
                self._watched = None
                self._saved.put(set(paths))
            except (OSError, RuntimeError) as error:    # such as too many folders
                self._saved.put(error)

        threading.Thread(target=listen, daemon=True).start()


def inode(path):
    """Return what tells a folder from another one in its place; None if it is gone."""
    with suppress(OSError):
        return path.stat().st_ino


def outside_files(content):
    """Return the files outside a content folder that its settings name."""
    site, traces = (
        {} if problems else data or {} for data, problems in (
            read_toml(content, "site.toml", "site.schema.json"),
            read_toml(content, "traces.toml", "traces.schema.json")))
    named = [*site.get("publish", []),
             *(name for trace in traces.values()
               for name in (trace.get("file", ""), *trace.get("run", [])))]
    paths = {content.parent / name for name in named if name}
    return {path for path in paths if path.is_relative_to(content.parent)}
