"""What the repository as a whole promises: locks, help, names, no machine's folder."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
NPM_LOCK = ROOT / "package-lock.json"
# Built from parts, or this file would find itself.
MACHINE_PATHS = re.compile("|".join(("/wo" + "rk/", "/t" + "mp/", "/ro" + "ot/")))
ADDRESS = re.compile(r"\w+://|index-url|find-links|trusted-host")


def tracked_files():
    """Return the files that git tracks and that stand in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def machine_paths(text):
    """Yield each line of a text that names a folder of somebody's machine."""
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATHS.search(line):
            yield f"line {number}: {line.strip()[:80]}"


def lock_problems(text):
    """Yield a sentence for each line of a lock that is not a name, version or hash."""
    if ADDRESS.search(text):
        yield "names an address"
    if "#" in text:
        yield "has a comment, which names who wrote it"
    for requirement in text.replace("\\\n", " ").splitlines():
        if not re.match(r"[\w.-]+==[\w.+-]+ ", requirement):
            yield f"no version: {requirement[:60]}"
        if "--hash=sha256:" not in requirement:
            yield f"no hash: {requirement[:60]}"


def locked_versions(path):
    """Return the set of (name, version) of a lock."""
    return set(re.findall(r"^([\w.-]+)==(\S+)", path.read_text("utf-8"), re.M))


def undocumented_targets(makefile):
    """Yield each target that has no words in the list that `make help` prints."""
    for target in re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split():
        if not re.search(rf"^{target}:.*## \S", makefile, re.M):
            yield target


def shadowing(paths):
    """Yield each file whose name takes that of a module of the standard library.

    Only where a folder comes first on the path: beside a script that is run, and the
    root.
    """
    for path in paths:
        if path.stem in sys.stdlib_module_names:
            yield path.name


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_a_lock_has_names_versions_and_hashes_only(path):
    assert list(lock_problems(path.read_text("utf-8"))) == []


def test_locks_agree_where_they_share_a_package():
    site, test, torch = (
        locked_versions(ROOT / "locks" / f"{name}.txt")
        for name in ("site", "test", "torch")
    )
    assert site < test < torch


def test_every_dependency_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = {
        "site": project["project"]["dependencies"],
        **project["dependency-groups"],
    }
    for lock, requirements in wanted.items():
        locked = {name for name, _ in locked_versions(ROOT / "locks" / f"{lock}.txt")}
        assert {re.match(r"[\w-]+", text)[0] for text in requirements} <= locked


def test_the_lock_of_the_scripts_has_no_address():
    assert not re.search(r'"resolved"', NPM_LOCK.read_text("utf-8"))


def test_no_tracked_file_names_a_folder_of_a_machine():
    found = {}
    for path in tracked_files():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a font or a picture
        if lines := list(machine_paths(text)):
            found[path.relative_to(ROOT).as_posix()] = lines
    assert found == {}


def test_no_module_takes_the_name_of_a_standard_one():
    folders = (ROOT, ROOT / "model", ROOT / "probe", ROOT / "tests" / "tools")
    paths = [path for folder in folders for path in folder.glob("*.py")]
    packages = [path for path in ROOT.iterdir() if path.is_dir()]
    assert list(shadowing(paths + packages)) == []


def test_make_alone_lists_every_target():
    printed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True).stdout
    assert list(undocumented_targets(MAKEFILE)) == []
    for target in re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split():
        assert f"make {target} " in printed


def test_every_target_without_a_file_is_declared_phony():
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    assert targets == set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())


def test_the_readme_names_every_target_that_make_has_and_no_other():
    readme = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", readme, re.M))
    assert named <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    assert {"site", "test"} <= named


def test_the_readme_maps_every_folder():
    readme = (ROOT / "README.md").read_text("utf-8")
    inside = [path.relative_to(ROOT).parts for path in tracked_files()]
    folders = {parts[0] for parts in inside if len(parts) > 1}
    assert {name for name in folders if f"`{name}/" not in readme} == set()


def test_no_test_is_skipped_or_left_to_fail():
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("skip", "xfail"), (path, node.lineno)


SPOILED = {
    "a path": machine_paths("see /t" + "mp/somebody/notes"),
    "an address": lock_problems("--index-url x://y\n" + "a==1 --hash=sha256:0"),
    "a loose version": lock_problems("numpy>=2 --hash=sha256:0"),
    "a missing hash": lock_problems("numpy==2.0 "),
    "a silent target": undocumented_targets(".PHONY: site\nsite: x\n\tbuild"),
    "a shadow": shadowing([Path("trace.py")]),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_rules_notice(what):
    assert list(SPOILED[what])
