"""The lines of one step of the article's source file, in the running text."""

from sitegen.errors import known
from sitegen.highlight import highlight
from sitegen.source import language_of, read_published, reader_files

NAME = "source-lines"
NUMBERED = True
KIND = "listing"
OPTIONS = {"step": {"type": "string"}}
REQUIRED = ["step"]


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded.

    The reader of the whole file gets a way back to here, where here has an id.
    """
    name = directive.options["step"]
    file = next(iter(reader_files(article.article.scan)), None)
    if file not in article.published:
        article.problem(directive.place, "the article has no source to take lines from",
                        "add a source-reader that shows the file of the step")
        return None
    if name not in article.steps:
        article.problem(directive.place, f"no step '{name}' in {file}",
                        known(article.steps, name))
        return None
    if directive.id in article.labels:
        article.step_mentions.setdefault(name, []).append(
            {"href": f"#{directive.id}", "label": article.labels[directive.id].html})
    step = article.steps[name]
    lines = highlight(read_published(article.published[file]), language_of(file)).lines
    return {"step": step, "start": step.first, "file": file,
            "lines": lines[step.first - 1:step.last]}
