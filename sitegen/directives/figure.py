"""A numbered figure of the author's: a picture, a table, anything with a caption."""

from markupsafe import Markup

NAME = "figure"
NUMBERED = True
OPTIONS = {"wide": {"type": "boolean"}, "origin": {"type": "string"}}


def prepare(directive, article):
    """Return the template's variables; the caption is split off by `body_parts`."""
    return {"wide": directive.options.get("wide", False),
            "origin": directive.options.get("origin")}


def body_parts(html):
    """Return body and caption: split at a line `---`, else the last paragraph."""
    before, rule, after = html.rpartition("<hr />")
    if rule:
        return {"body": Markup(before.strip()), "caption": Markup(after.strip())}
    start = html.rstrip().rfind("<p>")
    if start > 0 and html.rstrip().endswith("</p>"):
        return {"body": Markup(html[:start].strip()),
                "caption": Markup(html[start:].strip())}
    return {"body": Markup(html.strip()), "caption": Markup("")}


