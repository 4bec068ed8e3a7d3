"""Build in a process of its own, so that a change of the generator counts too."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import Place, Problem

BUILD = Path(__file__).parents[2] / "build.py"
TO_STOP_SECONDS = 2         # that a build has to clear up once it is asked to stop
STOP = signal.SIGINT if os.name == "posix" else signal.SIGTERM
LAST_LINES = 12             # of a traceback


@dataclass(frozen=True)
class Outcome:
    """What became of a build: its problems, what was made anew, how long it took."""

    problems: list
    built: list
    seconds: float


class Builder:
    """Builds the site anew whenever it is asked to."""

    def __init__(self, options):
        self._command = build_command(options)
        self._child = None

    def build(self):
        """Build once; return the Outcome."""
        began = time.monotonic()
        # In a session of its own a terminal's Ctrl-C reaches it by interrupt() alone.
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        printed, said = self._child.communicate()
        self._child = None
        problems, built = read_document(printed, said.decode("utf-8", "replace"))
        return Outcome(problems, built, time.monotonic() - began)

    def interrupt(self):
        """Ask a build that is running to clear up and end; the site stays as it was."""
        if self._child is not None and self._child.poll() is None:
            self._child.send_signal(STOP)

    def stop(self):
        """Wait until a build that was interrupted has ended, and not for long."""
        if self._child is None:
            return
        try:
            self._child.wait(TO_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def build_command(options):
    """Return the command line of one build with the options of serve."""
    command = [sys.executable, str(BUILD), "build", "--json", "--content",
               options.content, "--output", options.output]
    if options.base_url:
        command += ["--base-url", options.base_url]
    return command + [flag for flag, is_set in (
        ("--no-run", options.no_run), ("--no-cache", options.no_cache)) if is_set]


def read_document(printed, said):
    """Return (problems, [name, why] of what was made anew) of what a build printed.

    said  on standard error: where there is no document, it says why
    """
    try:
        document = json.loads(printed)
    except ValueError:
        lines = said.rstrip().split("\n")
        return [Problem(Place(BUILD.name), lines[-1] or "ended without a word",
                        "\n".join(lines[-LAST_LINES:]))], []
    problems = [Problem(Place(**problem.pop("place")), **problem)
                for problem in document["problems"]]
    return problems, [(item["name"], item["why"]) for item in document["built"]]
