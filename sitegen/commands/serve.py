"""`build.py serve`: show the site, and build it anew whenever a file is saved."""

import os
import signal
import sys
import threading
import webbrowser
from pathlib import Path

from sitegen.commands.rebuilding import Builder
from sitegen.commands.reporting import FEW, counted, say_failed
from sitegen.commands.server import Server
from sitegen.commands.watching import Watcher
from sitegen.errors import BuildFailed, Place, Problem

POLL_SECONDS = 0.05
ENDS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")
        if hasattr(signal, name)]


def run(options):
    """Serve until Ctrl-C, which ends it as KeyboardInterrupt.

    Raises BuildFailed where there is nothing to serve, or no way to.
    """
    content = Path(options.content)
    if not content.is_dir():
        raise BuildFailed([Problem(Place(str(content)), "no such folder",
                                   "name a content folder with --content")])
    builder = Builder(options)
    interrupt_by(builder.interrupt)
    with Server(options.output, options.port) as server:
        threading.Thread(target=server.serve_forever, args=[POLL_SECONDS],
                         daemon=True).start()
        try:
            follow(options, server, builder)
        finally:
            builder.stop()
            server.shutdown()


def interrupt_by(clear_up):
    """Let the first Ctrl-C, or a signal that would end us without a word, clear up and
    raise KeyboardInterrupt; those that come while we end are not heard."""
    def interrupt(number, frame):
        for name in ENDS:
            signal.signal(name, signal.SIG_IGN)
        clear_up()
        raise KeyboardInterrupt

    for name in ENDS:
        signal.signal(name, interrupt)


def follow(options, server, builder):
    """Build now, and after each burst of saves; tell the pages and the terminal."""
    watcher = Watcher(options.content, options.output)
    print(f"{server.address} (Ctrl-C ends it)", flush=True)
    build_and_tell(options, server, builder)
    if not options.no_open and has_screen():
        webbrowser.open(server.address)
    for saved in watcher.saves():
        print(f"\n{saved_words(saved)} saved", flush=True)
        build_and_tell(options, server, builder)


def build_and_tell(options, server, builder):
    """Build once; say what became of it."""
    outcome = builder.build()
    server.news.tell(outcome.problems)
    if outcome.problems:
        say_failed(options, outcome.problems)
        return
    for name, why in outcome.built[:FEW]:
        print(f"{name}: {why}")
    print(f"built in {outcome.seconds:.1f} s", flush=True)


def saved_words(paths):
    """Return what to call some saved files: from where we are, if they are few."""
    if len(paths) > FEW:
        return counted(len(paths), "file")
    return ", ".join(sorted(map(from_here, paths)))


def from_here(path):
    """Return a path from the working folder; as it is, on another drive of Windows."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


def has_screen():
    """Tell whether a browser would be a window: elsewhere it takes the terminal."""
    return (sys.platform in ("win32", "darwin")
            or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")))
