"""Run a program that traces.toml names, and take what it prints."""

import sys

from sitegen.audited import audited, read_report
from sitegen.children import LimitHit, Limits, run_child, scratch_folder
from sitegen.content import shown
from sitegen.errors import Place, Problem

LIMITS = Limits(seconds=600)
TODO = "run it from the content folder's parent and mend it"
RAISE = "make it smaller, or raise its 'limits' in traces.toml"


def run_trace(folder, trace_id, argv, limits=LIMITS):
    """Return (path, standard output, problems, Reads) of what prints a trace.

    argv  the program and its arguments; "python" is the interpreter that builds
    """
    path, root = shown(folder, folder / "traces.toml"), folder.resolve().parent
    with scratch_folder() as own:
        report = own / "report.txt"
        text, why, todo = _printed(command_of(argv, root, report), root, own, limits)
        reads = read_report(report)
    if not why:
        return f"{path} [{trace_id}]", text, [], reads
    command = " ".join(argv)
    problem = Problem(Place(path), f"{trace_id}: '{command}' {why}", todo)
    return path, "", [problem], reads


def command_of(argv, root, report):
    """Return the command line of a program; what a Python script reads is reported."""
    if argv[0] != "python":
        return argv
    if len(argv) > 1 and (root / argv[1]).is_file():
        return audited(report, *argv[1:])
    return [sys.executable, *argv[1:]]


def _printed(command, root, own, limits):
    """Return (what a program prints, why that is of no use or "", what to do)."""
    out, err = own / "out.txt", own / "err.txt"
    try:
        with out.open("wb") as output, err.open("wb") as errors:
            status = run_child(command, root, limits, own, (output, errors))
        if status == 0:
            return out.read_text("utf-8"), "", ""
    except LimitHit as hit:
        return "", str(hit), RAISE
    except (OSError, ValueError) as error:      # no program, no UTF-8, a NUL
        return "", f"cannot be run: {error}", TODO
    last = (err.read_text("utf-8", "replace").strip().split("\n") or [""])[-1]
    todo = RAISE if "MemoryError" in last else TODO
    return "", f"ended with status {status}: {last}", todo
