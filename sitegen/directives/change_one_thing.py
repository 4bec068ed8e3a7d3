"""Change one thing: the named changes, and what each does to the page's run.

Without scripts it is the list of changes in words.  static/js/widgets/
change-one-thing.js makes them, and says which tensors moved.
"""

import json
import re
from itertools import groupby

from markupsafe import Markup, escape

from sitegen.changes import FILE as CHANGES_FILE
from sitegen.changes import read_changes
from sitegen.directives.run_controls import OPTIONS as RUN_OPTIONS
from sitegen.directives.run_controls import computed_traces, run_variables
from sitegen.errors import known
from sitegen.records import Directive
from sitegen.traces import describe_trace
from sitegen.walk import FILE as WALK_FILE
from sitegen.walk import read_walk

NAME = "change-one-thing"
NUMBERED = True
OPTIONS = {**RUN_OPTIONS, "walk": {"type": "string"}}   # its figure's id
INDEX = re.compile(r"(?<=[A-Z])_([A-Z])\b")
FLAT = "_flat"      # what a projection made, before it is split into heads


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    folder = article.content_folder(CHANGES_FILE, WALK_FILE)
    changes, problems = read_changes(folder)
    steps, more = read_walk(folder) if "walk" in directive.options else ({}, [])
    article.problems += problems + more
    traces = computed_traces(directive, article)
    if problems or more or traces is None or not has_walk(directive, article):
        return None
    groups = [(group, [{"id": change.id, "name": typeset(change.name),
                        "what": typeset(change.what), "needs": " ".join(change.needs)}
                       for change in members])
              for group, members in groupby(changes, key=lambda change: change.group)]
    return {"groups": groups, "walk": directive.options.get("walk"),
            "steps": json.dumps(steps_of_tensors(steps)),
            "origin": describe_trace(traces[0], article.words),
            **run_variables(traces[0], article)}


def has_walk(directive, article):
    """Return whether the page has the walk that the option names, if it names one."""
    walk = directive.options.get("walk")
    walks = [other.id for other in article.article.scan.of(Directive)
             if other.name == "tensor-walk"]
    if walk in (None, *walks):
        return True
    article.problem(directive.at("walk"), f"no tensor-walk '{walk}' on this page",
                    known(walks, walk))
    return False


def typeset(name):
    """Return a name with W_Q as a letter and its index."""
    return Markup(INDEX.sub(r"<sub>\1</sub>", str(escape(name))))


def steps_of_tensors(steps):
    """Return a tensor's own name, without its layer → the step that first makes it,
    where the two are not one."""
    made = {}
    for step in steps.values():
        for output in step.outputs:
            made.setdefault(output.rpartition(".")[2], step.id)
    return {name: step for name, step in made.items() if name != step}
