"""What a cold build costs, against the bare loop of yardstick.py on the same texts."""

import shutil
import sys
import tempfile
from pathlib import Path

from bench.articles import write_content
from bench.processes import cheapest, cost_of
from bench.report import Row

ROOT = Path(__file__).parents[1]
# design.md, section 10: generator over yardstick
BUDGETS = {1: None, 50: 1.0, 500: 0.65}
MEMORY_MB = {500: 120}
REPEATS = {1: 5, 50: 3, 500: 1}


def measure_builds(counts=tuple(BUDGETS)):
    """Yield rows: processor seconds of the build, of the yardstick, and their ratio."""
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            yield from measure_count(Path(folder), count)


def measure_count(folder, count):
    """Yield the rows of one size."""
    texts = write_content(folder / "content", count)
    yardstick = [sys.executable, str(ROOT / "bench" / "yardstick.py")]
    yardstick += [str(folder / "yardstick"), *map(str, texts)]
    build = [sys.executable, str(ROOT / "build.py")]
    build += ["--content", str(folder / "content"), "--output", str(folder / "site")]
    times = REPEATS.get(count, 1)
    # By turns: what else the machine does then weighs on both.
    pairs = [(cost_of(yardstick, ROOT), cold_build(folder, build))
             for _ in range(times)]
    bare, ours = map(cheapest, zip(*pairs, strict=True))
    name = f"{count} article{'s' if count > 1 else ''}, cold"
    yield Row("build", f"{name}: build.py", ours.cpu_seconds, "s CPU")
    yield Row("build", f"{name}: bare loop", bare.cpu_seconds, "s CPU")
    ratio = ours.cpu_seconds / bare.cpu_seconds
    yield Row("build", f"{name}: ratio", ratio, "×", BUDGETS.get(count))
    yield Row("build", f"{name}: memory", ours.peak_bytes / 1e6, "MB",
              MEMORY_MB.get(count))


def cold_build(folder, command):
    """Return the cost of a build that finds neither an output nor a cache."""
    for leftover in folder.iterdir():
        if leftover.name not in ("content", "yardstick"):
            shutil.rmtree(leftover)
    return cost_of(command, ROOT)
