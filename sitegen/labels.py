"""Number what an article numbers, and check what its directives were given."""

from markupsafe import escape

from sitegen.directives import MODULES, kind_of, option_schema
from sitegen.errors import Problem, enclosing, known
from sitegen.markdown_text import unique
from sitegen.records import Directive, Formula, Label
from sitegen.schemas import UNKNOWN_KEY, errors_of


def check_directives(article):
    """Return (directives that can be drawn, by index; problems).

    One that could not be read is not drawn either: its problems are told already.
    """
    usable, problems = {}, []
    for index, construct in enumerate(article.scan.constructs):
        if isinstance(construct, Directive):
            found = list(_directive_problems(construct))
            problems += found
            if construct.is_read and not found:
                usable[index] = construct
    return usable, problems


def _directive_problems(directive):
    if directive.name not in MODULES:
        yield Problem(directive.name_place, f"unknown directive '{directive.name}'",
                      known(MODULES, directive.name))
        return
    schema = option_schema(directive.name)
    for where, message in errors_of(schema, directive.options):
        keys = ".".join(map(str, where))
        places = (directive.keys if message.startswith(UNKNOWN_KEY)
                  else directive.values)
        if directive.is_read or where:
            yield Problem(enclosing(keys, places) or directive.name_place,
                          f"{directive.name}: {keys + ': ' if keys else ''}{message}")


def number_labels(scan, usable, words):
    """Return index → Label for each construct that has an id, in order of the text.

    Equations, figures and listings are counted apart; a directive without an id gets
    one from its name and place in the order.
    """
    counts, labels = {}, {}
    used = {c.id: 1 for c in scan.constructs if getattr(c, "id", None)}
    for index, construct in enumerate(scan.constructs):
        if isinstance(construct, Formula) and construct.id:
            kind, name = "equation", construct.id
        elif index in usable:
            kind, name = kind_of(construct), construct.id
        else:
            continue
        of_kind = kind or construct.name
        counts[of_kind] = counts.get(of_kind, 0) + 1
        number = counts[of_kind] if kind else None
        name = name or unique(f"{of_kind}-{counts[of_kind]}", used)
        text = words[f"{kind}_reference"].format(number=number) if kind else name
        labels[index] = Label(name, kind or "", number, escape(text))
    return labels
