"""The command line: which commands there are, and what each of them takes."""

import argparse
import re
from pathlib import Path

ABOUT = """Build the site: content + traces → _site/, or say what is wrong and where.

Building a folder runs the programs that it names (its snippets and the commands in
its traces.toml), as make runs a Makefile: build only folders that you trust."""
STATUS = """exit status: 0 done, 1 problems in what was read, 2 wrong usage,
130 stopped with Ctrl-C"""
DEFAULT = "build"
BASE_URL = re.compile(r"https?://[\w.-]+(:\d+)?(/[^\s?#\"'<>\\]*)?", re.ASCII)
PORTS = range(65536)


def parse_arguments(argv):
    """Return the options of a command line; `command` is the command's name.

    Where none is named, it is build.  Ends the program, as argparse does: with status
    2 on wrong usage, with 0 after printing help.
    """
    parser = argparse.ArgumentParser(
        prog="build.py", description=ABOUT, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Without a command it builds: build.py --content DIR. What a command "
        f"takes:\nbuild.py build --help.\n\n{STATUS}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (summary, add_options) in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, allow_abbrev=False, epilog=STATUS,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter)
        command.set_defaults(wrong=command.error)
        add_options(command.add_argument)
    if not argv or (argv[0].startswith("-") and argv[0] not in ("-h", "--help")):
        argv = [DEFAULT, *argv]
    return _completed(parser.parse_args(argv))


def _completed(options):
    """Return the options with what one of them says about another."""
    if getattr(options, "probe_model", None) and options.probe is None:
        options.wrong("--probe-model needs --probe DEVICE")
    if options.command == "view" and options.output is None:
        options.output = f"{Path(options.trace).stem}.html"
    return options


def _build_options(add):
    _site_options(add)
    _printing_options(add)
    add("--probe", metavar="DEVICE", help="first record a pretrained model on cuda:0, "
        "cpu, mps or auto, as make probe does")
    add("--probe-model", metavar="M", help="hub id, folder or .gguf file (TinyLlama)")


def _check_options(add):
    _site_options(add)
    _printing_options(add)
    add("--external", action="store_true",
        help="also ask each web address that an article links to, once")


def _serve_options(add):
    _site_options(add)
    add("--port", type=_port, default=8000, metavar="N", help="where to listen on "
        "127.0.0.1; the next free one where it is taken (default: 8000)")
    add("--no-open", action="store_true", help="do not open a browser")


def _new_options(add):
    add("slug", metavar="SLUG", help="its folder and address, such as my-article")
    add("--title", metavar="T", help="what it is called (default: made of the slug)")
    _content_option(add)


def _view_options(add):
    add("trace", metavar="TRACE", help="file of a model or the probe")
    add("--output", metavar="FILE", help="page to write; a file of another kind is "
        "left alone (default: TRACE's name, .html)")


def _content_option(add):
    add("--content", default="content", metavar="DIR",
        help="folder with site.toml and articles/ (default: content)")


def _site_options(add):
    _content_option(add)
    add("--output", default="_site", metavar="DIR",
        help="folder to write, replaced as a whole (default: _site)")
    add("--base-url", type=_base_url, metavar="URL",
        help="address the site will have; without it no page names one")
    add("--no-run", action="store_true",
        help="run no program: build from what is recorded")
    add("--no-cache", action="store_true", help="take nothing from the cache beside "
        "the output, and store nothing there")


def _printing_options(add):
    add("--quiet", action="store_true", help="print problems only")
    add("--json", action="store_true", help="print one JSON document, as "
        "static/schema/report.schema.json says, and nothing else")


def _base_url(text):
    if not BASE_URL.fullmatch(text):
        raise argparse.ArgumentTypeError(
            "it is an address like https://example.org/articles")
    return text


def _port(text):
    if not (text.isascii() and text.isdigit() and int(text) in PORTS):
        raise argparse.ArgumentTypeError("it is a number from 0 to 65535")
    return int(text)


# The name of each command, which is its module's too → what it does, what it takes.
COMMANDS = {
    "build": ("build the site", _build_options),
    "check": ("find what a build would find, and write nothing", _check_options),
    "serve": ("show the site, and build it anew whenever a file is saved",
              _serve_options),
    "new": ("begin an article", _new_options),
    "view": ("write a trace as one page, which opens from disk and asks nothing of any "
             "host", _view_options),
}
