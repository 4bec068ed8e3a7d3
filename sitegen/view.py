"""One trace as one page: an HTML file that opens from disk and asks for nothing.

Its figures are those of an article, prepared by the same directives.  What an article
keeps beside its page stands in this one: one style and one script, which the page's
policy allows by their hashes; the font and the sheet of heads as data: addresses; every
tensor in the island.
"""

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from markupsafe import Markup

from sitegen.article_page import ROOT, new_environment, read_words
from sitegen.assets import compact_css, style_sheet
from sitegen.checks import check_ids, check_names, parse
from sitegen.directives import attention_heatmap, head_gallery, verification_record
from sitegen.errors import BuildFailed, Place, Problem, stop_if
from sitegen.formulas import mathml
from sitegen.islands import island_of
from sitegen.linker import link_scripts
from sitegen.notation import fixed, visible_text
from sitegen.output import refuse_other_file, write_page
from sitegen.policy import check_policy
from sitegen.recorded import (
    counted_from_zero,
    model_title,
    recorded_layers,
    token_labels,
)
from sitegen.records import Article, ArticleContext, Directive, Page, Scan
from sitegen.traces import describe_trace, parse_trace

ID = "shown"             # what the page calls its trace
NOTHING = "–"
MANY_HEADS = 8           # in all layers; more of them get a gallery
WIDGETS = ("attention-heatmap", "head-gallery", "page-contents", "scroll-box",
           "theme-choice")
PARTS = ("model", "input", "cache", "environment", "producer")
DRAWN = {"tensors", "parameters"}           # numbers, not words
LISTED = {"token_ids", "token_labels", "position_ids", "token_bytes", "special"}
GENERATOR = '<meta name="generator" content="build.py view">'
POLICY = ("default-src 'none'; script-src 'sha256-{script}'; "
          "style-src 'sha256-{style}'; img-src data:; font-src data:; "
          "worker-src 'none'; base-uri 'none'; form-action 'none'")
WEIGHTS = (r"\text{weights} = \operatorname{softmax}\Bigl(\frac{Q K^{\mathsf T}}"
           r"{\sqrt{d_h}} + \text{mask}\Bigr)")
FONT_ADDRESS = re.compile(r'url\("(fonts/[\w.-]+)"\)')


@dataclass(frozen=True)
class Token:
    """One position of the input, or one that may come next, ready to print."""

    label: str
    id: int
    position: int | None = None
    probability: str = ""


@dataclass(frozen=True)
class Part:
    """One of a trace's objects, as rows of (dotted name, text)."""

    id: str
    title: str
    rows: tuple[tuple[str, str], ...]


def view(source, output):
    """Write the trace in the file `source` as a page to the file `output`.

    Returns the page's size in bytes.  Raises BuildFailed with every problem of the
    trace, or where `output` cannot be written or is no such page; it then stays as it
    was.
    """
    refuse_other_file(Path(output), GENERATOR)
    page = Page(str(output), render_view(read_trace(source), Path(source).name))
    stop_if(check_view(page))
    return write_page(page.html, Path(output))


def read_trace(source):
    """Return the Trace in a file, its words without control characters.

    Raises BuildFailed.
    """
    try:
        text = Path(source).read_bytes().decode("utf-8")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BuildFailed([Problem(Place(str(source)), f"cannot be read: {why}",
                                   "name a trace's JSON file")]) from None
    trace, problems = parse_trace(ID, str(source), text)
    stop_if(problems)
    words = {key: harmless(value) for key, value in trace.data.items()
             if key not in DRAWN}
    return replace(trace, data={**trace.data, **words})


def harmless(value):
    """Return JSON data with every text's control characters made visible."""
    if isinstance(value, str):
        return visible_text(value)
    if isinstance(value, list):
        return [harmless(item) for item in value]
    if isinstance(value, dict):
        return {visible_text(key): harmless(item) for key, item in value.items()}
    return value


def render_view(trace, name):
    """Return the page's HTML.  name is the trace's file, without folders."""
    words, environment = read_words("en"), new_environment()
    shown, layers, heads = counted_from_zero(trace)
    article = article_of(shown, words)
    figures = attention_figures(article, environment)
    record = verification_figure(article, environment, len(figures) + 1)
    style, script = style_of_page(), script_of_page()
    island = None
    if ID in article.needs:
        island, _ = island_of(shown, article.needs[ID], article.extras.get(ID),
                              much=math.inf)
    data = trace.data
    return environment.get_template("view.html").render(
        site={"lang": "en", "dir": "ltr"}, t=words, trace=ID, island=island,
        csp=POLICY.format(script=digest(script), style=digest(style)),
        style=Markup(style), script=Markup(script), generator=Markup(GENERATOR),
        title=model_title(data["model"]), name=visible_text(name),
        version=f"{data['format_major']}.{data['format_minor']}",
        items=len(data["input"]["token_ids"]), formula=Markup(mathml(WEIGHTS, True)),
        figures=figures, notes=notes_of(data["model"], layers, heads, words),
        differs=data["model"].get("differs", []), record=record,
        tokens=tokens_of(trace), next_tokens=next_tokens(data),
        parts=parts_of(data, words), source=describe_trace(trace, words))


def notes_of(model, layers, heads, words):
    """Yield a sentence where the trace has not all of the model's layers, or heads.

    layers, heads  the model's numbers of those that the trace has; none without weights
    """
    for name, numbers, count in (("view_layers", layers, model["num_hidden_layers"]),
                                 ("view_heads", heads, model["num_attention_heads"])):
        if numbers and numbers != list(range(count)):
            listed = ", ".join(map(str, numbers))
            yield words[name].format(numbers=listed, count=count)


def article_of(trace, words):
    """Return the context of an article that is nothing but the trace's figures."""
    scan = Scan("", [], [], {}, "", trace.path)
    article = Article("", Path(), trace.path, {"trace": ID}, scan)
    return ArticleContext(article, {ID: trace}, {}, words)


def attention_figures(article, environment):
    """Return the HTML of the heatmap and, for many heads, of the gallery before it;
    nothing where no layer has weights."""
    trace = article.traces[ID]
    layers = recorded_layers(trace)
    if not layers:
        return []
    modules = [(attention_heatmap, "view_heatmap")]
    if len(layers) * trace.tensor(layers[0]).shape[1] > MANY_HEADS:
        modules.insert(0, (head_gallery, "view_gallery"))
    return [render_figure(article, environment, module, (number, caption))
            for number, (module, caption) in enumerate(modules, 1)]


def verification_figure(article, environment, number):
    """Return the HTML of the verification record; None where nothing was checked."""
    if not article.traces[ID].data.get("checks"):
        return None
    return render_figure(article, environment, verification_record,
                         (number, "view_record"))


def render_figure(article, environment, module, number_and_caption):
    """Return the HTML of a directive's figure.  Raises BuildFailed."""
    number, caption = number_and_caption
    words, directive_id = article.words, f"figure-{module.NAME}"
    directive = Directive(module.NAME, directive_id, {}, Place(article.article.path))
    variables = module.prepare(directive, article)
    stop_if(article.problems)
    if "files" in variables:
        variables["files"] = [data_address(article.downloads[name], "image/png")
                              for name in variables["files"]]
    caption = Markup("<p>{}</p>").format(words[caption])
    return Markup(environment.get_template(f"widgets/{module.NAME}.html").render(
        variables, id=directive_id, number=number, t=words, body=caption,
        caption=caption, label=words["figure_label"].format(number=number)))


@cache
def style_of_page():
    """Return the text of the one style sheet, its font a data: address."""
    own = (ROOT / "static/css/pages/view.css").read_text("utf-8")
    return FONT_ADDRESS.sub(
        lambda found: 'url("{}")'.format(data_address(
            (ROOT / "static" / found[1]).read_bytes(), "font/woff2")),
        style_sheet() + compact_css(own))


@cache
def script_of_page():
    """Return the text of the one script: the colours at once, the widgets when the
    page has been read, as a deferred script would."""
    widgets, problems = link_scripts(
        [ROOT / f"static/js/widgets/{name}.js" for name in WIDGETS])
    stop_if(problems)
    theme = (ROOT / "static/js/theme.js").read_text("utf-8")
    return f'{theme}addEventListener("DOMContentLoaded", () => {{\n{widgets}}});\n'


def data_address(content, kind):
    """Return bytes as a data: address."""
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def digest(text):
    """Return the SHA-256 of a text as a policy writes it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def tokens_of(trace):
    """Return the Tokens of the first batch item."""
    ids = trace.data["input"]["token_ids"][0]
    positions = trace.data["input"]["position_ids"][0]
    return [Token(*token) for token in
            zip(token_labels(trace, len(ids)), ids, positions, strict=True)]


def next_tokens(data):
    """Return the likeliest next Tokens, where the trace has them."""
    return [Token(token["label"], token["id"], None, fixed(token["probability"], 4))
            for token in data.get("next_token", [])]


def parts_of(data, words):
    """Return the Parts of a trace that are read as a table."""
    shown = {**data, "input": {key: value for key, value in data["input"].items()
                               if key not in LISTED}}
    parts = [Part(key, words[f"view_{key}"], tuple(rows_of(shown.get(key, {}), words)))
             for key in PARTS]
    return [part for part in parts if part.rows]


def rows_of(value, words, name=""):
    """Yield (dotted name, text) for all that an object holds."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from rows_of(item, words, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        yield name, words["view_entries"].format(count=len(value))
    elif isinstance(value, list):
        yield name, " ".join(map(_written, value)) or NOTHING
    else:
        yield name, _written(value) or NOTHING


def _written(value):
    """Return a text as it is, and anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def check_view(page):
    """Yield a Problem for whatever the page's policy would block, and for ids that
    stand twice; its one style and its one script are allowed."""
    parsed = parse(page)
    for own in ("style", "script"):
        parsed.elements.remove((own, {}))
    yield from check_policy(parsed)
    yield from check_ids(parsed)
    yield from check_names(parsed)
