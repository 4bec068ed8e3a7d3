"""Read JSON as its standard has it, and no more."""

import json
import re
from math import isfinite

HUGE = re.compile(r"\d[eE]\+?\d{3}")     # perhaps no float64; or part of a hash


def read_json(text):
    """Return what a text of JSON says.

    Raises ValueError, or RecursionError, for anything else: NaN and infinities, numbers
    that float64 does not have, a key that stands twice in one object.
    """
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_once,
                      parse_float=_finite if HUGE.search(text) else None)


def _refuse(constant):
    raise ValueError(f"{constant} is no number of JSON")


def _finite(text):
    number = float(text)
    return number if isfinite(number) else _refuse(text)


def _once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"'{twice}' stands twice in one object")
    return found
