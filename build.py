"""The command line of the site's generator: build.py --help."""

import importlib
import os
import sys
from pathlib import Path

from sitegen.cache import nothing_changed
from sitegen.commands.arguments import parse_arguments
from sitegen.commands.reporting import say_done, say_failed
from sitegen.errors import BuildFailed
from sitegen.report import Report

WRONG_USAGE, INTERRUPTED = 2, 130


def unchanged(options):
    """Return the Report of the last build where one more would give the same; None
    where there is something to do."""
    if options.command != "build" or options.no_cache or options.probe is not None:
        return None
    summary = nothing_changed(options.content, options.output,
                              {"base_url": options.base_url})
    return summary and Report.of_summary(summary)


def run(options):
    """Run a command; return the exit status."""
    if report := unchanged(options):
        return say_done(options, report)
    try:
        # The only import that waits: the libraries of an article take most of the time
        # of a command that finds nothing to do.
        command = importlib.import_module(f"sitegen.commands.{options.command}")
        return command.run(options)
    except BuildFailed as failure:
        return say_failed(options, failure.problems)
    except ModuleNotFoundError as missing:
        if missing.name.startswith("sitegen"):
            raise
        return say_other_python(missing.name)


def say_other_python(module):
    """Say which Python has a module that this one lacks; return the exit status."""
    made = next(Path(__file__).parent.glob(".venv/site-*/*/python"), None)
    print(f"build.py: this Python has no module '{module}'\n  use the one that make "
          f"site makes: {made or '.venv/site-…/bin/python'}", file=sys.stderr)
    return WRONG_USAGE


def main(argv=None):
    """Run the command line; return the exit status."""
    try:
        status = run(parse_arguments(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:     # whoever read this wants no more of it, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")   # not every terminal has a →
    sys.exit(main())
