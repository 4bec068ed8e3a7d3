"""What all pages share: styles, scripts, fonts, licences."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

from sitegen.linker import link_with_late
from sitegen.report import PageBytes

ROOT = Path(__file__).parent.parent
# Custom element → the script that comes when its figure comes near.
LATE_WIDGETS = {
    "source-reader": "source-reader", "head-gallery": "head-gallery",
    "tensor-walk": "model", "run-controls": "model", "change-one-thing": "model",
    "cache-stepper": "cache", "dependency-triangle": "cache", "mask-aligner": "cache",
    "cache-bytes": "cache", "site-search": "search", "hover-preview": "previews"}
CSS_SPARE = re.compile(r"""(?P<kept>"[^"]*"|'[^']*')|/\*.*?\*/|;?\s*(?P<end>\})\s*
    |\s*(?P<begin>\{)\s*|(?P<sign>[:;,])\s+|(?P<line>\n)\s*""", re.DOTALL | re.VERBOSE)
ASSETS = {"css": "static/site.css", "theme": "static/theme.js", "js": "static/app.js"}


def used_scripts(elements):
    """Return the paths of the widgets' scripts, without those of elements that no page
    has: linking takes longer than an article."""
    return [path for path in sorted(ROOT.glob("static/js/widgets/*.js"))
            if path.stem in elements
            or f'define("{path.stem}"' not in path.read_text("utf-8")]


def link_used(elements):
    """Return (path → text of the scripts that pages with these elements need,
    problems)."""
    early, late = [], {}
    for path in used_scripts(elements):
        bundle = LATE_WIDGETS.get(path.stem)
        (late.setdefault(bundle, []) if bundle else early).append(path)
    script, late_scripts, problems = link_with_late(early, late)
    return {ASSETS["js"]: script, **{f"static/{name}.js": text
                                     for name, text in late_scripts.items()}}, problems


def shared_files(elements):
    """Return (path → content, problems) of what all pages share.

    elements  names of the custom elements that the pages have
    """
    files, problems = link_used(elements)
    files.update({
        ASSETS["css"]: style_sheet(),
        ASSETS["theme"]: ROOT / "static/js/theme.js",
        **{f"static/{name}.css": text for name, text in late_styles().items()
           if f"static/{name}.js" in files},
        **{f"static/{name}.css": bundled_style(name)
           for name in styles_of(elements)},
    })
    for path in [*ROOT.glob("static/fonts/*"), *ROOT.glob("static/schema/trace.*"),
                 *ROOT.glob("static/vendor/*/*")]:
        files[path.relative_to(ROOT).as_posix()] = path
    for name in ("LICENSE", "THIRD-PARTY.md"):
        files[f"static/{name}"] = ROOT / name
    return files, problems


def page_bytes(facts, files):
    """Return path → PageBytes of each page.

    facts  path → checks.Facts
    files  path → content of all that the site holds
    """
    sizes = {path: size_of(content) for path, content in files.items()}
    shared = {path: size for path, size in sizes.items() if path.startswith("static/")}
    data = Counter()
    for path, size in sizes.items():
        folder, inside, _ = path.partition("/data/")
        data[folder] += size if inside else 0
    return {path: PageBytes(sizes[path], data[path.rpartition("/")[0]],
                            *_shared_bytes(page.elements, shared))
            for path, page in facts.items()}


def _shared_bytes(elements, sizes):
    """Return the bytes of scripts, styles and fonts that a page with some elements
    loads, of the path → bytes of all."""
    late = {LATE_WIDGETS[name] for name in elements if name in LATE_WIDGETS}
    names = {f"static/{name}" for name in [*late, *styles_of(elements)]}
    used = {path: size for path, size in sizes.items()
            if path in ASSETS.values() or path.rpartition(".")[0] in names
            or path.endswith(".woff2")}
    return [sum(size for path, size in used.items() if path.endswith(kind))
            for kind in (".js", ".css", ".woff2")]


def size_of(content):
    """Return the bytes of a Path's file, or of what the cache holds."""
    return content.stat().st_size if isinstance(content, Path) else content.size


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
def bundles():
    """Return name → the styles, named after elements, of a sheet that only pages with
    one of these link."""
    return {folder.name: sorted(folder.glob("*.css"))
            for folder in sorted(ROOT.glob("static/css/bundles/*"))}


def bundled_style(name):
    """Return the text of such a sheet."""
    return compact_css("".join(path.read_text("utf-8") for path in bundles()[name]))


def styles_of(elements):
    """Return the names of the bundled style sheets that pages with these elements
    need."""
    return [name for name, paths in bundles().items()
            if not {path.stem for path in paths}.isdisjoint(elements)]


def compact_css(text):
    """Return a style sheet without its comments, and spaces that mean nothing."""
    return CSS_SPARE.sub(lambda found: "".join(filter(None, found.groups())), text)
