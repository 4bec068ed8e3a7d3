"""Rows of measurements: as a table to read, as a dated file to keep."""

import datetime
import importlib.metadata
import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
LIBRARIES = ["numpy", "markdown", "pygments", "math-core", "latex2mathml", "playwright"]


@dataclass(frozen=True)
class Row:
    """One measurement.

    group   what kind it is: build, page, head, walk, model, decode, encoding; time,
            memory, gallery
    budget  the most that design.md allows, in the same unit, where it says
    """

    group: str
    name: str
    value: float
    unit: str
    budget: float | None = None

    @property
    def kept(self):
        """Return whether the value keeps the budget, None without one."""
        return None if self.budget is None else self.value <= self.budget


def table_of(rows):
    """Return the rows as a Markdown table."""
    verdicts = {None: "", True: "kept", False: "**over**"}
    lines = ["| what | measured | unit | budget | |", "|---|--:|---|--:|---|"]
    for row in rows:
        budget = "" if row.budget is None else f"{row.budget:g}"
        lines.append(
            f"| {row.name} | {shown(row.value)} | {row.unit} | {budget} "
            f"| {verdicts[row.kept]} |"
        )
    return "\n".join(lines)


def shown(value):
    """Return a number with three significant digits, whole ones as they are."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def processor():
    """Return the processor's model, as the system names it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    named = [line for line in lines if line.startswith("model name")]
    machine = platform.processor() or platform.machine()
    return named[0].partition(":")[2].strip() if named else machine


def environment():
    """Return what the figures depend on: processor, versions; no host and no path."""
    return {
        "processor": processor(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in LIBRARIES},
    }


def write_results(rows, notes, folder=RESULTS, suffix=""):
    """Write bench/results/<date><suffix>.json; return its path.

    notes  what else was found on the way, such as the browser's version
    """
    today = datetime.date.today().isoformat()
    content = {
        "date": today,
        "environment": {**environment(), **notes},
        "rows": [
            {**asdict(row), "value": float(f"{row.value:.4g}"), "kept": row.kept}
            for row in rows
        ],
    }
    folder.mkdir(exist_ok=True)
    path = folder / f"{today}{suffix}.json"
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8")
    return path
