"""Scripts that come when their figures do, and a style sheet without spare bytes."""

import json
import re
from pathlib import Path

import pytest

from sitegen.assets import (
    LATE_WIDGETS,
    bundled_style,
    bundles,
    compact_css,
    late_styles,
    shared_files,
    style_sheet,
    styles_of,
)
from sitegen.checks import elements_of
from sitegen.linker import link_with_late
from tests.sitegen.test_linker import run_node, write

ROOT = Path(__file__).parents[2]
WIDGETS = [path.stem for path in ROOT.glob("static/js/widgets/*.js")]
MODULES = {
    "lib/counter.js": """
        console.log("counter runs");
        let count = 0;
        export function next() { count += 1; return count; }
    """,
    "lib/word.js": """
        console.log("word runs");
        export const word = "late";
    """,
    "widgets/early.js": """
        import { next } from "../lib/counter.js";
        console.log("early", next());
    """,
    "widgets/late.js": """
        import { next } from "../lib/counter.js";
        import { word } from "../lib/word.js";
        console.log(word, next());
    """,
}


def linked(folder, late=("widgets/late.js",)):
    """Return (text of the app, texts of the late scripts, problems)."""
    write(folder, MODULES)
    bundle = {"late": [folder / name for name in late]} if late else {}
    app, scripts, problems = link_with_late([folder / "widgets/early.js"], bundle)
    return app, list(scripts.values()), problems


def test_a_late_script_shares_the_app_s_modules_and_brings_its_own(tmp_path):
    app, (late,), problems = linked(tmp_path)
    assert problems == []
    write(tmp_path, {"both.cjs": app + 'console.log("app is done");\n' + late})
    assert run_node("both.cjs", cwd=tmp_path).splitlines() == [
        "counter runs", "early 1", "app is done", "word runs", "late 2"]


def test_the_app_has_nothing_of_what_only_a_late_script_needs(tmp_path):
    app, (late,), _ = linked(tmp_path)
    assert "word runs" not in app
    assert "counter runs" not in late


def test_widgets_of_one_bundle_share_their_modules(tmp_path):
    write(tmp_path, MODULES | {"widgets/later.js": """
        import { word } from "../lib/word.js";
        console.log("later", word);
    """})
    app, (late,), problems = linked(tmp_path, ("widgets/late.js", "widgets/later.js"))
    assert problems == []
    write(tmp_path, {"both.cjs": app + late})
    assert run_node("both.cjs", cwd=tmp_path).splitlines() == [
        "counter runs", "early 1", "word runs", "late 2", "later late"]


def test_without_late_scripts_nothing_is_shared(tmp_path):
    app, scripts, _ = linked(tmp_path, late=())
    assert scripts == []
    assert "globalThis" not in app


def test_faults_of_a_late_script_are_found(tmp_path):
    write(tmp_path, {"widgets/broken.js": 'import { no } from "../lib/word.js";'})
    _, _, problems = linked(tmp_path, late=("widgets/broken.js",))
    assert [problem.message for problem in problems] == ["word.js exports no 'no'"]


def test_each_late_widget_has_a_script_a_mark_in_its_template_and_no_place_in_the_app():
    files, problems = shared_files(WIDGETS)
    assert problems == []
    for name, bundle in LATE_WIDGETS.items():
        assert f'customElements.define("{name}"' in files[f"static/{bundle}.js"]
        assert f'customElements.define("{name}"' not in files["static/app.js"]
        template = (ROOT / f"templates/widgets/{name}.html").read_text("utf-8")
        assert re.search(rf'<{name}\b[^>]*\bdata-late="{bundle}"', template)


def test_the_model_is_only_in_the_bundles_that_compute():
    files, _ = shared_files(WIDGETS)
    scripts = {path for path, text in files.items()
               if path.endswith(".js") and "class TinyLlama" in str(text)}
    assert scripts == {"static/model.js", "static/cache.js"}


@pytest.mark.parametrize(("css", "compact"), [
    ("a { color: red; }\n/* x */\nb { c: d }", "a{color:red}\nb{c:d}"),
    ("a :is(b, c) > d { e: calc(1px + 2px); }", "a :is(b,c) > d{e:calc(1px + 2px)}"),
    ("@media (width > 3em) {\n  a { b: c; }\n}\n", "@media (width > 3em){a{b:c}}"),
    ('a::before { content: "; { /* x */  }"; }', 'a::before{content:"; { /* x */  }"}'),
    ("a { b: url('data:x; { y'); }", "a{b:url('data:x; { y')}"),
    ("a\nb { c: d }", "a\nb{c:d}"),
    ("a { font: 1px/2 \"A B\", c }", 'a{font:1px/2 "A B",c}'),
])
def test_a_style_sheet_loses_only_what_means_nothing(css, compact):
    assert compact_css(css) == compact


def test_late_style_sheets_are_files_of_their_own():
    files, _ = shared_files(WIDGETS)
    for name, text in late_styles().items():
        assert files[f"static/{name}.css"] == text
        for path in (ROOT / "static/css/late" / name).glob("*.css"):
            assert compact_css(path.read_text("utf-8")) in text
            assert compact_css(path.read_text("utf-8")) not in files["static/site.css"]


def test_each_late_style_sheet_belongs_to_a_late_script():
    assert late_styles().keys() <= set(LATE_WIDGETS.values())
    script = (ROOT / "static/js/widgets/late-scripts.js").read_text("utf-8")
    styled = re.search(r"^const STYLED = (\[.*\]);", script, re.M)[1]
    assert json.loads(styled) == [*late_styles()]


@pytest.mark.parametrize(("html", "names"), [
    ("<cache-stepper><line-plot>", ["cache"]), ("<change-one-thing a>", ["changes"]),
    ("<mask-aligner><change-one-thing>", ["cache", "changes"]),
    ("<attention-heatmap>", []), ("cache-stepper", []),
])
def test_a_page_links_the_bundled_sheets_of_the_elements_that_it_has(html, names):
    assert styles_of(elements_of(html)) == names
    files, _ = shared_files(elements_of(html))
    assert [name for name in bundles() if f"static/{name}.css" in files] == names


def test_each_bundled_style_sheet_dresses_an_element_that_a_template_draws():
    for name, sheets in bundles().items():
        for sheet in sheets:
            element = sheet.stem
            template = (ROOT / f"templates/widgets/{element}.html").read_text("utf-8")
            assert f"<{element}" in template
            assert compact_css(sheet.read_text("utf-8")) in bundled_style(name)
            assert compact_css(sheet.read_text("utf-8")) not in style_sheet()


@pytest.mark.parametrize(("text", "more"), [
    ("Text.", []), ("<line-plot></line-plot>", ["../static/cache.css"]),
])
def test_a_page_links_the_common_sheet_and_those_of_its_elements(site, text, more):
    sheets = [link.attributes["href"] for link in site.tree(text).css(
        "link[rel=stylesheet]")]
    assert sheets == ["../static/site.css", *more]


def test_a_site_has_the_scripts_of_the_widgets_that_its_pages_have():
    files, _ = shared_files(["attention-heatmap", "head-gallery"])
    assert 'define("attention-heatmap"' in files["static/app.js"]
    assert 'define("head-gallery"' in files["static/head-gallery.js"]
    assert "static/model.js" not in files and "static/model.css" not in files
    none, _ = shared_files(["theme-choice"])
    assert 'define("theme-choice"' in none["static/app.js"]
    assert "attention-heatmap" not in none["static/app.js"]
    assert "data-late" in none["static/app.js"]     # of no element
