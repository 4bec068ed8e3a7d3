"""`build.py check`: find what a build would find, and write nothing."""

from sitegen.commands.build import report_of
from sitegen.commands.external import check_external
from sitegen.commands.reporting import Progress, say_done
from sitegen.errors import stop_if


def run(options):
    """Check the content; return the exit status.  Raises BuildFailed."""
    with Progress(options) as progress:
        report = report_of(options, progress, write=False)
        if options.external:
            progress("external links")
            stop_if(check_external(options.content, report.files))
    return say_done(options, report, progress.seconds())
