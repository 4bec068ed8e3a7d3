"""Each peer in an environment of its own, outside the project."""

import os
import re
import subprocess
import sys
from pathlib import Path

PATIENCE_S = 600
HOST_NOT_FOUND = re.compile("ENOTFOUND|Name or service not known|getaddrinfo")


class NotInstalled(Exception):
    """A peer that cannot be measured here; the message says why in one line."""


def install(peer, folder):
    """Return the folder of a peer's commands, installed below the given folder.

    What an earlier run installed of the same versions is used again.

    Raises NotInstalled.
    """
    place = Path(folder).resolve() / peer.id
    made = place / "made.txt"
    if peer.install and not (made.is_file() and made.read_text("utf-8") == peer.wanted):
        place.mkdir(parents=True, exist_ok=True)
        for command in COMMANDS[peer.install](peer, place):
            run_or_say(command, place)
        made.write_text(peer.wanted, "utf-8")
    return place / {"pip": f"env/{SCRIPTS}", "npm": "node_modules/.bin"}.get(
        peer.install, "")


SCRIPTS = "Scripts" if os.name == "nt" else "bin"


def pip_commands(peer, place):
    """Return the commands that make a virtual environment of requirements.txt."""
    env = place / "env"
    return [[sys.executable, "-m", "venv", "--clear", str(env)],
            [str(env / SCRIPTS / "python"), "-m", "pip", "--quiet",
             "--disable-pip-version-check", "install",
             "-r", str(peer.folder / "requirements.txt")]]


def npm_commands(peer, place):
    """Return the command that installs package.json, which is copied for it."""
    (place / "package.json").write_text(peer.wanted, "utf-8")
    return [["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]]


COMMANDS = {"pip": pip_commands, "npm": npm_commands}


def run_or_say(command, cwd):
    """Run a command to its end.

    Raises NotInstalled, with the line that says most, if it fails or cannot be run.
    """
    try:
        ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                               timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalled(f"{Path(command[0]).name}: {type(error).__name__}") from None
    if ended.returncode:
        raise NotInstalled(reason(ended.stdout + ended.stderr))


def reason(printed):
    """Return the line that says most, without folders: the last that names a host that
    was not found, else the last that names an error, else the last."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if re.search(r"error|failed", line, re.I)]
    hosts = [line for line in errors if HOST_NOT_FOUND.search(line)]
    return without_folders((hosts or errors or lines or ["it said nothing"])[-1])


def without_folders(line):
    """Return a line with absolute paths cut to their last part, and no colours."""
    line = re.sub(r"\x1b\[[\d;]*m", "", line)
    return re.sub(r"(?<![\w:/.])/(?:[^\s/:'\"]+/)+", "", line)
