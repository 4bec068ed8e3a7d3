"""The whole published source file, its steps marked, and where the article names them.

It is drawn after everything else (LATE): only then is it known which equations and
sentences lead to a step, and the reader leads back to each of them.
"""

from urllib.parse import quote

from sitegen.errors import known
from sitegen.highlight import highlight
from sitegen.source import language_of, read_published, reader_files

NAME = "source-reader"
NUMBERED = False
LATE = True
OPTIONS = {"file": {"type": "string"}, "trace": {"type": "string"}}
REQUIRED = ["file"]


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded.

    The steps are those that the pipeline found in this file, `article.steps`.
    """
    name = directive.options["file"]
    trace = directive.options.get("trace", article.article.front.get("trace"))
    problems = list(_problems(directive, article, trace))
    article.tell_faults(directive, problems)
    if problems:
        return None
    article.publish(name)
    steps, mentions = list(article.steps.values()), article.step_mentions
    lines = read_lines(name, article.published[name])
    return {"file": {"name": name, "href": quote(name)}, "trace": trace,
            "parts": split_lines(lines, steps), "line_count": len(lines),
            "steps": [{"step": step, "mentions": once_each(mentions.get(step.name, []))}
                      for step in steps]}


def _problems(directive, article, trace):
    name = directive.options["file"]
    if len(reader_files(article.article.scan)) > 1:
        yield ("more than one source reader",
               "the addresses #L1, #L2, … of a page belong to one file")
    if name not in article.published:
        yield f"no file '{name}' to read", known(article.published, name), "file"
    if "trace" in directive.options and trace not in article.traces:
        yield f"no trace '{trace}'", known(article.traces, trace), "trace"


def once_each(mentions):
    """Return the mentions without those whose label came before: one way a section."""
    first = {}
    for mention in mentions:
        first.setdefault(str(mention["label"]), mention)
    return list(first.values())


def read_lines(name, content):
    """Return a published file's lines as HTML, each with the line end that it has."""
    text = read_published(content)
    lines = highlight(text, language_of(name)).lines
    ends = ["\n"] * (len(lines) - 1) + ["\n" if text.endswith("\n") else ""]
    return [line + end for line, end in zip(lines, ends, strict=True)]


def split_lines(lines, steps):
    """Return the lines as parts, {step or None, first, lines}, in the file's order."""
    parts, following = [], 1
    for step in steps:
        parts.append(_part(lines, None, following, step.first - 1))
        parts.append(_part(lines, step, step.first, step.last))
        following = step.last + 1
    parts.append(_part(lines, None, following, len(lines)))
    return [part for part in parts if part["lines"]]


def _part(lines, step, first, last):
    return {"step": step, "first": first, "lines": lines[first - 1:last]}
