"""The command line of the site's generator: build.py --help."""

import importlib
import sys

from sitegen.cache import nothing_changed
from sitegen.commands.arguments import parse_arguments
from sitegen.commands.reporting import say_done, say_failed
from sitegen.errors import BuildFailed
from sitegen.report import Report

INTERRUPTED = 130


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
    # The only import that waits: the libraries of an article take most of the time of
    # a command that finds nothing to do.
    command = importlib.import_module(f"sitegen.commands.{options.command}")
    try:
        return command.run(options)
    except BuildFailed as failure:
        return say_failed(options, failure.problems)


def main(argv=None):
    """Run the command line; return the exit status."""
    try:
        return run(parse_arguments(sys.argv[1:] if argv is None else argv))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")   # not every terminal has a →
    sys.exit(main())
