"""What is computed twice is compared here: the numbers of an article's script and those
that a test found for itself."""

import re
import shutil
import sys

import numpy as np

from tests.article.conftest import load

ROUNDING = 1e-12        # of the largest value: what float64 may be off by


def gap(found, expected):
    """Return the largest difference over the largest expected size."""
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def same(printed, again):
    """Are two results one? Counts and words exactly; a difference that is rounding in
    one is rounding in the other; all else to nine digits; lists item by item."""
    if isinstance(printed, list):
        return len(printed) == len(again) and all(map(same, printed, again))
    if not isinstance(printed, float):
        return printed == again
    if max(printed, again) <= ROUNDING:
        return True
    return min(printed, again) > ROUNDING and abs(printed - again) <= 1e-9 * again


def disagreements(module, again):
    """Yield the names of a script whose values are not what was found again; shares
    of tokens, which end in `_told`, have to be equal to the bit."""
    for name, value in again.items():
        printed = getattr(module, name)
        exact = name.endswith("_told") and printed != value
        if exact or not same(printed, value):
            yield name


def names_in_text(article, module):
    """Return the names that an article prints of a script's, its figures' included."""
    text = (article / "index.md").read_text("utf-8")
    named = set(re.findall(r"\[\[value run:(\w+)", text))
    named |= set(re.findall(r"^    \w+: (\w+)$", text, re.M))
    return {name for name in named if hasattr(module, name)}


def changed_a_little(value):
    """Return a value that a reader would hardly tell from this one, but is wrong."""
    if isinstance(value, list):
        return [*value[:-1], changed_a_little(value[-1])]
    if isinstance(value, int):
        return value + 1
    return value * (1 + 1e-8) if value > ROUNDING else 2 * ROUNDING


def spoiled(script, folder, changes):
    """Return a script as a module that ran in a copy of its folder, with some of its
    text replaced.

    script   path of the script, which stands in the folder that the reader has
    folder   an empty folder
    changes  pairs (old, new); each old text occurs once
    """
    text = script.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    for path in script.parent.iterdir():
        if path.is_file():
            shutil.copy(path, folder)
    (folder / "spoiled.py").write_text(text, "utf-8")
    others = sys.modules.pop("tiny_llama", None)        # other tests go on with theirs
    try:
        return load(folder, "spoiled.py", "spoiled")
    finally:
        sys.modules.pop("tiny_llama", None)
        if others:
            sys.modules["tiny_llama"] = others
