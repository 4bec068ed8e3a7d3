"""One article: opened, its snippets run, and drawn as a page with its files."""

import math
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitegen.assets import ASSETS, styles_of
from sitegen.cache import Store
from sitegen.checks import elements_of
from sitegen.children import Limits
from sitegen.errors import Place, Problem, known
from sitegen.inputs import OURS, PACKAGE, digest_of
from sitegen.islands import island_of, model_scripts
from sitegen.publishing import front_record, page_head
from sitegen.recordings import input_name
from sitegen.records import ArticleContext, Citation, Directive, Page, Watched
from sitegen.search import search_sections
from sitegen.share_picture import check_picture, share_picture
from sitegen.snippets import find_snippets, run_snippets
from sitegen.source import parse_steps
from sitegen.traces import Trace, describe_trace

ROOT = Path(__file__).parent.parent
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; "
          "img-src 'self' data:; font-src 'self'; worker-src 'none'; base-uri 'none'; "
          "form-action 'none'")
WORDS_A_MINUTE = 220
TEMPLATE = re.compile(r"{%-?\s*(?:extends|include|import|from)\s+[\"']([^\"']+)")
PAGE_PACKAGES = [PACKAGE + name for name in (
    "jinja2", "jsonschema", "markdown", "markupsafe", "math-core", "numpy", "pygments",
    "pymdown-extensions", "pyyaml", "selectolax")]
REFERENCES, CODE_OF, BESIDE = "the references ", "the code of ", "the names beside "


def new_environment(compiled=None):
    """Return the Jinja2 environment: strict names, everything escaped.

    compiled  CompiledTemplates of earlier builds, if there are any
    """
    environment = Environment(loader=FileSystemLoader(ROOT / "templates"),
                              undefined=StrictUndefined, autoescape=True,
                              bytecode_cache=compiled)
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return environment


@cache
def read_words(lang):
    """Return the interface's words in a language; English where it has none."""
    words = tomllib.loads((ROOT / "templates/words.toml").read_text("utf-8"))
    return {**words["en"], **words.get(lang.split("-")[0], {})}


@dataclass(frozen=True)
class Workshop:
    """What all articles of a site are made with.

    shared      what templates call `site`
    traces      id → Trace
    broken      ids of traces that have problems: nothing more is said of them
    published   name → Path of files that site.toml publishes
    references  key → Reference, in the order of references.bib
    store       cache.Store
    limits      snippets.Limits of each article's snippets
    run         False takes what snippets gave in an earlier build
    """

    shared: dict
    traces: dict
    broken: frozenset
    published: dict
    references: dict
    environment: Environment
    markdown: object
    store: Store
    limits: Limits
    run: bool


def open_article(article, workshop):
    """Return (ArticleContext with its snippets run, problems)."""
    recorded = {trace.publish: trace for trace in workshop.traces.values()
                if trace.publish}
    published = {**workshop.published, **recorded, **article.files}
    context = ArticleContext(
        article, Watched(workshop.traces), Watched(published, _content),
        read_words(article.front.get("lang", workshop.shared["lang"])))
    snippets, problems, are_all = find_snippets(article)
    broken = workshop.broken
    if snippets and not broken:
        problems += run_or_take(context, snippets, workshop)
    if problems or broken or not are_all:
        context.broken = broken | {"run"}
    problems += read_steps(context)
    problems += check_picture(article)
    problems += name_problems(article, {**workshop.published, **recorded},
                              context.traces, broken)
    return context, problems


def _content(item):
    """Return what is published: the Path of a file, or the text of a trace."""
    return item.text if isinstance(item, Trace) else item


def run_or_take(context, snippets, workshop):
    """Give context the values of its snippets, from this run or an earlier one; return
    problems."""
    slug, store = context.article.slug, workshop.store
    code, names = f"{CODE_OF}{slug}", f"{BESIDE}{slug}"
    store.inputs.found(code, digest_of([snippet.code for snippet in snippets]))
    store.inputs.found(names, digest_of(sorted(context.published)))
    values = store.take("run", slug)
    if values is None and not workshop.run:
        first = snippets[0]
        return [Problem(Place(first.path, first.line), "the article's snippets have to "
                        f"be run: {store.why['run', slug]}", "build without --no-run")]
    if values is None:
        files = {name: _content(context.published.items_by_name[name])
                 for name in context.published}
        values, problems, reads = run_snippets(snippets, files, workshop.limits)
        if problems:
            return problems
        if reads.unseen:
            store.leave("run", slug, reads.unseen)
        else:
            store.keep("run", slug, [
                code, names, "code", "python", *store.inputs.names_of(reads),
                *published_inputs(context, reads.names, store.inputs)], values)
    context.snippets = values
    return []


def published_inputs(context, names, inputs):
    """Return what published files of some names are among a build's inputs."""
    items = context.published.items_by_name
    return sorted({input_name(items[name].id) if isinstance(items[name], Trace)
                   else inputs.name_of(items[name]) for name in names if name in items})


def draw_page(context, body, neighbours, workshop):
    """Return (Page, what the site's other pages say of it, path → content of the files
    that stand beside it) of an article whose body has been rendered."""
    islands, scripts = page_islands(context)
    record = {**page_record(context, body, workshop.shared), **neighbours}
    html = workshop.environment.get_template("page.html").render(
        site=workshop.shared, page={**record, "islands": islands}, root="../",
        t=context.words, csp=POLICY,
        assets={name: f"../{path}" for name, path in ASSETS.items()},
        styles=[f"../static/{name}.css" for name in styles_of(elements_of(body.html))])
    record["sections"] = search_sections(html)
    slug = context.article.slug
    files = {f"{slug}/{name}": content
             for name, content in {**published_files(context), **scripts}.items()}
    return Page(f"{slug}/index.html", html, context.article.scan), record, files


def page_inputs(context, workshop):
    """Return the names of all that an article's page was made of."""
    article, inputs = context.article, workshop.store.inputs
    directives = {directive.name for directive in article.scan.of(Directive)}
    templates = ["page.html", *(f"widgets/{name}.html" for name in directives)]
    cited = sorted({key for c in article.scan.of(Citation) for key in c.keys})
    run = workshop.store.entry("run", article.slug)["inputs"]
    return list(dict.fromkeys([
        inputs.name_of(article.folder / "index.md"),
        inputs.name_of(article.folder) + "/",
        *map(inputs.name_of, [*(file for file in article.files.values()
                                if isinstance(file, Path)), *sorted(context.opened)]),
        *(input_name(name) for name in sorted(context.traces.asked)),
        *published_inputs(context, context.published.asked, inputs),
        *(name for name in run if not name.startswith((CODE_OF, BESIDE))),
        f"{REFERENCES}{' '.join(cited)}", f"the neighbours of {article.slug}",
        "the settings", "the names of traces and files", *PAGE_PACKAGES,
        *(f"{OURS}templates/{name}" for name in templates_of(templates)),
        f"{OURS}static/css/bundles/", "code", "python"]))


def templates_of(names):
    """Return the names of templates with those that they extend, include or import,
    and the interface's words."""
    found, names = {"words.toml"}, list(names)
    while names:
        name = names.pop()
        file = ROOT / "templates" / name
        if name not in found and file.is_file():
            found.add(name)
            names += TEMPLATE.findall(file.read_text("utf-8"))
    return sorted(found)


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
    words = len(re.findall(r"\w+", article.scan.text))
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
        "reading_minutes": max(1, math.ceil(words / WORDS_A_MINUTE)),
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
