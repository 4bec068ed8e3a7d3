"""Measure what the project costs; print a table and keep it as a dated file.

    python -m bench [build] [page] [head] [walk] [model] [decode] [encoding]

Without a name all are measured; the dated file is written only then.  The decode step
has a file of its own besides, written whenever it is measured: an article draws it.
Whether a budget is kept is printed and recorded, never a reason to fail: a busy machine
is no fault.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.builds import measure_builds
from bench.decode import keep_decode
from bench.encodings import measure_encodings
from bench.heads import measure_heads
from bench.model import measure_model
from bench.pages import measure_pages
from bench.report import table_of, write_results
from bench.walk import measure_walk
from tests.browser.harness import CHROMIUM_ARGUMENTS
from tests.tools.browsers import CHROMIUM, find_or_install

IN_BROWSER = {"page": measure_pages, "head": measure_heads, "walk": measure_walk}
ALONE = {"build": measure_builds, "model": measure_model, "decode": keep_decode,
         "encoding": measure_encodings}


def measure_in_browser(names):
    """Return the rows of the measurements that need Chromium, and its version."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_or_install(CHROMIUM).executable,
            args=CHROMIUM_ARGUMENTS,
        )
        rows = [row for name in names for row in IN_BROWSER[name](chromium)]
        version = chromium.version
        chromium.close()
    return rows, version


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = [*ALONE, *IN_BROWSER]
    parser.add_argument("names", nargs="*", choices=[[], *known], metavar="NAME",
                        help=f"what to measure: {', '.join(known)} (default: all)")
    names = parser.parse_args(arguments).names or known
    rows = [row for name in names if name in ALONE for row in ALONE[name]()]
    notes = {}
    if asked := [name for name in names if name in IN_BROWSER]:
        in_browser, notes["chromium"] = measure_in_browser(asked)
        rows += in_browser
    print(table_of(rows))
    if set(names) == set(known):
        path = write_results(rows, notes)
        print(f"\nwritten: {path.relative_to(Path.cwd())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
