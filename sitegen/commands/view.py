"""`build.py view TRACE`: write one trace as a page of its own."""

from sitegen.view import view


def run(options):
    """Write the page of a trace; return the exit status.  Raises BuildFailed."""
    size_bytes = view(options.trace, options.output)
    print(f"{options.output}: {size_bytes / 1000:.0f} KB in one file; open it")
    return 0
