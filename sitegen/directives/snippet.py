"""A block of Python that the build ran, with its shape comments checked."""

from sitegen.highlight import highlight

NAME = "snippet"
NUMBERED = True
KIND = "listing"
TAKES_CODE = True
OPTIONS = {"show": {"type": "boolean"}, "file": {"type": "string"}}


def prepare(directive, article):
    """Return the template's variables, or None for a snippet that is not shown."""
    if not directive.options.get("show", True) or not directive.fences:
        return None
    name = directive.options.get("file")
    return {"lines": highlight(directive.fences[0].text, "python").lines, "start": 1,
            "file": {"name": name, "href": name} if name else None}
