"""build.py view: one trace becomes one page, which holds all that it needs."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

from sitegen.errors import BuildFailed
from sitegen.records import Page
from sitegen.traces import read_array
from sitegen.view import GENERATOR, ID, check_view, read_trace, render_view, view
from tests.pretrained_trace import pretrained_trace
from tests.site_builder import snapshot, text_of
from tests.synthetic_trace import synthetic_trace

HOSTILE = ("</script><script>alert(1)</script>", "\u202eabc", "\0", "🌊", "<b>&amp;",
           "{{ 7 * 7 }}")


@pytest.fixture
def page_of(tmp_path):
    """Return a function: a trace's data → the HTML of its page."""
    def render(data):
        return render_view(read_trace(written(tmp_path, data)), "trace.json")

    return render


def written(folder, data, name="trace.json"):
    """Write a trace; return its path."""
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def island_in(html):
    """Return the data of the page's island."""
    tree = LexborHTMLParser(html)
    return json.loads(tree.css_first(f"#trace-{ID}").text())


def digest(text):
    """Return a text's SHA-256 as a policy writes it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_the_policy_allows_the_one_script_and_the_one_style_by_their_hashes(page_of):
    tree = LexborHTMLParser(page_of(synthetic_trace()))
    policy = tree.css_first("meta[http-equiv]").attributes["content"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    script, = tree.css("script:not([type])")
    style, = tree.css("style")
    assert rules["script-src"] == f"'{digest(script.text())}'"
    assert rules["style-src"] == f"'{digest(style.text())}'"
    assert rules["default-src"] == "'none'"
    assert rules["font-src"] == "data:" and "unsafe" not in policy


@pytest.mark.parametrize("data", [synthetic_trace(), pretrained_trace(40)])
def test_the_page_names_no_other_file(page_of, data):
    html = page_of(data)
    tree = LexborHTMLParser(html)
    addresses = [value for node in tree.css("[href], [src], [srcset]")
                 for name, value in node.attributes.items()
                 if name in ("href", "src", "srcset")]
    assert addresses and all(a.startswith(("#", "data:")) for a in addresses)
    style = tree.css_first("style").text()
    named = re.findall(r"url\(\"?([^\"):]*)", style)
    assert set(named) == {"data"} and "font/woff2;base64,d09GMg" in style
    assert not tree.css("link[rel=stylesheet], script[src]")


def test_every_tensor_that_a_figure_reads_stands_in_the_page(page_of):
    data = pretrained_trace(40)
    tensors = island_in(page_of(data))["tensors"]
    assert sorted(tensors) == sorted(
        f"layers.{layer}.{kind}" for layer in range(5)
        for kind in ("weights", "contributions"))
    assert all(tensor["data"] and "file" not in tensor for tensor in tensors.values())


def test_a_small_trace_s_numbers_are_those_of_its_file(page_of):
    data = synthetic_trace()
    tensors = island_in(page_of(data))["tensors"]
    for name, tensor in tensors.items():
        assert np.array_equal(read_array(tensor), read_array(data["tensors"][name]))
    assert len(tensors) == 4


@pytest.mark.parametrize(("layers", "heads", "expected"), [
    (2, 4, ["attention-heatmap"]), (3, 4, ["head-gallery", "attention-heatmap"])])
def test_many_heads_get_a_gallery(page_of, layers, heads, expected):
    tree = LexborHTMLParser(page_of(synthetic_trace(6, layers, heads)))
    found = [node.tag for node in tree.css("attention-heatmap, head-gallery")]
    assert found == expected
    labels = [node.text() for node in tree.css("figcaption .label")]
    assert labels == [f"Figure {n}." for n in range(1, len(expected) + 2)]


def test_the_page_says_what_was_recorded(page_of):
    data = pretrained_trace(40)
    data["environment"] = {"python": "3.11.7", "versions": {"torch": "2.13.0"}}
    data["next_token"] = [{"id": 5, "label": "␣sea", "probability": 0.25}]
    data["input"]["prompt"] = "the river"
    tree = LexborHTMLParser(page_of(data))
    rows = {row.css_first("th").text(): row.css_first("td").text()
            for row in tree.css(".recorded tr")}
    assert rows["hidden_size"] == "32" and rows["trained"] == "true"
    assert rows["versions.torch"] == "2.13.0" and rows["prompt"] == "the river"
    assert rows["script"] == "tiny_llama.py"
    assert len(tree.css(".tokens li")) == 40
    assert tree.css_first(".tokens li").text() == "0 the 1"
    assert "␣sea50.2500" in tree.css_first("#tokens table").text()
    assert tree.css_first("#check-rows .result").text() == "holds"
    assert "4-bit weights dequantised to float32" in tree.css_first("h1").text()


def test_random_weights_are_called_random(page_of):
    source = text_of(page_of(synthetic_trace()))
    assert "random weights, not a language model" in source


def test_a_newer_minor_version_is_shown_and_told(page_of):
    data = {**synthetic_trace(), "format_minor": 9, "novelty": {"a": 1}}
    assert "1.9" in LexborHTMLParser(page_of(data)).css_first(".facts").text()


def test_of_a_batch_the_first_item_is_shown_and_said_to_be(page_of):
    data = synthetic_trace()
    for key, rows in data["input"].items():
        data["input"][key] = rows * 2
    data["input"]["token_labels"][1] = ["elsewhere"] * 6
    for tensor in data["tensors"].values():
        tensor["shape"][0] = 2
        tensor["values"] = tensor["values"] * 2
    html = page_of(data)
    facts = LexborHTMLParser(html).css_first(".facts")
    assert "item 0 of 2 is shown" in facts.text()
    assert "elsewhere" not in LexborHTMLParser(html).css_first("article").text()


def test_a_trace_without_weights_or_checks_says_so(page_of):
    data = {**synthetic_trace(), "checks": []}
    for layer in range(2):
        del data["tensors"][f"layers.{layer}.weights"]
    html = page_of(data)
    words = text_of(html)
    assert "The trace has no attention weights" in words
    assert "The trace records no checks." in words
    assert not LexborHTMLParser(html).css(f"#trace-{ID}, figure")


def test_layers_and_heads_that_were_left_out_are_told(page_of):
    data = pretrained_trace(40, layers=3, heads=4, kv_heads=2)
    whole = text_of(page_of(data))
    assert "count them from 0" not in whole and "beside head 1" in whole
    data["model"].update(num_hidden_layers=30, num_attention_heads=9)
    tensors = data["tensors"]
    data["tensors"] = {
        f"layers.{layer}.{kind}": {**tensors[f"layers.{n}.{kind}"],
                                   "head_ids": [0, 1, 4, 8]}
        for n, layer in enumerate((3, 5, 29)) for kind in ("weights", "value_norms")}
    html = page_of(data)
    words = text_of(html)
    assert "Of the model’s 30 layers the trace has 3, 5, 29" in words
    assert "Of the model’s 9 query heads the trace has 0, 1, 4, 8" in words
    assert "beside head" not in words
    shown = island_in(html)["tensors"]
    assert sorted(shown) == [f"layers.{n}.{kind}" for n in range(3)
                             for kind in ("contributions", "weights")]
    rows = LexborHTMLParser(html).css("#model tr")
    assert "num_key_value_heads2" in [row.text().strip() for row in rows]


def test_a_model_whose_attention_differs_is_said_to(page_of):
    data = pretrained_trace(12)
    assert "it differs by" not in text_of(page_of(data))
    data["model"]["differs"] = ["scores are capped at 50"]
    section = LexborHTMLParser(page_of(data)).css_first("#attention")
    assert section.css_first("p").text().endswith("it differs by:")
    assert section.css_first("li").text() == "scores are capped at 50"


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_and_does_nothing(page_of, text):
    data = synthetic_trace(labels=[text] * 6)
    data["model"]["name"] = data["model"]["revision"] = f"x{text}"
    data["checks"][0]["claim"] = f"x{text}"
    data["environment"] = {"versions": {f"k{text}": text}}
    html = page_of(data)
    assert not list(check_view(Page("p.html", html)))
    tree = LexborHTMLParser(html)
    assert len(tree.css("script:not([type])")) == 1 and not tree.css("article b > b")
    assert not re.search("[\0\u202e]", html)
    shown = text.replace("\0", "␀").replace("\u202e", "U+202E")
    for place in (".tokens bdi", "h1", "#check-rows th"):
        assert tree.css_first(place).text().lstrip("xX") == shown
    assert shown in tree.css_first("#environment table").text()
    assert island_in(html)["input"]["token_labels"] == [[shown] * 6]


SPOILED = {
    "script": ("</body>", "<script>1</script></body>", "an inline script"),
    "style": ("</body>", "<style>p{}</style></body>", "<style> is refused"),
    "attribute": ("<main", '<main style="color: red"', "style="),
    "handler": ("<main", '<main onclick="x"', "onclick="),
    "host": ("<main", '<img alt="" src="https://x.org/a.png"><main', "another host"),
    "id": ("<main", '<main id="tokens"', "the id 'tokens' stands 2 times"),
    "image": ("<main", '<img src="data:image/png;base64,"><main', "alternative text"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_page_that_its_policy_would_block_is_refused(page_of, name):
    html = page_of(synthetic_trace())
    assert not list(check_view(Page("p.html", html)))
    old, new, message = SPOILED[name]
    assert html.count(old) == 1
    problems = list(check_view(Page("p.html", html.replace(old, new))))
    assert any(message in problem.message for problem in problems)


def test_two_pages_of_one_trace_have_the_same_bytes(tmp_path):
    source = written(tmp_path, pretrained_trace(12))
    size_bytes = view(source, tmp_path / "a.html")
    view(source, tmp_path / "b.html")
    content = (tmp_path / "a.html").read_bytes()
    assert content == (tmp_path / "b.html").read_bytes()
    assert len(content) == size_bytes


def test_an_older_page_is_replaced_and_another_file_is_not(tmp_path):
    source, output = written(tmp_path, synthetic_trace()), tmp_path / "page.html"
    output.write_text(f"<!doctype html>{GENERATOR}old", encoding="utf-8")
    view(source, output)
    assert "Figure 1" in output.read_text("utf-8")
    output.write_text("<p>my own</p>", encoding="utf-8")
    with pytest.raises(BuildFailed) as failed:
        view(source, output)
    assert "was not written by build.py view" in failed.value.problems[0].message
    assert output.read_text("utf-8") == "<p>my own</p>"


@pytest.mark.parametrize(("name", "message"), [
    ("folder", "it is a folder"), ("absent/page.html", "No such file or directory"),
    ("trace.json", "was not written by build.py view"),
    ("x" * 300, "File name too long")])
def test_what_cannot_be_written_is_told_and_nothing_is_left(tmp_path, name, message):
    source = written(tmp_path, synthetic_trace())
    (tmp_path / "folder").mkdir()
    before = snapshot(tmp_path)
    with pytest.raises(BuildFailed) as failed:
        view(source, tmp_path / name)
    problem, = failed.value.problems
    assert message in problem.message and "--output" in problem.todo
    assert snapshot(tmp_path) == before


def test_a_page_that_cannot_take_its_place_leaves_the_old_one(tmp_path, monkeypatch):
    source, output = written(tmp_path, synthetic_trace()), tmp_path / "page.html"
    view(source, output)
    before = snapshot(tmp_path)

    def refuse(*paths):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(BuildFailed, match="1 problems"):
        view(source, output)
    assert snapshot(tmp_path) == before
