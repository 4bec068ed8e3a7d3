"""The lines of one step of a source file, in the running text.

They are lines of the article's source reader; an article without one names the file,
and the page whose reader has it.
"""

from sitegen.errors import known
from sitegen.highlight import highlight
from sitegen.source import language_of, parse_steps, read_published, reader_files

NAME = "source-lines"
NUMBERED = True
KIND = "listing"
OPTIONS = {"step": {"type": "string"}, "file": {"type": "string"},
           "reader": {"type": "string"}}
REQUIRED = ["step"]


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded.

    The reader of the whole file gets a way back to here, where here has an id.
    """
    name = directive.options["step"]
    own = next(iter(reader_files(article.article.scan)), None)
    file = directive.options.get("file", own)
    if file not in article.published:
        article.problem(
            directive.at("file"), "the article has no source to take lines from",
            known(article.published, file) if file else "add a source-reader that "
            "shows the file of the step, or name the file and the page whose reader "
            "has it")
        return None
    text = read_published(article.published[file])
    steps, problems = parse_steps(text, file) if file != own else (article.steps, [])
    article.problems += [new for new in problems if new not in article.problems]
    if name not in steps:
        article.problem(directive.at("step"), f"no step '{name}' in {file}",
                        known(steps, name))
        return None
    if file == own and directive.id in article.labels:
        article.step_mentions.setdefault(name, []).append(
            {"href": f"#{directive.id}", "label": article.labels[directive.id].html})
    step, lines = steps[name], highlight(text, language_of(file)).lines
    return {"step": step, "start": step.first, "file": file,
            "reader": directive.options.get("reader", ""),
            "lines": lines[step.first - 1:step.last]}
