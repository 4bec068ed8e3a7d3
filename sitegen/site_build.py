"""One build of a site, stage by stage; what did not change is taken from the cache."""

from pathlib import Path

from markupsafe import Markup

from sitegen.article_page import (
    POLICY,
    REFERENCES,
    Workshop,
    draw_page,
    new_environment,
    open_article,
    page_inputs,
    read_words,
)
from sitegen.assets import ASSETS, ROOT, page_bytes, shared_files
from sitegen.checks import Facts, check_links, check_page
from sitegen.compiled_templates import CompiledTemplates
from sitegen.content import (
    index_of,
    read_article,
    read_front,
    read_settings,
    with_lines,
)
from sitegen.directives import MODULES, takes_code
from sitegen.errors import stop_if
from sitegen.fragments import FRAGMENTS
from sitegen.fragments import KIND as FRAGMENTS_KIND
from sitegen.inputs import OURS, digest_of, names_below
from sitegen.markdown_text import new_markdown
from sitegen.packing import packed, unpacked
from sitegen.publishing import index_head, site_files, site_record, site_root
from sitegen.recordings import read_traces
from sitegen.records import Listed, Page, Reference, Site
from sitegen.references import read_references
from sitegen.render import render_article
from sitegen.report import Report
from sitegen.search import search_files
from sitegen.snippets import LIMITS

PAGE_ONLY = ("body", "references", "sources")       # of a record: no other page has it
NO_NEIGHBOURS = {"previous": None, "next": None}


class SiteBuild:
    """One build of a site, stage by stage; each page is taken from the cache where all
    that it was made of is as it was.

    files    path below the output → cache.Stored, or the Path of a file to copy
    facts    path → checks.Facts of each page
    records  what the site's other pages say of each article, in reading order
    """

    def __init__(self, content, store, run, progress):
        self.content, self.store = content, store
        self.run, self.progress = run, progress
        self.files, self.facts, self.records, self.problems = {}, {}, [], []
        self.built, self.taken = [], 0

    def make(self, base_url):
        """Make everything and check it; raises BuildFailed."""
        self.progress("read")
        for name in always_read(self.content, self.store.inputs):
            self.store.inputs.digest(name)
        with FRAGMENTS.scope(self.store, ""):
            settings, published, problems = read_settings(self.content)
            self.progress("traces")
            traces, more = read_traces(self.content, self.store, self.run)
        self.problems += problems + more
        for file in published.values():
            self.store.inputs.digest(self.store.inputs.name_of(file))
        site = Site(settings, self.listed(settings["articles"]),
                    self.listed(settings.get("about", [])), published)
        workshop = Workshop(
            site_record(site, base_url),
            {name: trace for name, trace in traces.items() if trace},
            frozenset(name for name, trace in traces.items() if trace is None),
            published, self.references(),
            new_environment(CompiledTemplates(self.store)), new_markdown(MODULES),
            self.store, LIMITS.raised(settings.get("limits", {})), self.run)
        self.tell_inputs(workshop)
        self.progress("pages")
        for listed, neighbours in [*neighbours_of(site.articles),
                                   *((listed, NO_NEIGHBOURS) for listed in site.about)]:
            self.article(listed.slug, neighbours, workshop)
        self.make_rest(site, workshop)
        self.progress("static")
        self.static()
        self.progress("checks")
        self.problems += check_links(self.facts, self.files, self.source_of)
        stop_if(with_lines(self.problems, self.content))

    def make_rest(self, site, workshop):
        """Make the pages and files that are no article's."""
        slugs = {listed.slug for listed in site.articles}
        ordered = [record for record in self.records if record["slug"] in slugs]
        self.add({**site_files(workshop.shared, self.records, workshop.environment),
                  **search_files(self.records)})
        for page in site_pages(workshop, self.records, ordered):
            self.problems += self.check(page)
            self.add({page.path: page.html})

    def listed(self, slugs):
        """Return the Listed articles of some slugs, in their order; tell of those that
        do not exist."""
        found = []
        for slug in slugs:
            index = self.store.inputs.name_of(index_of(self.content, slug))
            if self.store.inputs.digest(index) is None:
                self.problems += read_article(self.content, slug, takes_code)[1]
            else:
                found.append(Listed(slug, self.front(slug, index)))
        return found

    def tell_inputs(self, workshop):
        """Tell the inputs what all pages depend on, beyond files."""
        found = self.store.inputs.found
        publish = {trace.publish for trace in workshop.traces.values() if trace.publish}
        found("the settings", digest_of(workshop.shared))
        found("the names of traces and files", digest_of(
            [sorted(workshop.traces), sorted({*publish, *workshop.published})]))
        self.store.inputs.finders[REFERENCES] = lambda keys: digest_of(
            [[key, reference.html] for key, reference in workshop.references.items()
             if key in keys.split()])

    def references(self):
        """Return key → Reference of references.bib, in its order."""
        kept = self.store.take("references", "")
        if kept is None:
            references, problems = read_references(self.content)
            self.problems += problems
            kept = [[reference.key, str(reference.html)] for reference in references]
            if not problems:
                file = self.store.inputs.name_of(self.content / "references.bib")
                self.store.keep("references", "", [
                    file, "code", "python", "package:bibtexparser",
                    "package:markupsafe"], kept)
        return {key: Reference(key, Markup(html)) for key, html in kept}

    def front(self, slug, index):
        """Return the front matter of an article, as far as it can be read."""
        kept = self.store.peek(
            "page", slug, [index, "code", "python", "package:pyyaml"])
        if kept:
            return kept["front"]
        with FRAGMENTS.scope(self.store, slug):
            return read_front(self.content, slug)

    def article(self, slug, neighbours, workshop):
        """Take an article's page from the cache, or make it."""
        inputs = self.store.inputs
        inputs.found(f"the neighbours of {slug}", digest_of(neighbours))
        # Known before any of it is read: what comes meanwhile is noticed then.
        inputs.digest(inputs.name_of(index_of(self.content, slug).parent) + "/")
        kept = self.store.take("page", slug)
        if kept is None:
            with FRAGMENTS.scope(self.store, slug):
                self.make_article(slug, neighbours, workshop)
            self.built.append((f"{slug}/index.html", self.store.why["page", slug]))
            return
        for kind in ("run", FRAGMENTS_KIND):
            self.store.retain(kind, slug)
        self.taken += 1
        self.records.append(unpacked(kept["record"]))
        self.facts[f"{slug}/index.html"] = Facts(**kept["facts"])
        self.put(kept["files"])

    def make_article(self, slug, neighbours, workshop):
        """Make an article's page; keep it if nothing is wrong with it."""
        article, problems = read_article(self.content, slug, takes_code)
        if article is None:
            self.problems += problems
            return
        context, more = open_article(article, workshop)
        body = render_article(context, workshop.markdown, workshop.environment,
                              workshop.references)
        page, record, beside = draw_page(context, body, neighbours, workshop)
        problems += more + context.problems + self.check(page)
        record = packed({key: value for key, value in record.items()
                         if key not in PAGE_ONLY})
        self.records.append(unpacked(record))
        kept = self.add({page.path: page.html, **beside})
        self.problems += problems
        if not problems and not workshop.broken and can_be_kept(context, workshop):
            self.store.keep("page", slug, page_inputs(context, workshop), {
                "front": article.front, "record": record, "files": kept,
                "facts": vars(self.facts[page.path])}, kept["made"].values())

    def check(self, page):
        """Note the facts of a page; return what is wrong with it by itself."""
        self.facts[page.path], problems = check_page(page)
        return problems

    def add(self, files):
        """Put files into the site; return what the cache keeps of them.

        files  path → text, bytes, or the Path of a file to copy
        """
        copied = {path: self.store.inputs.name_of(content)
                  for path, content in files.items() if isinstance(content, Path)}
        kept = {"copied": copied, "made": {
            path: self.store.keep_blob(content) for path, content in files.items()
            if path not in copied}}
        self.put(kept)
        return kept

    def put(self, kept):
        """Put into the site what `add` returned, now or in an earlier build."""
        for path, digest in kept["made"].items():
            self.files[path] = self.store.blob(digest)
        for path, name in kept["copied"].items():
            self.files[path] = Path(self.store.inputs.path_of(name))

    def static(self):
        """Put into the site what all pages share."""
        elements = sorted({name for page in self.facts.values()
                           for name in page.elements})
        inputs, used = self.store.inputs, "the elements that pages use"
        inputs.found(used, digest_of(elements))
        kept = self.store.take("static", "")
        if kept is not None:
            self.put(kept)
            return
        files, problems = shared_files(elements)
        self.problems += problems
        self.built.append(("static", self.store.why["static", ""]))
        kept = self.add(files)
        if not problems:
            self.store.keep("static", "", [used, "code", *static_inputs(
                kept["copied"].values())], kept, kept["made"].values())

    def source_of(self, path):
        """Return the page of a path with its scan, to find where a link stands."""
        slug = path.rpartition("/")[0]
        article = slug and read_article(self.content, slug, takes_code)[0]
        return Page(path, "", article.scan if article else None)

    def report(self):
        """Return the Report of a finished build."""
        return Report(self.files, [*self.built, *self.store.not_kept], self.taken,
                      page_bytes(self.facts, self.files))


def can_be_kept(context, workshop):
    """Return whether what an article's snippets read is known, if it has any."""
    return not context.snippets or bool(
        workshop.store.entry("run", context.article.slug)["inputs"])


def site_pages(workshop, records, ordered):
    """Yield the pages that are no article: the index, the search, and what is shown for
    none.

    ordered  those of the records whose articles stand in the reading order
    """
    shared = workshop.shared
    for path, template, root, articles in (
            ("index.html", "index.html", "", ordered),
            ("search/index.html", "search.html", "../", records),
            ("404.html", "not-found.html", site_root(shared), ordered)):
        html = workshop.environment.get_template(template).render(
            site=shared, articles=articles, root=root, t=read_words(shared["lang"]),
            head=index_head(ordered, shared), csp=POLICY,
            assets={name: root + asset for name, asset in ASSETS.items()})
        # Only the page for no address is shown anywhere; the search has a folder.
        yield Page(path, html, root="" if root == "../" else root)


def always_read(content, inputs):
    """Yield the names of what every build reads, whether it is there or not."""
    yield from ("code", "python", f"{OURS}templates/")
    yield inputs.name_of(content / "articles") + "/"
    for name in ("site.toml", "traces.toml", "references.bib"):
        yield inputs.name_of(content / name)
    for name in names_below(ROOT / "templates"):
        yield f"{OURS}templates/{name}"


def static_inputs(copied):
    """Return the names of the files that styles and scripts are made of."""
    folder = ROOT / "static"
    return sorted({f"{OURS}static/", *copied,
                   *(f"{OURS}static/{name}" for name in names_below(folder)
                     if name.endswith((".css", ".js")))})


def neighbours_of(articles):
    """Yield each article with the links to the previous and the next one, in reading
    order; None where there is none."""
    links = [{"href": f"../{article.slug}/index.html",
              "title": article.front.get("title", article.slug)}
             for article in articles]
    for article, previous, following in zip(articles, [None, *links],
                                            [*links[1:], None], strict=False):
        yield article, {"previous": previous, "next": following}
