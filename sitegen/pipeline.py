"""The whole build, in order: read, check, render, check the pages, write."""

from pathlib import Path

from sitegen.article_page import (
    POLICY,
    draw_page,
    new_environment,
    open_article,
    read_words,
)
from sitegen.assets import ASSETS, shared_files
from sitegen.checks import check_links, check_page
from sitegen.content import read_site, with_lines
from sitegen.directives import MODULES, takes_code
from sitegen.errors import BuildFailed, Place, Problem, stop_if
from sitegen.markdown_text import new_markdown
from sitegen.output import refuse_foreign, write_site
from sitegen.publishing import index_head, site_files, site_record, site_root
from sitegen.records import Page
from sitegen.references import read_references
from sitegen.render import render_article
from sitegen.search import search_files
from sitegen.traces import read_traces

NO_NEIGHBOURS = {"previous": None, "next": None}


def build(content, output, base_url=None):
    """Build the site of a content folder; return path → content of what was written.

    Raises BuildFailed with every problem found; the old output then stays as it was.
    """
    content, output = Path(content), Path(output)
    refuse_folders(content, output)
    site, problems = read_site(content, takes_code)
    traces, more = read_traces(content)
    references, bib_problems = read_references(content)
    problems += more + bib_problems
    pages, files, more = render_site(site, traces, references, base_url)
    problems += more
    facts = {}
    for page in pages:
        facts[page.path], more = check_page(page)
        problems += more
    shared, asset_problems = shared_files(
        {name for page in facts.values() for name in page.elements})
    problems += asset_problems
    files.update(shared)
    by_path = {page.path: page for page in pages}
    problems += check_links(facts, files, by_path.get)
    stop_if(with_lines(problems, content))
    files.update({page.path: page.html for page in pages})
    write_site(files, output)
    return files


def refuse_folders(content, output):
    """Raise BuildFailed unless there is content, and an output that may be written."""
    if not content.is_dir():
        raise BuildFailed([Problem(Place(str(content)), "no such folder",
                                   "name a content folder with --content")])
    refuse_foreign(output.resolve())
    if output.resolve().is_relative_to(content.resolve()):
        raise BuildFailed([Problem(Place(output.name), "is inside the content folder",
                                   "name another folder with --output")])


def render_site(site, traces, references, base_url):
    """Return (pages, path → content of their files, problems)."""
    broken = frozenset(name for name, trace in traces.items() if trace is None)
    traces = {name: trace for name, trace in traces.items() if trace}
    environment, markdown = new_environment(), new_markdown(MODULES)
    numbered = {reference.key: reference for reference in references}
    shared = site_record(site, base_url)
    pages, files, problems, records = [], {}, [], []
    for article, neighbours in [*neighbours_of(site.articles),
                                *((article, NO_NEIGHBOURS) for article in site.about)]:
        context, more = open_article(site, article, traces, shared, broken)
        body = render_article(context, markdown, environment, numbered)
        page, record, beside = draw_page(context, body, shared, neighbours, environment)
        pages.append(page)
        records.append(record)
        files.update(beside)
        problems += more + context.problems
    files.update({**site_files(shared, records, environment), **search_files(records)})
    pages += site_pages(shared, records, records[:len(site.articles)], environment)
    return pages, files, problems


def site_pages(shared, records, ordered, environment):
    """Yield the pages that are no article: the index, the search, and what is shown for
    none.

    ordered  those of the records whose articles stand in the reading order
    """
    for path, template, root, articles in (
            ("index.html", "index.html", "", ordered),
            ("search/index.html", "search.html", "../", records),
            ("404.html", "not-found.html", site_root(shared), ordered)):
        html = environment.get_template(template).render(
            site=shared, articles=articles, root=root, t=read_words(shared["lang"]),
            head=index_head(ordered, shared), csp=POLICY,
            assets={name: root + asset for name, asset in ASSETS.items()})
        # Only the page for no address is shown anywhere; the search has a folder.
        yield Page(path, html, root="" if root == "../" else root)


def neighbours_of(articles):
    """Yield each article with the links to the previous and the next one, in reading
    order; None where there is none."""
    links = [{"href": f"../{article.slug}/index.html",
              "title": article.front.get("title", article.slug)}
             for article in articles]
    for article, previous, following in zip(articles, [None, *links],
                                            [*links[1:], None], strict=False):
        yield article, {"previous": previous, "next": following}
