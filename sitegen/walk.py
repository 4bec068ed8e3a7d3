"""The steps of the walk through a decoder, from walk.toml.

A step of a layer is taken in each layer: its tensors' names hold {layer}, and {state}
for what the layer begins with.
"""

import re
from dataclasses import dataclass

from markupsafe import Markup, escape
from math_core import LatexError

from sitegen.content import read_toml
from sitegen.errors import Place, Problem
from sitegen.formulas import UnknownStyle, mathml

FILE = "walk.toml"
MARKED = r"\now{"
# math-core writes no classes.  It has a tag for what is not seen, which no formula of
# the walk needs, so that tag stands for what the step makes until it is written.
CARRIER = r"\phantom{"
INLINE = re.compile(r"\\\((.+?)\\\)")


@dataclass(frozen=True)
class WalkStep:
    """One step in words, and the names of its tensors as walk.toml has them.

    scope    before, layer or after
    formula  MathML; what the step makes has the class `now`; words may hold formulas
    source   marks of its lines in the model's file, its own first
    """

    id: str
    scope: str
    title: str
    role: Markup
    formula: Markup
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    source: tuple[str, ...]
    wrong: Markup
    sign: Markup


def read_walk(folder):
    """Return ({id: WalkStep} in their order, problems) of a content folder."""
    data, problems = read_toml(folder, FILE, "walk.schema.json")
    place = Place(f"{folder.name}/{FILE}")
    if data is None and not problems:
        problems = [Problem(place, "no such file",
                            "it has the steps that a tensor-walk shows")]
    if problems:
        return {}, problems
    steps = {}
    for stored in data["step"]:
        try:
            step = _step(stored)
        except (LatexError, UnknownStyle, ValueError) as error:
            problems.append(Problem(place, f"step '{stored['id']}': formula: {error}"))
            continue
        if step.id in steps:
            problems.append(Problem(place, f"step '{step.id}' stands twice"))
        steps[step.id] = step
    return steps, problems


def _step(stored):
    names = {key: tuple(stored.get(key, ()))
             for key in ("inputs", "parameters", "outputs", "source")}
    words = {key: with_formulas(stored[key]) for key in ("role", "wrong", "sign")}
    return WalkStep(**{**stored, **names, **words,
                       "formula": marked_formula(stored["formula"])})


def with_formulas(text):
    r"""Return a sentence as HTML, what stands between \( and \) as MathML."""
    words, *others = INLINE.split(text)
    html = escape(words)
    for tex, following in zip(others[::2], others[1::2], strict=True):
        html += Markup(mathml(tex, False)) + escape(following)
    return html


def marked_formula(tex):
    r"""Return MathML of TeX; what stands in \now{…} has the class now.

    Raises LatexError, UnknownStyle, and ValueError where the TeX has a \phantom.
    """
    if r"\phantom" in tex:
        raise ValueError(r"\phantom is taken: it carries \now")
    html = mathml(tex.replace(MARKED, CARRIER), True)
    return Markup(html.replace("<mphantom>", '<mrow class="now">')
                  .replace("</mphantom>", "</mrow>"))


def layers_of(step, layers):
    """Return the layers that a step is taken in: None before the first of them, and
    how many there are after the last."""
    return {"before": [None], "layer": range(layers), "after": [layers]}[step.scope]


def resolve(name, layer, model):
    """Return the name of a tensor or weight of a model, in one of `layers_of`."""
    state = "embedding" if not layer else f"layers.{layer - 1}.resid_out"
    head = "embedding" if model["tie_word_embeddings"] else "lm_head"
    return name.format(layer=layer, state=state, head=head)
