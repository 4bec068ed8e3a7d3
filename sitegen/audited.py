"""What a program read while it ran: its cached result holds as long as that stays.

Seen is whatever Python audits: files that are opened or imported, through NumPy, mmap
and sqlite3 too, folders that are listed, modules that were looked for in vain.  Not
seen is a library that opens files in C or Rust by itself (h5py, safetensors'
`safe_open`, pyarrow), a file that is only asked whether it is there, and the clock.
"""

import ast
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sitegen.children import SAME

CHILD = Path(__file__).with_name("audit_child.py")
GENERATOR = os.path.dirname(os.path.realpath(__file__))
LIBRARY = os.path.dirname(os.path.realpath(os.__file__))
ARCHIVE = os.path.join(os.path.dirname(LIBRARY), "python{}{}.zip".format(
    *sys.version_info))
TEMPORARY = os.path.realpath(tempfile.gettempdir())
NOT_FILES = re.compile(r"/(?:dev(?!/shm/)|proc|sys)(?:/|$)")
PACKAGES = re.compile(r"(.*[\\/](?:site|dist)-packages)[\\/](.+)", re.DOTALL)
BYTECODE = re.compile(r"(.*)__pycache__[\\/]([^\\/]+)\.[^.\\/]+\.pyc", re.DOTALL)


@dataclass(frozen=True)
class Reads:
    """What a program read.

    files      absolute paths of files that it opened, imported or looked for, outside
               the interpreter's library, packages and the working folder; one that is
               absent counts as such: when it appears, the result may change
    names      the same of the working folder, relative to it, with /, and the modules
               that were looked for in it; "." where it was listed
    folders    absolute paths of other folders that it listed, or looked for modules in
    packages   distribution → version of what was imported from site-packages
    variables  names of the environment's variables that it looked up
    unseen     why nobody can tell what else it read, so that its result is not stored
    """

    files: frozenset = frozenset()
    names: frozenset = frozenset()
    folders: frozenset = frozenset()
    packages: dict = field(default_factory=dict)
    variables: frozenset = frozenset()
    unseen: str = ""


def audited(report, script, *arguments):
    """Return the command that runs a Python script and writes the report of it."""
    return [sys.executable, "-B", str(CHILD), str(report), str(script), *arguments]


def read_report(report, working=None):
    """Return the Reads that a report tells; call it before its folders are removed.

    working  the folder that was made for this run, if one was
    """
    try:
        told = ast.literal_eval(Path(report).read_text("ascii"))
    except (OSError, ValueError, SyntaxError):
        return Reads(unseen="ended before it could tell what it read")
    working = os.path.realpath(working) if working else "\0"
    paths = {source_of(path) for path in told["opened"]}
    paths |= missed_packages(told["sought"], told["missed"])
    paths |= {path for folder, names in told["sought"].items()
              if is_below(folder, working) for path in sources(folder, names)}
    inside = {path for path in paths if is_below(path, working)}
    packages, files = installed(path for path in paths - inside if counts(path))
    names = {os.path.relpath(path, working).replace(os.sep, "/")
             for path in inside | (told["listed"] & {working})}
    folders = {path for path in told["listed"] | told["sought"].keys() if counts(path)
               and not is_below(path, working) and not is_of_packages(path)}
    written = [os.path.basename(path) for path in sorted(told["made"] - inside)
               if counts(path) and not is_below(path, TEMPORARY)]
    unseen = told["unseen"] or "".join(f"writes {name}" for name in written[:1])
    return Reads(frozenset(files), frozenset(names), frozenset(folders), packages,
                 frozenset(told["variables"] - SAME.keys()), unseen)


def source_of(path):
    """Return the source that a file of bytecode was made from; other paths as is."""
    found = BYTECODE.fullmatch(path)
    return f"{found[1]}{found[2]}.py" if found else path


def sources(folder, names):
    """Yield the sources, there or not, of modules that were looked for in a folder."""
    for name in names:
        yield os.path.join(folder, f"{name}.py")
        yield os.path.join(folder, name, "__init__.py")


def missed_packages(sought, missed):
    """Return the sources of packages that, installed, an import would have found.

    sought  folder → names of modules
    missed  the names of modules that were found nowhere
    """
    return {path for folder, names in sought.items() if is_of_packages(folder)
            for path in sources(folder, names & missed)}


def is_of_packages(folder):
    return bool(PACKAGES.match(folder + "/x"))


def counts(path):
    """Return whether a path is one that a result can depend on: a file or folder that
    is there, or may be, beyond the interpreter's and the generator's own."""
    if not path or NOT_FILES.match(path) or path in (sys.executable, ARCHIVE):
        return False
    return bool(PACKAGES.match(path)) or not (
        is_below(path, LIBRARY) or is_below(path, GENERATOR))


def is_below(path, folder):
    return path == folder or path.startswith(folder + os.sep)


def installed(paths):
    """Return (distribution → version, the paths that no distribution owns)."""
    packages, loose = {}, set()
    for path in paths:
        found = PACKAGES.match(path)
        owner = found and owners(found[1]).get(re.split(r"[\\/]", found[2])[0])
        if owner:
            packages.update(owner)
        elif not os.path.isdir(path):
            loose.add(path)
    return packages, loose


@cache
def owners(folder):
    """Return top-level name → {distribution: version} of a folder of packages.

    As the names of the folders *.dist-info and their files RECORD tell it: asking
    importlib.metadata takes ten times as long.
    """
    found = {}
    for record in Path(folder).glob("*.dist-info/RECORD"):
        name, _, version = record.parent.name.removesuffix(".dist-info").partition("-")
        for top in set(re.findall(r"^([^/,\n]+)[/,]", record.read_text("utf-8"), re.M)):
            found.setdefault(top, {})[name] = version
    return found
