"""Write the BibTeX entry with which an article is cited."""

import re

# What LaTeX reads as a command.  BibTeX counts braces without minding a backslash
# before them, so a brace of the text must become a word.
SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "%": r"\%", "&": r"\&", "$": r"\$", "#": r"\#", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}"})
# Where BibTeX takes a list of names, and a name, apart.
PARTING = re.compile(r",|\b(and|others)\b", re.I)


def bibtex_entry(record, shared):
    """Return the entry of an article: author, title, site, and year and address where
    they are known."""
    day = record["published"] or record["revised"]
    fields = {
        "author": " and ".join(_author(name) for name in record["authors"]),
        "title": f"{{{escaped(record['title'])}}}",     # keeps its capitals
        "howpublished": escaped(shared["title"]),
        **({"year": day[:4]} if day else {}),
        **({"url": record["address"]} if record["address"] else {}),
    }
    lines = [f"  {name:<12} = {{{value}}}" for name, value in fields.items()]
    return "\n".join([f"@misc{{{record['slug']},", ",\n".join(lines), "}"])


def escaped(text):
    """Return a text as BibTeX and LaTeX print it, white space as single spaces."""
    return " ".join(text.split()).translate(SPECIAL)


def _author(name):
    """Return a name; in braces where BibTeX would not take it as first and last name,
    as it is where it begins with a small letter."""
    written = escaped(name)
    whole = PARTING.search(name) or name.lstrip()[:1].islower()
    return f"{{{written}}}" if whole else written
