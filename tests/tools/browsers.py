"""Find Chromium and Firefox, or install them, or say how: tests never go without.

    python tests/tools/browsers.py

prints what the tests will drive.  A browser of the machine comes first, since readers
have it too; then Playwright's own download; then Debian's package.  Exit status 1,
with what to do, where none of them is to be had.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import sync_playwright


@dataclass(frozen=True)
class Kind:
    """One browser family: its commands and applications, best first."""

    name: str
    commands: tuple[str, ...]
    applications: tuple[str, ...]
    debian_package: str


CHROMIUM = Kind(
    "chromium",
    (
        "google-chrome",
        "google-chrome-stable",
        "chromium",
        "chromium-browser",
        "microsoft-edge",
    ),
    (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ),
    "chromium",
)
FIREFOX = Kind(
    "firefox",
    ("firefox", "firefox-esr"),
    ("/Applications/Firefox.app/Contents/MacOS/firefox",),
    "firefox-esr",
)
KINDS = {kind.name: kind for kind in (CHROMIUM, FIREFOX)}


@dataclass(frozen=True)
class Browser:
    """An executable, and whether it is Playwright's own patched build."""

    kind: Kind
    executable: Path
    is_playwright_build: bool = False


def find_stock(kind: Kind) -> Browser | None:
    """Return the machine's own browser of this kind."""
    found = filter(None, map(shutil.which, (*kind.commands, *kind.applications)))
    return next((Browser(kind, Path(path)) for path in found), None)


def find_downloaded(kind: Kind) -> Browser | None:
    """Return the build that `playwright install` has put in its cache."""
    with sync_playwright() as playwright:
        executable = Path(getattr(playwright, kind.name).executable_path)
    return Browser(kind, executable, True) if executable.is_file() else None


def find(kind: Kind) -> Browser | None:
    """Return a browser that stands ready, the machine's own first."""
    return find_stock(kind) or find_downloaded(kind)


def install_commands(kind: Kind) -> Iterable[list[str]]:
    """Yield the commands that may bring this browser here, in the order to try."""
    yield [sys.executable, "-m", "playwright", "install", kind.name]
    if shutil.which("apt-get") and os.geteuid() == 0:
        yield ["apt-get", "install", "--yes", "--quiet", kind.debian_package]


def find_or_install(
    kind: Kind, find: Callable[[Kind], Browser | None] = find
) -> Browser:
    """Return a browser, installing one if need be.

    Raises FileNotFoundError, with what to do, if none can be had.
    """
    found = find(kind)
    for command in () if found else install_commands(kind):
        print(f"no {kind.name} here; trying: {' '.join(command)}", flush=True)
        if subprocess.run(command, check=False).returncode == 0:
            found = find(kind)
        if found:
            break
    if not found:
        raise FileNotFoundError(
            f"no {kind.name} was found or could be installed\n"
            f"  put one of these on PATH: {', '.join(kind.commands)}\n"
            f"  Debian: sudo apt-get install {kind.debian_package}"
        )
    return found


def main() -> int:
    """Print a line for each browser; return the exit status."""
    try:
        for kind in KINDS.values():
            print(f"{kind.name}: {find_or_install(kind).executable}")
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
