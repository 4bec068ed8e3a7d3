"""What a command costs, with all the processes that it starts."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

# getrusage counts maxrss in kilobytes, but in bytes on macOS
MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
# Compiled modules are kept, as for an author: else each run compiles a hundred of ours,
# and none of the libraries that it is compared with.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Cost:
    """Seconds of processor, of all processes of a command, and seconds of clock.

    peak_bytes  the most memory that the largest of its processes held at once
    """

    cpu_seconds: float
    elapsed_seconds: float
    peak_bytes: int


def cost_of(command, cwd):
    """Run a command to its end; return what it and its children cost.

    Raises CalledProcessError, with what it printed, if it fails.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        command, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT
    ) as process:
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed)
    return Cost(usage.ru_utime + usage.ru_stime, elapsed,
                usage.ru_maxrss * MAXRSS_BYTES)


def best_of(times, command, cwd):
    """Return the cheapest of several runs: what disturbs a run only adds to it."""
    return cheapest(cost_of(command, cwd) for _ in range(times))


def cheapest(costs):
    """Return the Cost with the fewest seconds of processor."""
    return min(costs, key=lambda cost: cost.cpu_seconds)
