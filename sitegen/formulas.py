"""Turn TeX into MathML at build time (math-core), without style attributes."""

import re
from functools import cache

from math_core import LatexError, LatexToMathML

from sitegen.errors import Place, Problem, known, nearest
from sitegen.fragments import kept
from sitegen.lazy import latex2text

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
# What pylatexenc does not list, and formulas are full of.
MORE_COMMANDS = {"begin", "end", "left", "right", "operatorname", "tfrac", "dfrac",
                 "binom"}
ENVIRONMENTS = ("aligned", "array", "bmatrix", "cases", "gathered", "matrix", "pmatrix",
                "vmatrix")
TODO = {    # part of a message of math-core's → what to do
    'Expected closing token "}"': "close each '{' with a '}'",
    'Unmatched closing token: "}"': "take it out, or open it with '{'",
    'may only appear in a table': "write '\\&' for the character, or put the rows into "
                                  "\\begin{aligned} … \\end{aligned}",
    "Duplicate subscript": "group them in braces: 'a_{b_c}'",
    '"\\right"': "each \\left needs a \\right; '\\right.' draws nothing",
    "Expected argument": "write what it applies to in braces behind it",
}
STYLE = re.compile(r' style="([^"]*)"')


class UnknownStyle(ValueError):
    """math-core wrote a style for which formulas.CLASSES has no class."""


@kept
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
        return "", Problem(place, f"formula: {message or error}", _what_to_do(message))
    except UnknownStyle as error:
        return "", Problem(formula.place, f"formula: {error}")


def _what_to_do(message):
    """Return what helps with one of math-core's messages."""
    if command := re.fullmatch(r'Unknown command "\\(\w+)"\.', message):
        near = nearest(command[1], commands())
        return f"did you mean '\\{near}'?" if near else (
            "a name of your own: \\operatorname{…}; words: \\text{…}")
    if environment := re.fullmatch(r'Unknown environment "(.*)"\.', message):
        return known(ENVIRONMENTS, environment[1])
    for words, todo in TODO.items():
        if words in message:
            return todo
    return ""


@cache
def commands():
    """Return the commands that math-core knows, of those that pylatexenc lists."""
    listed = {spec.macroname for spec in
              latex2text.get_default_latex_context_db().iter_macro_specs()}
    return sorted(name for name in listed | MORE_COMMANDS if _is_known(name))


def _is_known(name):
    try:
        CONVERTER.convert_with_local_state(f"\\{name}", displaystyle=True)
    except LatexError as error:
        return "Unknown command" not in str(error)
    return True


def _place(formula, offset):
    before = formula.tex[:offset]
    lines, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    start = formula.tex_place
    return Place(start.path, start.line + lines,
                 column + (1 if lines else start.column))
