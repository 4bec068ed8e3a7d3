"""One article: opened, its snippets run, and drawn as a page with its files."""

import math
import re
import tomllib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitegen.assets import ASSETS, styles_of
from sitegen.checks import elements_of
from sitegen.errors import Place, Problem, known
from sitegen.islands import island_of, model_scripts
from sitegen.publishing import front_record, page_head
from sitegen.records import ArticleContext, Directive, Page
from sitegen.search import search_sections
from sitegen.share_picture import check_picture, share_picture
from sitegen.snippets import LIMITS, find_snippets, run_snippets
from sitegen.source import parse_steps
from sitegen.traces import describe_trace

ROOT = Path(__file__).parent.parent
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; "
          "img-src 'self' data:; font-src 'self'; worker-src 'none'; base-uri 'none'; "
          "form-action 'none'")
WORDS_A_MINUTE = 220


def new_environment():
    """Return the Jinja2 environment: strict names, everything escaped."""
    environment = Environment(loader=FileSystemLoader(ROOT / "templates"),
                              undefined=StrictUndefined, autoescape=True)
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return environment


@cache
def read_words(lang):
    """Return the interface's words in a language; English where it has none."""
    words = tomllib.loads((ROOT / "templates/words.toml").read_text("utf-8"))
    return {**words["en"], **words.get(lang.split("-")[0], {})}


def draw_page(context, body, shared, neighbours, environment):
    """Return (Page, what the site's other pages say of it, path → content of the files
    that stand beside it) of an article whose body has been rendered."""
    islands, scripts = page_islands(context)
    record = {**page_record(context, body, shared), **neighbours}
    html = environment.get_template("page.html").render(
        site=shared, page={**record, "islands": islands}, root="../", t=context.words,
        csp=POLICY, assets={name: f"../{path}" for name, path in ASSETS.items()},
        styles=[f"../static/{name}.css" for name in styles_of(elements_of(body.html))])
    record["sections"] = search_sections(html)
    slug = context.article.slug
    files = {f"{slug}/{name}": content
             for name, content in {**published_files(context), **scripts}.items()}
    return Page(f"{slug}/index.html", html, context.article.scan), record, files


def open_article(site, article, traces, shared, broken):
    """Return (ArticleContext with its snippets run, problems).

    broken  ids of traces that have problems of their own: nothing more is said of them
    """
    recorded = {trace.publish: trace.text for trace in traces.values() if trace.publish}
    published = {**site.publish, **recorded, **article.files}
    context = ArticleContext(article, traces, published,
                             read_words(article.front.get("lang", shared["lang"])))
    snippets, problems, are_all = find_snippets(article)
    if not broken:
        context.snippets, more, _ = run_snippets(
            snippets, published, LIMITS.raised(site.settings.get("limits", {})))
        problems += more
    if problems or broken or not are_all:
        context.broken = broken | {"run"}
    problems += read_steps(context)
    problems += check_picture(article)
    problems += name_problems(article, {**site.publish, **recorded}, traces, broken)
    return context, problems


def name_problems(article, published, traces, broken):
    """Yield a Problem for each name of an article that is taken, or leads nowhere."""
    for name in article.files.keys() & published.keys():
        place = Place(f"{article.path.rpartition('/')[0]}/{name}")
        yield Problem(place, "site.toml or traces.toml publishes a file of this name",
                      "rename one of them")
    trace = article.front.get("trace")
    if trace and trace not in traces and trace not in broken:
        yield Problem(article.places["trace"], f"no trace '{trace}'",
                      known(traces, trace))


def read_steps(context):
    """Put the steps of the article's source file into context; return problems."""
    for directive in context.article.scan.of(Directive):
        file = context.published.get(str(directive.options.get("file", "")))
        if directive.name == "source-reader" and isinstance(file, Path):
            context.steps, problems = parse_steps(file.read_text("utf-8"), file.name)
            return problems
    return []


def published_files(context):
    """Return name → content of the files that stand beside an article's page."""
    traces = {context.traces[name].publish: context.traces[name].text
              for name in context.needs if context.traces[name].publish}
    return {**context.article.files, **traces, **context.downloads}


def page_record(context, body, shared):
    """Return what templates/page.html calls `page`."""
    article, front = context.article, context.article.front
    text = re.sub(r"\W+", " ", article.scan.text)
    used = [name for name in context.traces
            if name in context.needs or name == front.get("trace")]
    record = {
        "title": front.get("title", article.slug),
        "title_html": front.get("title", article.slug),
        "description": front.get("description", ""), "slug": article.slug,
        "href": f"{article.slug}/index.html",
        "lang": front.get("lang", shared["lang"]),
        "dir": front.get("dir", shared["dir"]),
        **front_record(front, shared),
        "picture": share_picture(context) if shared["base_url"] else None,
        "reading_minutes": max(1, math.ceil(len(text.split()) / WORDS_A_MINUTE)),
        "needs": front.get("needs"), "contents": body.contents, "body": body.html,
        "references": body.references,
        "sources": [describe_trace(context.traces[name], context.words)
                    for name in used],
        "has_footnotes": '<div class="footnote">' in body.html,
    }
    return {**record, "head": page_head(record, shared)}


def page_islands(context):
    """Return (the islands of an article's page, path → text of their scripts)."""
    islands, scripts = [], {}
    for name, tensors in context.needs.items():
        trace, extras = context.traces[name], dict(context.extras.get(name, {}))
        if name in context.computed:
            extras["parameters"], files = model_scripts(
                trace, context.address_prefix(trace))
            scripts.update(files)
        text, files = island_of(trace, tensors, extras)
        islands.append({"id": f"trace-{name}", "json": text})
        scripts.update(files)
    return islands, scripts
