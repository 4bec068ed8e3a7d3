"""Whatever is typed, the generator answers with a page or with problems."""

import tempfile

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sitegen.errors import BuildFailed
from sitegen.scan import scan
from tests.site_builder import SmallSite

# Characters that content.read_text refuses are left out: they would end each example.
PIECES = st.sampled_from([
    "\n", "\n\n", " ", "    ", "\t", "\\(", "\\)", "\\[", "\\]", "`", "```", "~~~",
    "````", "///", "//// figure | f", "/// side-note", "    wide: true\n", "[[value ",
    "[[value run:x]]", "[@a]", "[@", "{#x}", "{: .a }", "{{ x }}", "# ", "## ", "---\n",
    "===\n", "- ", "1. ", "> ", "| a | b |\n|---|---|\n", "|", "*", "**", "_",
    "[a](#x)", "[](#x)", "![](x)", "[a][b]", "[b]: c\n", "[^1]", "[^1]: n\n",
    "*[A]: B\n",
    "<div>",
    ":   d\n", "</div>", "<!--", "-->", "<p id='x'>", "<b", "&amp;", "&#1;", "\\", "$",
    "\\\\", "\u202e", "\u2028", "\x85", "é", "注", "🔑", "a", "word", "</article>",
    "<h2>", "<code>", "</code>", "<directive-0>", "step:a", "[x](step:a)", "wzxhzdk:0",
    "<a href='step:a'>y</a>"])
ANY = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn")), max_size=5)
TEXTS = st.lists(PIECES | ANY, max_size=25).map("".join)
QUICK = settings(max_examples=80, deadline=None, derandomize=True, database=None,
                 suppress_health_check=list(HealthCheck))


@QUICK
@given(TEXTS)
def test_any_text_is_a_page_or_a_problem(text):
    with tempfile.TemporaryDirectory() as folder:
        site = SmallSite(folder)
        site.article(text)
        try:
            assert "a/index.html" in site.build()
        except BuildFailed as failed:
            assert failed.problems


@QUICK
@given(TEXTS)
def test_any_front_matter_is_read_or_refused(text):
    with tempfile.TemporaryDirectory() as folder:
        site = SmallSite(folder)
        site.article("Text.\n", f"---\ntitle: {text}\n---\n")
        try:
            assert "a/index.html" in site.build()
        except BuildFailed as failed:
            assert failed.problems


@settings(QUICK, max_examples=500)
@given(TEXTS)
def test_a_scan_loses_nothing_and_its_places_are_in_the_text(text):
    found, problems = scan(text, "a.md")
    lines = text.split("\n")
    assert len(found.sources) == len(found.constructs)
    for place in (*(c.place for c in found.of(object)), *(p.place for p in problems)):
        assert 1 <= place.line <= len(lines) + 1
        assert place.column is None or place.column <= len(lines[place.line - 1]) + 1
    if not found.constructs and not problems:
        kept = "".join(found.text.split())
        assert kept == "".join(text.split()) or "<!--" in text
