"""build.py as a process: what reads it may leave, its Python may lack libraries."""

import os
import subprocess
import sys

from tests.serving import BUILD


def process(site, *switches, **streams):
    """Return the finished process of build.py, run by a Python with some switches."""
    return subprocess.run(
        [sys.executable, *switches, BUILD, "--content", site.content, "--output",
         site.output], text=True, **streams)


def test_a_reader_that_goes_away_is_no_traceback(site):
    site.article("Text.\n")
    read, write = os.pipe()
    os.close(read)
    done = process(site, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_python_without_the_libraries_names_the_right_one(site):
    site.article("Text.\n")
    done = process(site, "-S", capture_output=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert done.stderr.startswith("build.py: this Python has no module '")
    assert "  use the one that make site makes: " in done.stderr


def test_nothing_to_do_is_found_without_the_libraries(site):
    site.article("Text.\n")
    first, second = (process(site, "-X", "importtime", capture_output=True)
                     for _ in range(2))
    libraries = {"jinja2", "markdown", "selectolax", "yaml"}
    assert libraries <= imported(first)
    assert second.stdout.startswith("nothing has changed\n")
    assert not imported(second) & {*libraries, "bibtexparser", "jsonschema", "numpy",
                                   "pygments", "pymdownx"}


def test_nothing_to_do_is_found_in_a_time_that_is_printed(site, record_property):
    site.article("Text.\n")
    process(site, stdout=subprocess.DEVNULL)
    done, found = processor_seconds(process, site, capture_output=True)
    assert done.stdout.startswith("nothing has changed\n")
    _, start = processor_seconds(
        subprocess.run, [sys.executable, "-c", "import jinja2"])
    record_property("printed", f"nothing changed: {found:.2f} s of processor time, "
                    f"{found / start:.1f} × starting Python with jinja2")


def processor_seconds(run, *arguments, **options):
    """Return (what a function returns, the processor time of processes it ran)."""
    before = os.times()
    result = run(*arguments, **options)
    after = os.times()
    return result, (after.children_user + after.children_system
                    - before.children_user - before.children_system)


def imported(done):
    """Return the packages of which `-X importtime` told."""
    return {line.rpartition("|")[2].strip().partition(".")[0]
            for line in done.stderr.splitlines()}
