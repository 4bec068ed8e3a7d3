"""Write the site, or one page: beside the output, then in its place, whole or not."""

import os
import shutil
import tempfile
from pathlib import Path

from sitegen.cache import Stored
from sitegen.errors import BuildFailed, Place, Problem
from sitegen.swap import new_folder, replace

MARKER = ".written-by-build-py"
HEAD = 4096     # bytes of a page in which it says what wrote it


def write_site(files, output):
    """Replace the folder `output` by the given files; the old one stays on failure.

    files  path below the output → text, bytes or the Path of a file to copy

    Raises BuildFailed where the folder is not one that this program wrote, or cannot
    be written.
    """
    output = Path(output).resolve()
    refuse_foreign(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(output) as fresh:
            for path, content in {**files, MARKER: ""}.items():
                _write(fresh / path, content)
            fresh.chmod(0o755)
            replace(output, fresh)
    except OSError as error:
        raise _cannot(output, error) from None


def refuse_foreign(output):
    """Raise BuildFailed unless output is absent, empty, or was written by us."""
    try:
        foreign = (output.is_dir() and any(output.iterdir())
                   and not (output / MARKER).exists())
    except OSError as error:
        raise _cannot(output, error) from None
    if foreign:
        raise BuildFailed([Problem(
            Place(output.name), "this folder holds files that build.py did not write",
            "name another folder with --output, or empty this one")])
    if output.exists() and not output.is_dir():
        raise BuildFailed([Problem(Place(output.name), "is a file, not a folder",
                                   "name a folder with --output")])


def _cannot(output, error):
    name = Path(error.filename or output).name
    return BuildFailed([Problem(
        Place(output.name), f"cannot be written: {error.strerror or error} ({name})",
        "the old site is untouched")])


def _write(target, content):
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Stored) and content.path:
        _link(content.path, target)
    elif isinstance(content, Stored):
        target.write_bytes(content.data)
    elif isinstance(content, Path):
        shutil.copyfile(content, target)
    elif isinstance(content, bytes):
        target.write_bytes(content)
    else:
        target.write_bytes(content.encode("utf-8"))


def _link(source, target):
    """Give a file of the cache a second name, which copies nothing; copy where the file
    system has no such names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def write_page(html, output):
    """Replace the file `output` by a page; return its size in bytes.

    Raises BuildFailed where it cannot be written; an old file then stays as it was.
    """
    content, fresh = html.encode("utf-8"), None
    try:
        handle, fresh = tempfile.mkstemp(prefix=f".{output.name}-", dir=output.parent)
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(fresh, 0o644)
        os.replace(fresh, output)
    except OSError as error:
        if fresh:
            Path(fresh).unlink(missing_ok=True)
        raise _unwritable(output, error.strerror or str(error)) from None
    return len(content)


def refuse_other_file(output, mark):
    """Raise BuildFailed unless output is absent, or a page that holds the mark."""
    try:
        if output.is_dir():
            raise _unwritable(output, "it is a folder")
        if os.path.lexists(output) and not (
                output.is_file() and mark.encode() in _beginning(output)):
            raise BuildFailed([Problem(
                Place(str(output)), "this file was not written by build.py view",
                "name another file with --output, or remove this one")])
    except OSError as error:
        raise _unwritable(output, error.strerror or str(error)) from None


def _beginning(file):
    with file.open("rb") as opened:
        return opened.read(HEAD)


def _unwritable(output, why):
    return BuildFailed([Problem(Place(str(output)), f"cannot be written: {why}",
                                "name another file with --output")])
