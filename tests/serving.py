"""`build.py serve` as a process of its own, for tests: what it prints, line by line."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

BUILD = Path(__file__).parents[1] / "build.py"
PATIENCE_SECONDS = 60


class Serving:
    """Serves a content folder until it is interrupted."""

    def __init__(self, site, *options):
        # `-u`: its lines come as they are printed, not when there are many.
        self.process = subprocess.Popen(
            [sys.executable, "-u", str(BUILD), "serve", "--no-open", "--port", "0",
             "--content", str(site.content), "--output", str(site.output), *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=site.folder,
            encoding="utf-8", start_new_session=True)
        self._lines = queue.SimpleQueue()
        self.printed = []
        threading.Thread(target=self._read, daemon=True).start()
        self.address = self.wait_for(r"(http://127\.0\.0\.1:\d+/) ")[1]

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)

    def wait_for(self, pattern):
        """Return the match of the next line that a pattern is found in."""
        while True:
            line = self._lines.get(timeout=PATIENCE_SECONDS)
            self.printed.append(line)
            if found := re.search(pattern, line):
                return found

    def rest(self, seconds):
        """Return what is printed within some seconds."""
        time.sleep(seconds)
        lines = [self._lines.get() for _ in range(self._lines.qsize())]
        self.printed += lines
        return "".join(lines)

    def read(self, path=""):
        """Return the text of a page."""
        with urllib.request.urlopen(self.address + path, timeout=9) as answer:
            return answer.read().decode()

    def interrupt(self, number=signal.SIGINT):
        """Send a signal; return (exit status, seconds until it ended)."""
        began = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(PATIENCE_SECONDS)
        return status, time.monotonic() - began

    def close(self):
        """End it, however it is."""
        if self.process.poll() is None:
            self.interrupt()


def is_running(number):
    """Tell whether a process is there."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True
