"""Try inputs that strangers may have made: python -m tests.fuzz 20000."""

import argparse
import importlib.util
import subprocess
import sys
import time

from tests.fuzz.kinds import kinds
from tests.fuzz.report import finish, report
from tests.fuzz.runner import MEMORY_BYTES, SECONDS, limit_memory, run_kinds

ROUND = 2000    # inputs between two looks at the clock


def parse_arguments():
    """Return (the command line's options, the kinds that they name)."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=f"{__doc__} Each gives a page or "
        f"problems, within {SECONDS} s and {MEMORY_BYTES >> 30} GiB; one that does not "
        "is kept, made short, in tests/fuzz/regressions.",
        epilog="exit status: 0 all did, 1 some did not, 2 wrong usage")
    add = parser.add_argument
    add("inputs", type=int, nargs="?", default=2000, help="how many (%(default)s)")
    add("--seconds", type=float, help="begin no more inputs after that time")
    add("--seed", type=int, default=1, help="of what is drawn (%(default)s)")
    add("--kind", action="append", help="only this kind of input; may come again")
    add("--guided", type=float, metavar="SECONDS", help="let atheris, where it is "
        "installed, look for inputs that reach new code")
    options = parser.parse_args()
    found = [kind for kind in kinds() if kind.name in (options.kind or [kind.name])]
    if not found:
        parser.error(f"kinds: {', '.join(kind.name for kind in kinds())}")
    if options.guided and not importlib.util.find_spec("atheris"):
        parser.error("--guided needs atheris: pip install atheris")
    return options, found


def drawn(options, found):
    """Try the inputs in rounds; return the Tries of all."""
    end = time.monotonic() + (options.seconds or float("inf"))
    done, seed, left = [], options.seed, options.inputs
    while left > 0 and time.monotonic() < end:
        done += run_kinds(found, min(left, ROUND), seed, report,
                          lambda: time.monotonic() > end)
        left, seed = left - ROUND, seed + 1
    return done


def main():
    """Run; return the exit status."""
    options, found = parse_arguments()
    if options.guided:      # in a process that imports the generator through atheris
        return subprocess.run([sys.executable, "-m", "tests.fuzz.guided",
                               str(options.guided)], check=False).returncode
    limit_memory()
    return finish(drawn(options, found))


if __name__ == "__main__":
    sys.exit(main())
