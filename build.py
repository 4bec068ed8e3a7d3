"""Build the site: content + traces → _site/, or say what is wrong and where.

Building a folder runs the programs that it names (its snippets and the commands in
its traces.toml), as make runs a Makefile: build only folders that you trust.
`build.py view TRACE` writes one trace as a page of its own: build.py view --help.
"""

import argparse
import re
import sys
import time
from pathlib import Path

from sitegen.errors import BuildFailed
from sitegen.pipeline import build
from sitegen.probing import run_probe
from sitegen.view import view

BASE_URL = re.compile(r"https?://[\w.-]+(:\d+)?(/[^\s?#\"'<>\\]*)?", re.ASCII)
STATUS = "exit status: 0 written, 1 problems in what was read, 2 wrong usage"


def parse_arguments(argv):
    """Return the command line's options; argparse ends with status 2 on wrong ones."""
    parser = argparse.ArgumentParser(
        prog="build.py", description=__doc__, epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--content", default="content", metavar="DIR",
        help="folder with site.toml and articles/ (default: content)")
    add("--output", default="_site", metavar="DIR",
        help="folder to write, replaced as a whole (default: _site)")
    add("--base-url", metavar="URL",
        help="address the site will have; without it no page names one")
    add("--probe", metavar="DEVICE", help="first record a pretrained model on cuda:0, "
        "cpu, mps or auto, as make probe does")
    add("--probe-model", metavar="M", help="hub id, folder or .gguf file (TinyLlama)")
    options = parser.parse_args(argv)
    if options.base_url is not None and not BASE_URL.fullmatch(options.base_url):
        parser.error("--base-url is an address like https://example.org/articles")
    if options.probe_model is not None and options.probe is None:
        parser.error("--probe-model needs --probe DEVICE")
    return options


def parse_view_arguments(argv):
    """Return the options of `build.py view`; likewise."""
    parser = argparse.ArgumentParser(
        prog="build.py view", epilog=STATUS, description="Write a trace as one page: "
        "a single file that opens from disk and asks nothing of any host.")
    parser.add_argument("trace", metavar="TRACE", help="file of a model or the probe")
    parser.add_argument("--output", metavar="FILE", help="page to write; a file of "
                        "another kind is left alone (default: TRACE's name, .html)")
    options = parser.parse_args(argv)
    options.output = options.output or f"{Path(options.trace).stem}.html"
    return options


def run_build(options):
    """Probe a model where that is wanted, and build; return what to print."""
    started = time.process_time()
    if options.probe is not None:
        run_probe(options.probe, options.probe_model)
    files = build(options.content, options.output, options.base_url)
    pages = sum(path.endswith(".html") for path in files)
    return (f"{options.output}: {pages} pages, {len(files)} files, "
            f"{time.process_time() - started:.1f} s of processor time; "
            f"open {options.output}/index.html")


def run_view(options):
    """Write the page of a trace; return what to print."""
    size_bytes = view(options.trace, options.output)
    return f"{options.output}: {size_bytes / 1000:.0f} KB in one file; open it"


def main(argv=None):
    """Run the command line; return the exit status."""
    argv = sys.argv[1:] if argv is None else argv
    viewing = argv[:1] == ["view"]
    options = parse_view_arguments(argv[1:]) if viewing else parse_arguments(argv)
    try:
        print(run_view(options) if viewing else run_build(options))
    except BuildFailed as failure:
        for problem in failure.problems:
            print(problem, file=sys.stderr)
        count = len(failure.problems)
        print(f"\n{count} problem{'s' if count != 1 else ''}; {options.output} is as "
              "it was", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
