"""Build the site: content + traces → _site/, or say what is wrong and where.

Building a folder runs the programs that it names (its snippets and the commands in
its traces.toml), as make runs a Makefile: build only folders that you trust.
"""

import argparse
import re
import sys
import time

from sitegen.errors import BuildFailed
from sitegen.pipeline import build

BASE_URL = re.compile(r"https?://[\w.-]+(:\d+)?(/[^\s?#\"'<>\\]*)?", re.ASCII)


def parse_arguments(argv):
    """Return the command line's options; argparse ends with status 2 on wrong ones."""
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="exit status: 0 built, 1 problems in the content, 2 wrong usage")
    parser.add_argument("--content", default="content", metavar="DIR",
                        help="folder with site.toml and articles/ (default: content)")
    parser.add_argument("--output", default="_site", metavar="DIR",
                        help="folder to write, replaced as a whole (default: _site)")
    parser.add_argument("--base-url", metavar="URL",
                        help="address the site will have; without it no page names one")
    options = parser.parse_args(argv)
    if options.base_url is not None and not BASE_URL.fullmatch(options.base_url):
        parser.error("--base-url is an address like https://example.org/articles")
    return options


def main(argv=None):
    """Run the command line; return the exit status."""
    options = parse_arguments(argv)
    started = time.process_time()
    try:
        files = build(options.content, options.output, options.base_url)
    except BuildFailed as failure:
        for problem in failure.problems:
            print(problem, file=sys.stderr)
        count = len(failure.problems)
        print(f"\n{count} problem{'s' if count != 1 else ''}; {options.output} is as "
              "it was", file=sys.stderr)
        return 1
    pages = sum(path.endswith(".html") for path in files)
    print(f"{options.output}: {pages} pages, {len(files)} files, "
          f"{time.process_time() - started:.1f} s of processor time; "
          f"open {options.output}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
