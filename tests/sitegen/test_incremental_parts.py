"""Exactly what depends on an edit is built again, and the reason names the file."""

from dataclasses import dataclass

import pytest

from tests.sitegen.changing_site import ChangingSite

PAGES = ("weights", "code", "numbers", "printed", "walk", "how")
ARTICLES, SETTINGS = "project/content/articles", "project/content/site.toml"


@dataclass(frozen=True)
class Edit:
    """Texts that are replaced in a file, or added at its end; what is built then, of
    it the page that is asked why, and the reason."""

    path: str
    new: str
    old: str = ""
    built: tuple = ()
    why: str = ""
    of: str = ""


# They are made one after another, so each is the only change since the build before.
EDITS = {
    "a sentence": Edit(
        f"{ARTICLES}/walk/index.md", "\nMore.\n", built=("walk",),
        why="content/articles/walk/index.md changed"),
    "a title": Edit(
        f"{ARTICLES}/code/index.md", "title: Programs", "title: Code",
        ("weights", "code", "numbers"), "the neighbours of weights changed", "weights"),
    "a date": Edit(
        f"{ARTICLES}/code/index.md", "published: 2026-11-03", "published: 2026-11-02",
        ("code",), "content/articles/code/index.md changed"),
    "an imported module's import": Edit(
        "project/model/deep.py", "DEPTH = 20", "DEPTH = 21", ("code",),
        "model/deep.py changed"),
    "a data file": Edit(
        f"{ARTICLES}/numbers/table.csv", "6\n", built=("numbers",),
        why="content/articles/numbers/table.csv changed"),
    "a file in a listed folder": Edit(
        f"{ARTICLES}/numbers/parts/three.txt", "three\n", built=("numbers",),
        why="content/articles/numbers/ changed"),
    "a file beside an article": Edit(
        f"{ARTICLES}/weights/note.txt", "A note.\n", built=("weights",),
        why="content/articles/weights/ changed"),
    "what a trace's program imports": Edit(
        "project/tools/helper.py", "UNIT = 2e-9", "UNIT = 1e-9", ("printed",),
        "the trace printed changed since tools/helper.py changed"),
    "what a trace's program reads": Edit(
        "project/tools/number.txt", "4", "3", ("printed",),
        "the trace printed changed since tools/number.txt changed"),
    "a part of a trace's command": Edit(
        "project/content/traces.toml", '"--factor", "3"', '"--factor", "2"',
        ("printed",), "the trace printed changed since "
        "the trace printed's entry in traces.toml changed"),
    "a recording": Edit(
        "project/traces/demo.json", '"name":"Other"', '"name":"Synthetic"',
        ("weights",), "the trace demo changed since traces/demo.json changed"),
    "the steps of a walk": Edit(
        "project/content/walk.toml", 'title = "Table lookup"',
        'title = "Embedding lookup"', ("walk",), "content/walk.toml changed"),
    "a change's words": Edit(
        "project/content/changes.json", "Some W_Q", "Another W_Q", ("walk",),
        "content/changes.json changed"),
    "a configuration": Edit(
        "project/content/configurations.json", '"Gemma (2B)"', '"Gemma-2B"', ("walk",),
        "content/configurations.json changed"),
    "an entry that two articles cite": Edit(
        "project/content/references.bib", "{The very first}", "{The first}",
        ("weights", "walk"), "the references one changed"),
    "an entry that one article cites": Edit(
        "project/content/references.bib", "{The other}", "{The second}", ("code",),
        "the references three two changed"),
    "an entry that none cites": Edit(
        "project/content/references.bib", "@misc{four, title = {T}, author = {A B}, "
        "year = {2000}}\n"),
    "the order": Edit(
        SETTINGS, '"walk", "printed"', '"printed", "walk"',
        ("numbers", "printed", "walk"), "the neighbours of numbers changed", "numbers"),
    "the site's title": Edit(
        SETTINGS, 'title = "Another site', 'title = "A site', PAGES,
        "the settings changed", "how"),
    "a comment in site.toml": Edit(SETTINGS, "\n# A comment.\n"),
    "a widget's template": Edit(
        "generator/templates/widgets/attention-heatmap.html", "{# new #}",
        built=("weights",),
        why="generator:templates/widgets/attention-heatmap.html changed"),
    "a template that others import": Edit(
        "generator/templates/widgets/plot.html", "{# new #}", built=("numbers", "walk"),
        why="generator:templates/widgets/plot.html changed", of="numbers"),
    "the template of all articles": Edit(
        "generator/templates/page.html", "{# new #}", built=PAGES,
        why="generator:templates/page.html changed", of="how"),
    "the interface's words": Edit(
        "generator/templates/words.toml", "\n# A comment.\n", built=PAGES,
        why="generator:templates/words.toml changed", of="how"),
    "a template of no article": Edit("generator/templates/view.html", "{# new #}"),
    "a style": Edit(
        "generator/static/css/2-page.css", ".new { color: inherit; }\n",
        built=("static",), why="generator:static/css/2-page.css changed"),
    "a style that few pages link": Edit(
        "generator/static/css/bundles/cache/line-plot.css",
        ".new { color: inherit; }\n", built=("static",),
        why="generator:static/css/bundles/cache/line-plot.css changed"),
    "a script": Edit(
        "generator/static/js/lib/matrix.js", "\nexport const spare = 1;\n",
        built=("static",), why="generator:static/js/lib/matrix.js changed"),
    "the generator": Edit(
        "generator/sitegen/costs.py", "\n# A comment.\n", built=(*PAGES, "static"),
        why="code changed", of="static"),
    "a command": Edit("generator/sitegen/commands/build.py", "\n# A comment.\n"),
    "a library of all pages": Edit(
        "packages/site-packages/markdown-99.0.dist-info/METADATA", "", built=PAGES,
        why="package:markdown changed", of="how"),
    "a library that reads references": Edit(
        "packages/site-packages/bibtexparser-99.0.dist-info/METADATA", ""),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a site that was built."""
    with ChangingSite(tmp_path_factory.mktemp("site")) as site:
        site.environment["PYTHONPATH"] = str(
            site.folder / "packages/site-packages")
        assert len(site.build().pages) == len(PAGES) + 1
        yield site


@pytest.mark.parametrize("name", EDITS)
def test_what_depends_on_an_edit_is_built_and_nothing_else(site, name):
    edit = EDITS[name]
    if edit.old:
        site.replace(edit.path, edit.old, edit.new)
    else:
        there = (site.folder / edit.path).exists()
        site.write(edit.path, (site.read(edit.path) if there else "") + edit.new)
    built = site.build()
    pages = {page.removesuffix("/index.html"): why for page, why in built.pages.items()}
    assert (built.status, built.said) == (0, "")
    assert sorted(pages) == sorted(edit.built)
    assert not edit.why or pages[edit.of or edit.built[0]] == edit.why


def test_every_page_that_is_not_built_is_taken_from_the_cache(site):
    site.append(f"{ARTICLES}/how/index.md", "\nOnce more.\n")
    built = site.build()
    assert (built.document["taken"], list(built.pages)) == (5, ["how/index.html"])


def test_a_touched_file_is_read_again_and_nothing_is_built(site):
    (site.folder / ARTICLES / "how/index.md").touch()
    assert site.build().found_nothing_to_do
