"""What a command tells: lines for people, or one JSON document for programs.

Standard library alone, so that a build that finds nothing to do can say so at once.
"""

import json
import re
import sys
import time
from dataclasses import asdict

from sitegen.report import Report

NOTHING = Report({}, [], 0, {})
FEW = 8             # things that are named when they were made; of more, the count
MANY_PAGES = 30     # rows of the table; of more pages, the heaviest
PARTS = ("html", "data", "scripts", "styles", "fonts")
HEADS = ("HTML", *PARTS[1:], "all")
CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")    # a terminal would obey them
# Command → what its problems leave behind.
AFTERWARDS = {"build": "; {0.output} is as it was", "view": "; {0.output} is as it was",
              "new": "; nothing was made", "serve": "; the last good pages stay"}


class Progress:
    """Told each stage of a build as it begins; says how long each of them took.

    On a terminal one line shows the stage of the moment, and in the end all of them.
    """

    def __init__(self, options):
        self._is_shown = not (options.quiet or options.json)
        self._is_live = self._is_shown and sys.stdout.isatty()
        self._began = []            # (stage, when), the end too
        self._width = 0

    def __call__(self, stage):
        self._began.append((stage, time.perf_counter()))
        self._rewrite(f"{stage} …")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self._began.append(("", time.perf_counter()))
        self._rewrite("")
        if self._is_shown and kind is None and self.seconds():
            print(" · ".join(f"{stage} {seconds:.1f}" for stage, seconds
                             in self.seconds().items()), "s")

    def seconds(self):
        """Return stage → how long it took, in order."""
        taken = {}
        for (stage, begin), (_, end) in zip(self._began, self._began[1:], strict=False):
            taken[stage] = taken.get(stage, 0) + end - begin
        return taken

    def _rewrite(self, line):
        if self._is_live:
            print(f"\r{' ' * self._width}\r{line}", end="", flush=True)
            self._width = len(line)


def say_done(options, report, seconds=None):
    """Print what a build or a check made; return the exit status, 0.

    report   of the build, or of the last one where there was nothing to do
    seconds  stage → how long it took
    """
    if options.json:
        print_document(options, 0, report, seconds=seconds or {})
    elif not options.quiet:
        for line in lines_of(options, report):
            print(CONTROLS.sub("�", line))
    return 0


def say_failed(options, problems):
    """Print the problems that kept a command from its work; return the status, 1."""
    if getattr(options, "json", False):
        print_document(options, 1, problems=problems)
        return 1
    for problem in problems:
        print(CONTROLS.sub("�", str(problem)), file=sys.stderr)
    left = AFTERWARDS.get(options.command, "").format(options)
    print(f"\n{counted(len(problems), 'problem')}{left}", file=sys.stderr)
    return 1


def print_document(options, status, report=NOTHING, problems=(), seconds=None):
    """Print the JSON document of static/schema/report.schema.json, which says what
    its keys mean."""
    json.dump({
        "format": 1, "command": options.command, "status": status,
        "output": options.output, "seconds": seconds or {},
        "files": len(report.files), "taken": report.taken,
        "built": [{"name": name, "why": why} for name, why in report.built],
        "pages": [{"page": page, **vars(sizes)}
                  for page, sizes in report.pages.items()],
        "problems": [asdict(problem) for problem in problems],
    }, sys.stdout, indent=2)
    print()


def lines_of(options, report):
    """Return what there is now, why, what it took, and what to open."""
    made = (f"{counted(len(report.pages), 'page')}, "
            f"{counted(len(report.files), 'file')}")
    if options.command == "check":
        return [f"no problems: {made}"]
    return [*reasons(report), *page_table(report),
            f"{options.output}: {made}, {time.process_time():.1f} s of processor time; "
            f"open {options.output}/index.html"]


def reasons(report):
    """Return why each thing was made anew, where they are few; how many, where not."""
    if not report.built:
        return ["nothing has changed"]
    lines = [f"{name}: {why}" for name, why in report.built]
    if len(lines) > FEW:
        lines = [f"{len(lines)} made anew"]
    if report.taken:
        lines.append(f"{counted(report.taken, 'page')} taken from the cache")
    return lines


def page_table(report):
    """Return the lines of the table of pages: kilobytes that a page loads, by kind."""
    sizes = {page: [getattr(found, part) for part in PARTS]
             for page, found in report.pages.items()}
    if not sizes:
        return []
    shown = sorted(sizes, key=lambda page: -sum(sizes[page]))[:MANY_PAGES]
    rows = [(page, [f"{count / 1000:.1f}" for count in (*counts, sum(counts))])
            for page, counts in sizes.items() if page in shown]
    width = max(len(page) for page, _ in rows)
    lines = ["kilobytes".ljust(width) + "".join(head.rjust(9) for head in HEADS)]
    lines += [page.ljust(width) + "".join(number.rjust(9) for number in numbers)
              for page, numbers in rows]
    if len(sizes) > len(rows):
        lines.append(f"and {counted(len(sizes) - len(rows), 'lighter page')}")
    return lines


def counted(count, thing):
    """Return a count with its noun: 1 page, 2 pages."""
    return f"{count} {thing}{'' if count == 1 else 's'}"
