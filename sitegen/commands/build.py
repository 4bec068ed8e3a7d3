"""`build.py build`: write the site."""

from sitegen.commands.reporting import Progress, say_done
from sitegen.pipeline import build
from sitegen.probing import run_probe


def run(options):
    """Probe a model where that is wanted, and build; return the exit status.

    Raises BuildFailed.
    """
    if options.probe is not None:
        run_probe(options.probe, options.probe_model)
    with Progress(options) as progress:
        report = report_of(options, progress)
    return say_done(options, report, progress.seconds())


def report_of(options, progress, write=True):
    """Build, or only check where nothing is to be written; return the Report.

    Raises BuildFailed.
    """
    return build(options.content, options.output, options.base_url, write=write,
                 run=not options.no_run, use_cache=not options.no_cache,
                 progress=progress)
