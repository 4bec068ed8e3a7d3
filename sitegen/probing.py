"""Record a pretrained model before a build, as `make probe` does."""

import os
import subprocess
from pathlib import Path

from sitegen.errors import BuildFailed, Place, Problem

ROOT = Path(__file__).parent.parent
STANDARD_ERROR = 2      # standard output is for what a build says, perhaps to programs


def run_probe(device, model=None):
    """Run `make probe`, which knows the interpreter that has PyTorch; the trace goes to
    probe/traces/.

    device  as the probe's --device
    model   as its --model; a file or folder is looked for where we are

    What it prints is passed on to standard error.  Raises BuildFailed where it fails.
    """
    if model and Path(model).exists():
        model = str(Path(model).resolve())
    # Through the environment, which neither make nor a shell reads as a command.
    settings = {**os.environ, "DEVICE": device, "MODEL": model or ""}
    try:
        done = subprocess.run(["make", "--silent", "--directory", str(ROOT), "probe"],
                              env=settings, stdin=subprocess.DEVNULL,
                              stdout=STANDARD_ERROR)
    except OSError as error:
        raise _failed(device, f"make cannot be run: {error.strerror}") from None
    except ValueError as error:     # a NUL in a name
        raise _failed(device, str(error)) from None
    if done.returncode:
        raise _failed(device, f"make probe ended with status {done.returncode}")


def _failed(device, why):
    return BuildFailed([Problem(Place(f"--probe {device}"), why,
                                "mend what the probe says, or build without --probe")])
