"""A process with an article's libraries in it, whose copies run the builds of a test.

    python fork_server.py FOLDER

It reads a line of JSON and answers with one: [command, environment, out, err] starts a
script and gives its process, a process waits for it and gives its exit status.  In
FOLDER templates are kept, compiled, for builds without a cache: importing libraries and
compiling templates takes longer than making a page.
"""

import importlib
import json
import os
import runpy
import sys

import jinja2

LIBRARIES = ("bibtexparser", "jsonschema", "markdown", "math_core", "numpy",
             "pygments.lexers.python", "pymdownx.blocks", "pymdownx.superfences",
             "selectolax.lexbor", "yaml")


def run_script(command, environment, out, err):
    """Run a script in this process as Python itself would; return its exit status.

    out, err  files for what it prints
    """
    os.environ.update(environment)
    for path, to in ((os.devnull, 0), (out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), to)
    sys.argv = command
    sys.path[:0] = [os.path.dirname(command[0]), *filter(None, environment.get(
        "PYTHONPATH", "").split(os.pathsep))]
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def keep_templates(folder):
    """Let Jinja2 keep in a folder what it compiles."""
    kept, prepare = jinja2.FileSystemBytecodeCache(folder), jinja2.Environment.__init__

    def prepare_and_keep(environment, *arguments, **options):
        prepare(environment, *arguments, **{**options, "bytecode_cache": kept})

    jinja2.Environment.__init__ = prepare_and_keep


def answer(asked, folder):
    """Start a script, or wait for one; return its process, or its exit status."""
    if isinstance(asked, int):
        return os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1])
    process = os.fork()
    if process == 0:
        if "--no-cache" in asked[0]:
            keep_templates(folder)
        os._exit(run_script(*asked))
    return process


def main(folder):
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        print(answer(json.loads(line), folder), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
