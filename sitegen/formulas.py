"""Turn TeX into MathML at build time (math-core), without style attributes."""

import re
from functools import cache

from math_core import LatexError, LatexToMathML

from sitegen.errors import Place, Problem

CONVERTER = LatexToMathML(fancy_error=False)

# The page's policy blocks style=, so the few that math-core writes become classes.
CLASSES = {
    "text-align: right;justify-items: end;padding-right: 0;": "mc-r",
    "text-align: left;justify-items: start;padding-left: 0;": "mc-l",
    "text-align: left;justify-items: start;padding-right: 0;": "mc-case",
    "text-align: left;justify-items: start;padding-right: 0;padding-left:1em;":
        "mc-case-if",
    "text-align: left;justify-items: start;": "mc-left",
    "text-align: right;justify-items: end;": "mc-right",
}
STYLE = re.compile(r' style="([^"]*)"')


class UnknownStyle(ValueError):
    """math-core wrote a style for which formulas.CLASSES has no class."""


@cache
def mathml(tex, display):
    """Return MathML for TeX; raises LatexError or UnknownStyle."""
    return STYLE.sub(_class, CONVERTER.convert_with_local_state(
        tex, displaystyle=display))


def _class(found):
    if found[1] not in CLASSES:
        raise UnknownStyle(f"style '{found[1]}' has no class in sitegen/formulas.py")
    return f' class="{CLASSES[found[1]]}"'


def convert(formula):
    """Return (MathML, Problem or None) of a records.Formula."""
    try:
        return mathml(formula.tex, formula.display), None
    except LatexError as error:
        offset, _, message = str(error).partition(": ")
        place = _place(formula, int(offset) if offset.isdigit() else 0)
        return "", Problem(place, f"formula: {message or error}", "",
                           formula.tex.split("\n")[0])
    except UnknownStyle as error:
        return "", Problem(formula.place, f"formula: {error}")


def _place(formula, offset):
    before = formula.tex[:offset]
    lines, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    start = formula.tex_place
    return Place(start.path, start.line + lines,
                 column + (1 if lines else start.column))
