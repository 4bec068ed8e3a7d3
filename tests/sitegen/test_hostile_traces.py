"""A trace is data from strangers: no string of it changes what a page is made of."""

import base64
import json
import re
import tempfile
import zlib
from contextlib import ExitStack
from functools import cache
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from sitegen.errors import BuildFailed
from sitegen.notation import visible
from sitegen.traces import parse_trace
from tests.fuzz.folder import STAND_INS
from tests.site_builder import SmallSite
from tests.synthetic_trace import add_trace, synthetic_trace

TEXT = """\
/// attention-heatmap | map
    trace: demo
Look.
///

/// verification-record | record
    trace: demo
Checks.
///

/// head-gallery | heads
    trace: demo
Heads.
///

[[value demo:model.name]] [[value demo:producer.script]] [[value demo:producer.note]]
"""
HOSTILE = [
    "../../x", "__proto__", "constructor", "</script>", "<!--", "<!-- <script>", "]]>",
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x",
    "\u2028\u2029", "\u202eabc\u2066", "{{ 7 * 7 }}", "{% raw %}", "&lt;b&gt;",
    "\\u003c", "javascript:alert(1)", "[a](javascript:x)", "\ufdd00\ufdd1",
    "wzxhzdk:0", "\ufeff",
    "</td></table><h1>", "</title>", "${x}", "`x`", "\\(x\\)", "a\nb", "é注🔑", " ", ""]
STRINGS = st.sampled_from(HOSTILE) | st.text(max_size=12).map(
    lambda text: re.sub("[\0-\x08\x0b-\x1f\x7f\ud800-\udfff]", "?", text))
SCRIPT = re.compile(r'\w+\("demo", ?"[\w.-]+", ?"[\w+/=-]*"\);?\s*')
QUICK = settings(max_examples=8, deadline=None, derandomize=True, database=None,
                 phases=[Phase.generate], suppress_health_check=list(HealthCheck))


def filled(strings, length=4, layers=1):
    """Return a trace with these in all places that hold free text."""
    trace = synthetic_trace(length, layers, 2, 1)
    label, name, script, argument, claim, unit, word = strings
    script = re.sub(r"[/\\]", "_", script)       # the schema wants a base name
    name, claim, unit, script = (text or "x" for text in (name, claim, unit, script))
    trace["input"]["token_labels"] = [([label, "b", label, word] * length)[:length]]
    trace["model"] |= {"name": name, "revision": word or "x"}
    trace["producer"] |= {"script": script, "arguments": [argument, word], "note": word}
    trace["checks"][0] |= {"claim": claim, "unit": unit}
    trace["vocabulary"] = [label, word, *trace["vocabulary"][2:]]
    return trace


def built(trace):
    """Return path → content of the site with a trace; nothing is written."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for target, stand_in in STAND_INS.items():
            stack.enter_context(patch(target, stand_in))
        site = SmallSite(folder)
        add_trace(site, trace)
        site.article(TEXT)
        return site.build()


def tree_of(html):
    """Return (tag, names of attributes) of each element as a browser makes them."""
    return [(node.tag, sorted(node.attributes))
            for node in LexborHTMLParser(html).root.traverse() if node.tag[0] != "-"]


@cache
def harmless(lengths):
    """Return the tree of a page whose strings are letters, as many as are shown."""
    strings = ["abcdefg"[n] * length for n, length in enumerate(lengths)]
    return tree_of(built(filled(strings))["a/index.html"])


@QUICK
@given(st.tuples(*[STRINGS] * 7))
def test_no_string_of_a_trace_changes_what_a_page_is_made_of(strings):
    try:
        files = built(trace := filled(strings))
    except BuildFailed as failed:
        assert all("demo" in str(problem.place) or "index.md" in problem.place.path
                   for problem in failed.problems)
        return
    html = files["a/index.html"]
    assert tree_of(html) == harmless(tuple(len(visible(text)) for text in strings))
    island = LexborHTMLParser(html).css_first("#trace-demo").text()
    read = json.loads(island)
    assert read["input"] == trace["input"]
    assert {key: read["model"][key] for key in ("name", "revision")} == {
        key: trace["model"][key] for key in ("name", "revision")}


@pytest.mark.parametrize("string", HOSTILE[:10])
def test_each_string_is_shown_as_text_wherever_it_stands(string):
    html = built(filled([string] * 7))["a/index.html"]
    assert [tag for tag, _ in tree_of(html)] == [
        tag for tag, _ in harmless((len(visible(string)),) * 7)]


@pytest.mark.parametrize("string", HOSTILE[:10])
def test_a_tensor_s_script_calls_its_one_function_whatever_a_trace_says(string):
    files = built(filled([string] * 7, length=80, layers=2))
    scripts = [path for path in files if path.endswith(".js")
               and path.startswith("a/data/")]
    assert scripts
    for path in scripts:
        assert SCRIPT.fullmatch(files[path]), path
        assert re.fullmatch(r"a/data/demo/[\w.-]+\.js", path)


@pytest.mark.parametrize("string", [  # what is a word is as good a name as another
    *(string for string in HOSTILE if string != "constructor"), "Weights"])
def test_a_tensor_of_no_such_name_is_told(string):
    trace = filled(["x"] * 7)
    trace["tensors"][f"layers.0.{string}"] = trace["tensors"]["layers.0.weights"]
    with pytest.raises(BuildFailed) as failed:
        built(trace)
    assert "expected a match" in str(failed.value.problems[0])


@pytest.mark.parametrize("label", ["\ud800", "a\udfffb", "\0", "\x1b"])
def test_a_label_that_is_no_text_is_told(label, tmp_path):
    site = SmallSite(tmp_path)
    add_trace(site, filled([label] * 7))
    site.article(TEXT)
    assert all(re.search("no text|U\\+", str(problem)) for problem in site.failure())


def packed(shape, raw):
    """Return a trace of one layer whose weights are packed bytes of a shape."""
    trace = synthetic_trace(4, 1, 2, 1, packed=True)
    trace["tensors"]["layers.0.weights"] |= {
        "shape": shape, "data": base64.b64encode(zlib.compress(raw)).decode()}
    return json.dumps(trace)


@pytest.mark.parametrize("shape", [
    [1, 2, 4, 4], [1, 2, 10**6, 10**6], [10**30, 1, 1, 1]])
def test_data_that_unpack_to_more_than_they_say_are_told(shape):
    _, problems = parse_trace("demo", "demo.json", packed(shape, bytes(1 << 22)))
    assert re.search("numbers, expected", problems[0].message)


def test_data_that_end_too_early_are_told():
    trace = json.loads(packed([1, 2, 4, 4], bytes(128)))
    weights = trace["tensors"]["layers.0.weights"]
    cut = base64.b64decode(weights["data"])[:-6]
    weights["data"] = base64.b64encode(cut).decode()
    _, problems = parse_trace("demo", "demo.json", json.dumps(trace))
    assert "it ends too early" in problems[0].message
