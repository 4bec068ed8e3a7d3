"""The whole build, in order: read, check, render, check the pages, write."""

import datetime
import math
import re
import tomllib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitegen.checks import check_site
from sitegen.content import read_site, with_lines
from sitegen.directives import MODULES, TAKES_CODE
from sitegen.errors import BuildFailed, Place, Problem, known, stop_if
from sitegen.islands import island_of, model_scripts
from sitegen.linker import link_with_late
from sitegen.markdown_text import new_markdown
from sitegen.output import refuse_foreign, write_site
from sitegen.records import ArticleContext, Directive, Page
from sitegen.references import read_references
from sitegen.render import render_article
from sitegen.snippets import find_snippets, run_snippets
from sitegen.source import parse_steps
from sitegen.traces import describe_trace, read_traces

ROOT = Path(__file__).parent.parent
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; "
          "img-src 'self' data:; font-src 'self'; worker-src 'none'; base-uri 'none'; "
          "form-action 'none'")
WORDS_A_MINUTE = 220
# Custom element → the script that comes when its figure comes near.
LATE_WIDGETS = {
    "source-reader": "source-reader", "head-gallery": "head-gallery",
    "tensor-walk": "model", "run-controls": "model", "change-one-thing": "model",
    "cache-stepper": "cache", "dependency-triangle": "cache", "mask-aligner": "cache",
    "cache-bytes": "cache"}
CSS_SPARE = re.compile(r"""(?P<kept>"[^"]*"|'[^']*')|/\*.*?\*/|;?\s*(?P<end>\})\s*
    |\s*(?P<begin>\{)\s*|(?P<sign>[:;,])\s+|(?P<line>\n)\s*""", re.DOTALL | re.VERBOSE)
ASSETS = {"css": "static/site.css", "theme": "static/theme.js", "js": "static/app.js"}


def build(content, output, base_url=None):
    """Build the site of a content folder; return path → content of what was written.

    Raises BuildFailed with every problem found; the old output then stays as it was.
    """
    content, output = Path(content), Path(output)
    if not content.is_dir():
        raise BuildFailed([Problem(Place(str(content)), "no such folder",
                                   "name a content folder with --content")])
    refuse_foreign(output.resolve())
    if output.resolve().is_relative_to(content.resolve()):
        raise BuildFailed([Problem(Place(output.name), "is inside the content folder",
                                   "name another folder with --output")])
    site, problems = read_site(content, TAKES_CODE)
    traces, more = read_traces(content)
    references, bib_problems = read_references(content)
    problems += more + bib_problems
    pages, files, more = render_site(site, traces, references, base_url)
    shared, asset_problems = shared_files(pages)
    problems += more + asset_problems
    files.update(shared)
    problems += check_site(pages, files)
    stop_if(with_lines(problems, content))
    files.update({page.path: page.html for page in pages})
    write_site(files, output)
    return files


def new_environment():
    """Return the Jinja2 environment: strict names, everything escaped."""
    environment = Environment(loader=FileSystemLoader(ROOT / "templates"),
                              undefined=StrictUndefined, autoescape=True)
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    return environment


def used_scripts(pages):
    """Return the paths of the widgets' scripts, without those of elements that no page
    has: linking takes longer than an article."""
    return [path for path in sorted(ROOT.glob("static/js/widgets/*.js"))
            if f'define("{path.stem}"' not in path.read_text("utf-8")
            or any(f"<{path.stem}" in page.html for page in pages)]


def shared_files(pages):
    """Return (path → content, problems) of what all pages share."""
    early, late = [], {}
    for path in used_scripts(pages):
        bundle = LATE_WIDGETS.get(path.stem)
        (late.setdefault(bundle, []) if bundle else early).append(path)
    script, late_scripts, problems = link_with_late(early, late)
    files = {
        ASSETS["css"]: style_sheet(),
        ASSETS["theme"]: ROOT / "static/js/theme.js",
        ASSETS["js"]: script,
        **{f"static/{name}.js": text for name, text in late_scripts.items()},
        **{f"static/{name}.css": text for name, text in late_styles().items()
           if name in late_scripts},
        **{f"static/{name}.css": bundled_styles()[name][1]
           for page in pages for name in styles_of(page.html)},
    }
    for path in [*ROOT.glob("static/fonts/*"), *ROOT.glob("static/schema/trace.*")]:
        files[path.relative_to(ROOT).as_posix()] = path
    for name in ("LICENSE", "THIRD-PARTY.md"):
        files[f"static/{name}"] = ROOT / name
    return files, problems


def style_sheet():
    """Return the text of the one style sheet that all pages share."""
    styles = [*sorted(ROOT.glob("static/css/*.css")),
              *sorted(ROOT.glob("static/css/widgets/*.css"))]
    return compact_css("".join(path.read_text("utf-8") for path in styles))


@cache
def late_styles():
    """Return late script → text of the style sheet of what it draws."""
    folders = {path.parent for path in ROOT.glob("static/css/late/*/*.css")}
    return {folder.name: compact_css("".join(
        path.read_text("utf-8") for path in sorted(folder.glob("*.css"))))
        for folder in sorted(folders)}


@cache
def bundled_styles():
    """Return name → (elements, style sheet that only pages with one of them link)."""
    folders = {folder.name: sorted(folder.glob("*.css"))
               for folder in sorted(ROOT.glob("static/css/bundles/*"))}
    return {name: ([path.stem for path in paths], compact_css("".join(
        path.read_text("utf-8") for path in paths))) for name, paths in folders.items()}


def styles_of(html):
    """Return the names of the bundled style sheets that a page needs."""
    return [name for name, (elements, _) in bundled_styles().items()
            if any(f"<{element}" in html for element in elements)]


def compact_css(text):
    """Return a style sheet without its comments, and spaces that mean nothing."""
    return CSS_SPARE.sub(lambda found: "".join(filter(None, found.groups())), text)


@cache
def read_words(lang):
    """Return the interface's words in a language; English where it has none."""
    words = tomllib.loads((ROOT / "templates/words.toml").read_text("utf-8"))
    return {**words["en"], **words.get(lang.split("-")[0], {})}


def render_site(site, traces, references, base_url):
    """Return (pages, path → content of their files, problems)."""
    broken = frozenset(name for name, trace in traces.items() if trace is None)
    traces = {name: trace for name, trace in traces.items() if trace}
    environment, markdown = new_environment(), new_markdown(MODULES)
    numbered = {reference.key: reference for reference in references}
    shared = {"title": site.settings["title"], "base_url": (base_url or "").rstrip("/"),
              "description": site.settings["description"],
              "lang": site.settings.get("lang", "en"),
              "dir": site.settings.get("dir", "ltr")}
    pages, files, problems, records = [], {}, [], []
    for article, neighbours in zip(site.articles, neighbours_of(site.articles),
                                   strict=True):
        context, more = open_article(site, article, traces, shared, broken)
        body = render_article(context, markdown, environment, numbered)
        islands, scripts = page_islands(context)
        record = {**page_record(context, body, shared), **neighbours,
                  "islands": islands}
        html = environment.get_template("page.html").render(
            site=shared, page=record, root="../", t=context.words, csp=POLICY,
            styles=[f"../static/{name}.css" for name in styles_of(body.html)],
            assets={name: f"../{path}" for name, path in ASSETS.items()})
        pages.append(Page(f"{article.slug}/index.html", html, article.scan))
        records.append(record)
        problems += more + context.problems
        files.update({f"{article.slug}/{name}": content
                      for name, content in {**published_files(context),
                                            **scripts}.items()})
    pages.append(Page("index.html", environment.get_template("index.html").render(
        site=shared, articles=records, root="", t=read_words(shared["lang"]),
        csp=POLICY, assets=ASSETS)))
    return pages, files, problems


def neighbours_of(articles):
    """Yield the links to the previous and the next article, in reading order; None
    where there is none."""
    links = [{"href": f"../{article.slug}/index.html",
              "title": article.front.get("title", article.slug)}
             for article in articles]
    for _, previous, following in zip(links, [None, *links], [*links[1:], None],
                                      strict=False):
        yield {"previous": previous, "next": following}


def open_article(site, article, traces, shared, broken):
    """Return (ArticleContext with its snippets run, problems).

    broken  ids of traces that have problems of their own: nothing more is said of them
    """
    recorded = {trace.publish: trace.text for trace in traces.values() if trace.publish}
    published = {**site.publish, **recorded, **article.files}
    context = ArticleContext(article, traces, published,
                             read_words(article.front.get("lang", shared["lang"])))
    snippets, problems = find_snippets(article)
    if not problems and not broken:
        context.snippets, problems = run_snippets(snippets, published)
    context.broken = broken | ({"run"} if problems or broken else set())
    problems += read_steps(context)
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
    revised = front.get("revised")
    text = re.sub(r"\W+", " ", article.scan.text)
    used = [name for name in context.traces
            if name in context.needs or name == front.get("trace")]
    return {
        "title": front.get("title", article.slug),
        "title_html": front.get("title", article.slug),
        "description": front.get("description", ""), "slug": article.slug,
        "href": f"{article.slug}/index.html",
        "lang": front.get("lang", shared["lang"]),
        "dir": front.get("dir", shared["dir"]),
        "revised": datetime.date.fromisoformat(revised) if revised else None,
        "reading_minutes": max(1, math.ceil(len(text.split()) / WORDS_A_MINUTE)),
        "needs": front.get("needs"), "contents": body.contents, "body": body.html,
        "references": body.references,
        "sources": [describe_trace(context.traces[name], context.words)
                    for name in used],
        "has_footnotes": '<div class="footnote">' in body.html,
    }


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
