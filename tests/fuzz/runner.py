"""Try inputs: each must give a page or problems, in time and within memory."""

import faulthandler
import hashlib
import resource
import signal
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from sitegen.errors import BuildFailed
from tests.fuzz.folder import Folder
from tests.fuzz.mutations import shrunk

SECONDS = 5             # of the processor, for one input
MEMORY_BYTES = 3 << 30  # of the process's address space, libraries included
REGRESSIONS = Path(__file__).with_name("regressions")


class Hang(BaseException):
    """An input took longer than SECONDS."""


def limit_memory():
    """Let the process fail with MemoryError, rather than the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _stop(signum, frame):
    raise Hang(f"more than {SECONDS} s")


@dataclass
class Tries:
    """The inputs of one kind: how many became what; where a fault came from → one of
    its inputs."""

    kind: object
    place: Path
    counts: Counter = field(default_factory=Counter)
    faults: dict = field(default_factory=dict)

    def __post_init__(self):
        self.folder = Folder(self.place, self.kind.articles)

    def attempt(self, data):
        """Try one input; return 'page', 'problems', or what went wrong, and where."""
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        faulthandler.dump_traceback_later(60 * SECONDS)     # says where C code hangs
        try:
            self.folder.build(self.kind.path, data)
        except BuildFailed as failed:
            return "problems" if failed.problems else "a failure without problems"
        except (Exception, Hang) as error:      # the very thing that is looked for
            return _fault(error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.cancel_dump_traceback_later()
        return "page"

    def count(self, data):
        """Try an input and count what came of it."""
        outcome = self.attempt(data)
        sound = outcome in ("page", "problems")
        self.counts[outcome if sound else "faults"] += 1
        if not sound and outcome not in self.faults:
            self.faults[outcome] = data

    def run(self, number, seed):
        """Try that many inputs of the kind's strategy."""
        @seeded(seed)
        @settings(max_examples=number, database=None, deadline=None,
                  phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(self.kind.inputs)
        def each(data):
            self.count(data)

        each()

    def keep(self):
        """Write the shortest input of each fault as a regression case."""
        REGRESSIONS.mkdir(exist_ok=True)
        for outcome, data in self.faults.items():
            least = shrunk(data, lambda shorter, same=outcome: self.attempt(
                shorter) == same) if not outcome.startswith("Hang") else data
            name = hashlib.sha256(least).hexdigest()[:8]
            kind = self.kind.name.replace(" ", "-")
            (REGRESSIONS / f"{kind}-{name}").write_bytes(least)


def _fault(error):
    """Return an exception's name and where in our code it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/sitegen/" in f.filename] or frames
    where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
    return f"{type(error).__name__} at {where}: {str(error)[:80]}"


def run_kinds(kinds, number, seed, say=lambda tries: None, until=lambda: False):
    """Try `number` inputs, shared among the kinds; return the Tries of each.

    until  asked before each kind; where it is true, the rest is left out
    """
    total, done = sum(kind.share for kind in kinds), []
    for kind in kinds:
        if until():
            break
        with tempfile.TemporaryDirectory() as place:
            tries = Tries(kind, Path(place))
            tries.run(max(1, number * kind.share // total), seed)
            say(tries)
            tries.keep()
        done.append(tries)
    return done


def regressions(kind):
    """Return the kept inputs of a kind."""
    prefix = kind.name.replace(" ", "-")
    return [file for file in sorted(REGRESSIONS.glob(f"{prefix}-*"))
            if file.name.rpartition("-")[0] == prefix]
