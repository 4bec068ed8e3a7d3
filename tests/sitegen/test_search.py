"""What can be searched of a page, how it is written, and whose library searches it."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from sitegen.search import search_files, search_sections
from tests.site_builder import FRONT

ROOT = Path(__file__).parents[2]
VENDOR = ROOT / "static" / "vendor" / "minisearch"
HOSTILE = "</script><b>&amp; \u2028\u2029 __proto__ \"'\\ Ünïcödé 注意"


def sections_of(body):
    return search_sections(f"<h1>Title</h1><article>{body}</article><p>foot</p>")


def texts_of(body):
    return [section["text"] for section in sections_of(body)]


def read_index(script):
    """Return what the index hands over, as its one call has it."""
    return json.loads(re.fullmatch(r"receiveSearchIndex\((.*)\);\n", script, re.S)[1])


def record(**changes):
    return {"href": "a/index.html", "title": "A", "description": "", "lang": "en",
            "dir": "ltr", "sections": sections_of("text"), **changes}


def test_a_section_is_what_stands_below_one_heading():
    found = sections_of('<p>Before.</p><section id="one"><h2>One</h2><p>Its text.</p>'
                        '<h3 id="two">Two</h3><p>More</p></section>')
    assert found == [
        {"id": "", "level": 1, "title": "", "text": "Before."},
        {"id": "one", "level": 2, "title": "One", "text": "Its text."},
        {"id": "two", "level": 3, "title": "Two", "text": "More"}]


@pytest.mark.parametrize(("html", "text"), [
    ("<figure><figcaption><p>A caption.</p></figcaption></figure>", "A caption."),
    ("<aside class=side>A note.</aside>", "A note."),
    ("<table><tr><td>a<td>b</table>", "a b"),
    ("<p>so<b>ft</b> <code>num_heads</code></p>", "soft num_heads"),
    ("<p>one</p><p>two<br>three</p>", "one two three"),
    ("<pre><code><span>np</span>.<span>tril</span></code></pre>", "np.tril"),
])
def test_what_is_read_can_be_found(html, text):
    assert texts_of(html) == [text]


@pytest.mark.parametrize("html", [
    "<button>no</button>", "<p hidden>no</p>", '<span class="hidden">no</span>',
    '<i aria-hidden="true">no</i>', "<select><option>no</select>",
    "<fieldset><legend>no</legend></fieldset>", "<nav>no</nav>",
    "<svg><text>no</text></svg>", '<div class="equation">no</div>',
    "<attention-heatmap>no</attention-heatmap>", "<tensor-walk>no</tensor-walk>",
    '<a class="back" href="#x">no</a>',
])
def test_controls_hidden_words_and_drawings_are_left_out(html):
    assert texts_of(f"<p>yes</p>{html}") == ["yes"]


def test_a_formula_leaves_an_ellipsis():
    assert texts_of("<p>The row <math><mi>i</mi></math> sums.</p>") == [
        "The row … sums."]


@pytest.mark.parametrize("html", [
    "a\0b", "a&#0;b", "a&#30;b&#31;c", "<h2><div><h3>x</h3></div></h2>", "<h2>", "<h9>",
    "</article>", "<article>", "<h2 id>x</h2>", "<math>", "<svg><h2>x</h2></svg>", "<",
])
def test_odd_html_gives_sections_of_one_shape(html):
    for section in sections_of(f"<p>one</p>{html}<p>two"):
        assert list(section) == ["id", "level", "title", "text"]
        assert "\0" not in section["text"] + section["title"]


def test_an_article_begins_with_its_promise():
    [article] = read_index(search_files([record(description="It promises.")])[
        "static/search-index.js"])
    assert article["sections"] == [["", "", "It promises. text"]]


def test_the_index_is_one_call_whatever_the_text():
    [script] = search_files([record(title=HOSTILE)]).values()
    assert read_index(script)[0]["title"] == HOSTILE
    assert "<" not in script and "\u2028" not in script and "\u2029" not in script
    assert set(read_index(script)[0]) == {"href", "title", "lang", "dir", "sections"}


def test_a_site_has_a_search_page_that_lists_its_sections(site):
    site.article("Text.\n\n## A *heading* & more {#there}\n\nBelow.\n")
    files = site.build()
    page = files["search/index.html"]
    assert '<a href="../a/index.html#there">A heading &amp; more</a>' in page
    assert '<a href="../search/index.html">Search</a>' in files["a/index.html"]
    assert '<a href="search/index.html">Search</a>' in files["index.html"]
    [article] = read_index(files["static/search-index.js"])
    assert article["sections"][1] == ["there", "A heading & more", "Below."]
    assert "static/vendor/minisearch/minisearch.js" in files


def test_references_can_be_found(site):
    site.add("references.bib", "@misc{k, title={The Paper}, author={Å. Müller}, "
                               "year={2020}}")
    site.article("As said [@k].\n")
    [article] = read_index(site.build()["static/search-index.js"])
    name, title, text = article["sections"][-1]
    assert (name, title) == ("references", "References") and "Müller" in text


def test_no_article_takes_the_search_page_s_folder(site):
    site.add("site.toml", 'title = "S"\ndescription = "D"\narticles = ["search"]\n')
    site.article("Text.\n", FRONT, "search")
    assert any("search" in str(problem) for problem in site.failure())


def stated_hashes(readme):
    """Return {file: SHA-256} as the vendor folder's note has them."""
    return dict(re.findall(r"^\| `([\w.]+)` \| sha256-(\w+) \|$", readme, re.M))


def wrong_files(readme, folder):
    """Yield each file that is not what the note says, or that it does not name."""
    stated = stated_hashes(readme)
    for path in sorted(folder.iterdir()):
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
        if path.name != "README.md" and stated.get(path.name) != actual:
            yield path.name


def test_the_vendored_library_is_the_published_one(tmp_path):
    readme = (VENDOR / "README.md").read_text("utf-8")
    assert list(wrong_files(readme, VENDOR)) == []
    integrity = re.search(r"sha512-([\w+/=]+)", readme)[1]
    assert len(base64.b64decode(integrity)) == 64
    (tmp_path / "minisearch.js").write_bytes(
        (VENDOR / "minisearch.js").read_bytes() + b" ")
    assert list(wrong_files(readme, tmp_path)) == ["minisearch.js"]
