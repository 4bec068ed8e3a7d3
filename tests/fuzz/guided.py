"""Inputs that atheris finds by the code they reach: python -m tests.fuzz --guided 600.

atheris is no library of the project: it is taken where somebody has installed it.
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["sitegen"]):
    from tests.fuzz.kinds import kinds
    from tests.fuzz.mutations import LONG, spoiled_bytes
    from tests.fuzz.report import finish, report
    from tests.fuzz.runner import Tries

SLOW = ("trace", "walk.toml", "changes.json", "configurations.json")
MUTATED_BY_ATHERIS = 0.5


class Guided:
    """Called by atheris with bytes: the first one chooses the kind of the rest."""

    def __init__(self, seconds, place):
        self.seconds, self.end, self.place = seconds, None, Path(place)
        self.tries = [Tries(kind, self.place / str(index)) for index, kind in
                      enumerate(kind for kind in kinds() if kind.name not in SLOW)]

    def corpus(self):
        """Write the sound inputs of each kind; return their folder."""
        folder = self.place / "corpus"
        folder.mkdir()
        for index, tries in enumerate(self.tries):
            for number, data in enumerate(tries.kind.sound):
                (folder / f"{index}-{number}").write_bytes(bytes([index]) + data)
        return folder

    def one(self, data):
        """Try one input; end the process when the time is over."""
        self.end = self.end or time.monotonic() + self.seconds
        if time.monotonic() > self.end:
            for tries in self.tries:
                report(tries)
                tries.keep()
            status = finish(self.tries)
            sys.stdout.flush()
            os._exit(status)        # libFuzzer does not return
        if data:
            self.tries[data[0] % len(self.tries)].count(data[1:])

    def spoil(self, data, most, seed):
        """Return the next input made of one that reached new code."""
        chance = random.Random(seed)
        if len(data) < 2 or chance.random() < MUTATED_BY_ATHERIS:
            return atheris.Mutate(data, most)
        return (data[:1] + spoiled_bytes(data[1:], chance))[:most]


def main(seconds):
    """Run until the time is over; the process ends with 1 where there was a fault."""
    with tempfile.TemporaryDirectory() as place:
        guided = Guided(seconds, place)
        options = [str(guided.corpus()), f"-max_len={LONG}", "-timeout=60",
                   "-rss_limit_mb=4096", "-verbosity=0"]
        atheris.Setup([sys.argv[0], *options], guided.one, custom_mutator=guided.spoil)
        atheris.Fuzz()


if __name__ == "__main__":
    main(float(sys.argv[1]))
