"""The dated file of a run, and its table."""

import datetime
import json
import platform
from dataclasses import asdict

from bench.peers.costs import ARTICLES, ENOUGH_S, ROUNDS, STATES
from bench.peers.defects import NAMES
from bench.peers.views import DISK
from bench.report import RESULTS, processor

WHAT = (
    f"{ARTICLES} generated articles, converted to each tool's input. Seconds: "
    f"processor time of all processes of a build, the best of {ROUNDS} rounds in which "
    f"all tools take turns; one that has used {ENOUGH_S} s takes no further part "
    "(`runs`). "
    "Ratios: to a bare loop of Python-Markdown, Pygments and latex2mathml over the "
    "same texts. Memory: of the largest process. kB and requests: the first view of "
    "one article over HTTP, before compression, other hosts refused. From disk: "
    "Chromium, no network. Defects: each alone, by exit status. axe: how many rules "
    "of axe-core an article breaks."
)
# What the printed table shows of a record.
COLUMNS = ["cold", "nothing changed", "one changed", "MB", "kB", "requests",
           "from disk", "defects", "strict", "axe"]


def costs_record(measured, bare):
    """Return seconds and ratios of a Measured beside those of the bare loop."""
    seconds = {state: round(measured.best(state), 3) for state in STATES}
    loop = bare.best("cold")
    return {
        "seconds": seconds,
        "ratios": {state: round(seconds[state] / loop, 3) for state in STATES},
        "runs": measured.runs,
        "peak_megabytes": round(measured.peak_bytes / 1e6),
        "stale": measured.stale,
    }


def views_record(view, disk, broken):
    """Return what was seen of an article in the browser."""
    return {
        **view,
        "disk": {"right": not any(disk.values()),
                 **{what: fault or "right" for what, fault in disk.items()}},
        "axe": {scheme: len(rules) for scheme, rules in broken.items()},
        "axe_rules": broken,
    }


def defects_record(default, strict):
    """Return how many defects stop a build, and what it makes of each.

    default, strict  name → Verdict; strict is None for a tool without such a switch
    """
    best = strict or default
    stopped = [verdict for verdict in best.values() if verdict.outcome == "stops"]
    return {
        "caught": count(default, "stops"),
        "caught_strict": count(best, "stops"),
        "placed": sum(verdict.names == "file and line" for verdict in stopped),
        "each": {name: {"default": asdict(default[name]), "strict": asdict(best[name])}
                 for name in NAMES},
    }


def count(verdicts, outcome):
    """Return how many of name → Verdict have an outcome."""
    return sum(verdict.outcome == outcome for verdict in verdicts.values())


def write_peers(records, bare_seconds, notes, path=RESULTS / "peers.json"):
    """Write the dated file; return its path.

    notes  versions of what was measured with
    """
    content = {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "versions": {"python": platform.python_version(), **notes},
        "what": WHAT,
        "defects": NAMES,
        "articles": ARTICLES,
        "bare_seconds": round(bare_seconds, 3),
        "peers": records,
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8")
    return path


def table_of(records):
    """Return the records as a Markdown table; one without figures says why."""
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    lines += [f"| {record['name']} | " + (
        f"{record['failed']} |" if record["failed"]
        else " | ".join(cells(record)) + " |") for record in records]
    return "\n".join(lines)


def cells(record):
    """Yield the cells of a record."""
    yield from (f"{record['ratios'][state]:.2f}" for state in STATES)
    yield str(record["peak_megabytes"])
    yield f"{record['kilobytes']:.0f}"
    yield f"{record['requests']} ({record['elsewhere']} elsewhere)"
    faults = [what for what in DISK if record["disk"][what] != "right"]
    yield "wrong: " + ", ".join(faults) if faults else "right"
    yield f"{record['caught']} of {len(NAMES)}"
    yield f"{record['caught_strict']}, {record['placed']} with file and line"
    yield ", ".join(f"{count} {scheme}" for scheme, count in record["axe"].items())
