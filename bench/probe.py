"""Measure the probe's capture and the gallery beside their peers; print a table.

    python -m bench.probe [time] [memory] [gallery] [--peers FOLDER]

Without a name all are measured.  Each is written to bench/results/<date>-probe.json as
soon as it is known, in the place of what that day's file had of it: all of them take a
quarter of an hour.  The peers are no part of the project: bench/peers.txt says how to
put them into a folder.  Without one, their rows are missing.
"""

import argparse
import datetime
import json
import subprocess
import sys
from pathlib import Path

from bench.galleries import measure_galleries
from bench.report import RESULTS, Row, table_of, write_results

ROOT = Path(__file__).parents[1]
SUFFIX = "-probe"
TIME_ROUNDS = {64: 7, 512: 3}    # length: how often each way is timed
MEMORY_LENGTHS = (64, 512, 1024)
BARE = "bare"
NAMES = {
    "output_attentions": "output_attentions=True",
    "capture": "the probe's capture",
    "checked": "capture and its checks",
    "recorded": "capture, checks and file",
    "transformer_lens": "TransformerLens",
    "nnsight": "nnsight",
}
PEERS = ("transformer_lens", "nnsight")
# The file's cost is zlib's: at 512 positions it deflates 280 MB, for half a minute.
SLOW_AT = {"recorded": 64}
# Issue 3: what the capture may cost beside the bare forward pass.
MOST_TIMES, MOST_MB = {"capture": 1.10}, {"capture": 64, "checked": 64, "recorded": 64}


def ways_at(length, peers):
    """Return the ways that are timed at a length, the bare forward pass first."""
    return [BARE] + [way for way in NAMES if (peers or way not in PEERS)
                     and length <= SLOW_AT.get(way, length)]


def run_captures(what, ways, lengths, peers, rounds=1):
    """Return what a process of bench.captures prints: {figures, versions}."""
    command = [sys.executable, "-m", "bench.captures", what, "--ways", ",".join(ways),
               "--lengths", *map(str, lengths), "--rounds", str(rounds),
               "--peers", peers]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def time_rows(length, seconds):
    """Yield rows of processor time: the bare pass in seconds, the others as its ratio.

    seconds  {way: seconds of processor}, the bare pass among them
    """
    yield Row("time", f"T = {length}: bare forward pass", seconds[BARE], "s")
    for way in [way for way in NAMES if way in seconds]:
        yield Row("time", f"T = {length}: {NAMES[way]}", seconds[way] / seconds[BARE],
                  "× bare", MOST_TIMES.get(way))


def memory_rows(added):
    """Yield rows of peak memory beyond the bare pass's own peak.

    added  {way: {length as text: bytes}}, the bare pass among them
    """
    for length in added[BARE]:
        yield Row("memory", f"T = {length}: bare forward pass, beyond the model",
                  added[BARE][length] / 1e6, "MB")
        for way in [way for way in NAMES if way in added]:
            extra = (added[way][length] - added[BARE][length]) / 1e6
            # Noise of the allocator may make it a little less than nothing.
            yield Row("memory", f"T = {length}: {NAMES[way]}, beyond that",
                      max(extra, 0.0), "MB", MOST_MB.get(way))


def measure_time(peers):
    """Return (rows, versions); at each length one process takes all ways in turn."""
    rows, versions = [], {}
    for length, rounds in TIME_ROUNDS.items():
        found = run_captures("time", ways_at(length, peers), [length], peers, rounds)
        rows += time_rows(length, found["figures"][str(length)])
        versions |= found["versions"]
    return rows, versions


def measure_memory(peers):
    """Return (rows, versions); each way has a process of its own."""
    added, versions = {}, {}
    for way in ways_at(0, peers):
        found = run_captures("memory", [way], MEMORY_LENGTHS, peers)
        added |= found["figures"]
        versions |= found["versions"]
    return list(memory_rows(added)), versions


MEASURED = {"time": measure_time, "memory": measure_memory,
            "gallery": measure_galleries}


def read_today(folder=RESULTS):
    """Return (rows, notes) of the day's file; nothing where there is none."""
    path = folder / f"{datetime.date.today().isoformat()}{SUFFIX}.json"
    if not path.exists():
        return [], {}
    found = json.loads(path.read_text("utf-8"))
    return [row_of(fields) for fields in found["rows"]], found["environment"]


def row_of(fields):
    """Return a Row as the file has it; whether its budget is kept, it tells itself."""
    return Row(**{name: value for name, value in fields.items() if name != "kept"})


def keep(group, rows, notes, folder=RESULTS):
    """Write a group's rows beside those of the day's other groups; return the path."""
    before, known = read_today(folder)
    rows = sorted([row for row in before if row.group != group] + rows,
                  key=lambda row: list(MEASURED).index(row.group))
    return write_results(rows, known | notes, folder, SUFFIX)


def parse_arguments(arguments):
    """Return the command line's options."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.probe", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *MEASURED], metavar="NAME",
                        help=f"what to measure: {', '.join(MEASURED)} (default: all)")
    parser.add_argument("--peers", default="", metavar="FOLDER",
                        help="where TransformerLens, nnsight, BertViz and CircuitsVis "
                             "are; see bench/peers.txt")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Run the command line; return the exit status."""
    options = parse_arguments(arguments)
    rows, notes = [], {}
    for name in options.names or MEASURED:
        found, versions = MEASURED[name](options.peers)
        path = keep(name, found, versions)
        rows += found
        notes |= versions
    print(table_of(rows))
    print("\n" + ", ".join(f"{name} {notes[name]}" for name in notes))
    if not options.peers:
        print("the peers were not measured: see bench/peers.txt")
    print(f"written: {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
