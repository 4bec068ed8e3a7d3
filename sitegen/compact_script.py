"""Write JavaScript tokens with no more white space than their meaning needs.

Nothing is renamed and no semicolon is added.  A line's end stays where a statement may
end without one: JavaScript then puts one there, or does not, as it did before.
Comments are left out, except those that begin with `/*!` (licences).
"""

LICENCE = "/*!"
MAY_END = (")", "]", "}", "++", "--")           # marks that may end a statement
GOES_ON = frozenset("})],;.:?=*%&|<>^")         # marks that begin none
MERGED = [("+", "+"), ("-", "-"), ("/", "/"), ("/", "*"), ("<", "!"), ("--", ">")]


def compact_script(tokens):
    """Return the text of tokens (of scan_javascript) without spare white space."""
    pieces, gap, last = [], "", None
    for token in tokens:
        if token.kind == "space" or _is_spare(token):
            gap += "\n" if "\n" in token.text or token.text.startswith("//") else " "
            continue
        if last is not None:
            pieces.append(_between(last, token, gap))
        pieces.append(token.text)
        gap, last = "", token
    return "".join(pieces)


def _is_spare(token):
    return token.kind == "comment" and not token.text.startswith(LICENCE)


def _between(last, token, gap):
    """Return what must stand where a gap stood between two tokens."""
    if not gap:
        return ""
    if "comment" in (last.kind, token.kind):
        return "\n"
    if "\n" in gap and _may_end(last) and not _goes_on(token):
        return "\n"
    return " " if _would_merge(last, token) else ""


def _may_end(token):
    if token.kind == "template":
        return token.text.endswith("`")
    return token.kind != "mark" or token.text in MAY_END


def _goes_on(token):
    if token.kind == "template":
        return token.text.startswith("}")
    return token.kind == "mark" and token.text in GOES_ON


def _would_merge(last, token):
    """Return whether two tokens without a gap would be read as other ones."""
    if last.kind in ("word", "regex") and token.kind == "word":
        return True
    if last.text.isdigit() and token.text == ".":
        return True
    return any(last.text.endswith(end) and token.text.startswith(start)
               for end, start in MERGED if last.kind == "mark")
