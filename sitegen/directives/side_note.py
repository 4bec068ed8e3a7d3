"""A note that stands in the margin, beside the paragraph before it."""

NAME = "side-note"
NUMBERED = False
OPTIONS = {}


def prepare(directive, article):
    """Return the template's variables: the body is all there is."""
    return {}
