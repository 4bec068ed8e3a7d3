"""The bytes of caches as a page has them without scripts."""

import json
import re
from pathlib import Path

import pytest

from tests.site_builder import text_of

ROOT = Path(__file__).parents[2]
FILE = "articles/a/configurations.json"
STORED = json.loads((ROOT / "content/configurations.json").read_text("utf-8"))


def block(*options, file="configurations.json"):
    """Return the directive's text with options, one a line."""
    lines = "".join(f"    {option}\n" for option in (f"file: {file}", *options))
    return f"/// cache-bytes | figure-bytes\n{lines}\nThe caption.\n///\n"


@pytest.fixture
def page_of(site):
    """Return a function: options → the page as a parser sees it."""
    def build(*options):
        site.add(FILE, json.dumps(STORED))
        return site.tree(block(*options))

    return build


@pytest.fixture
def problems_of(site):
    """Return a function: the file's text and options → the problems of the build."""
    def build(text, *options):
        site.add(FILE, text)
        return site.problems(block(*(options or ("config: llama-3-8b",))))

    return build


def said(page, selector):
    return re.sub(r"\s+", " ", page.css_first(selector).text()).strip()


def row(page, name):
    """Return the cells of a configuration in the table of all of them."""
    cells = page.css(f'.all [data-id="{name}"] > *')
    return [text_of(cell.html) for cell in cells]


def test_the_multiplication_is_spelled_out(page_of):
    page = page_of("config: llama-3-8b")
    assert said(page, ".sentence") == (
        "2 × 32 layers × 8 KV heads × 128 channels × 8,192 tokens × 1 sequence × "
        "2 bytes = 1,073,741,824 bytes (1.0 GiB)")


def test_one_of_a_thing_is_in_the_singular(page_of):
    page = page_of("config: gemma-2b", "context: 1", "batch: 2", "bytes: 1")
    assert said(page, ".sentence") == (
        "2 × 18 layers × 1 KV head × 256 channels × 1 token × 2 sequences × 1 byte = "
        "18,432 bytes (18.0 KiB)")


def test_every_configuration_is_a_row_with_its_numbers_and_its_source(page_of):
    page = page_of("config: llama-3-8b")
    assert len(page.css(".all tbody tr")) == len(STORED)
    assert row(page, "llama-2-70b") == [
        "Llama-2-70B", "GQA", "80", "64", "8", "128", "327,680", "2.5 GiB", "8 ×",
        "128 GiB", "421,001"]
    assert row(page, "mistral-7b-v0.1")[-1] == "never"
    for record in STORED:
        link = page.css_first(f'.all [data-id="{record["id"]}"] a').attributes["href"]
        assert any(source.get("revision", "no") in link for source in record["sources"])


def test_the_table_follows_context_batch_and_size(page_of):
    page = page_of("config: llama-3-8b", "context: 4096", "batch: 4", "bytes: 4")
    assert row(page, "llama-3-8b")[6:] == [
        "262,144", "4.0 GiB", "4 ×", "29.9 GiB", "30,634"]


def test_every_source_is_listed_with_what_it_states(page_of):
    page = page_of("config: llama-3-8b")
    listed = page.css(".sources dd")
    assert len(listed) == sum(len(record["sources"]) for record in STORED)
    assert said(page, ".sources dd") == (
        "Lightning-AI/litgpt, litgpt/config.py at 0006c97, read 2026-11-30: "
        + ", ".join(STORED[0]["sources"][0]["keys"]))


def test_the_weights_are_said_beside_the_cache(page_of):
    page = page_of("config: llama-3-8b")
    shown = [text_of(note.html) for note in page.css(".notes > span")
             if "hidden" not in note.attributes]
    assert shown == [
        "That is 6.7 % of the model’s weights, which are 8,030,261,248 numbers and "
        "take 15.0 GiB at the same size of a number.",
        "From 122,533 tokens on, the cache takes more than they do."]


def test_a_window_is_said_and_bends_the_line(page_of):
    page = page_of("config: mistral-7b-v0.1", "context: 40000")
    assert "4,096 tokens × 1 sequence" in said(page, ".sentence")
    notes = said(page, '.notes [data-when="window"]')
    assert notes.startswith("Attention looks back over a window of 4,096 tokens")
    assert notes.endswith("stays at 512 MiB however long the text.")
    assert "hidden" in page.css_first('[data-when="outweighs"]').attributes
    assert "hidden" not in page.css_first('[data-when="longer"]').attributes
    (_, first), (bend, top), (end, last) = points(page, "own")
    assert (bend, end, top) == (33.33, 100, last)
    assert first > top


def points(page, style):
    line = page.css_first(f".lines .{style}").attributes["points"]
    return [tuple(map(float, point.split(","))) for point in line.split()]


def test_the_lines_are_as_far_apart_as_their_bytes(page_of):
    page = page_of("config: llama-3-8b")
    heights = [points(page, style)[0][1] for style in ("mha", "own", "mqa")]
    of_a_doubling = (heights[2] - heights[0]) / 5       # 32 KV heads to 1
    assert heights[1] - heights[0] == pytest.approx(2 * of_a_doubling, abs=0.02)
    names = [text_of(name.html) for name in page.css(".plot .names text")]
    assert names == ["as MHA", "GQA: 8 KV heads", "as MQA"]


def test_the_chosen_context_stands_on_the_line_and_not_beside_the_drawing(page_of):
    page = page_of("config: llama-3-8b", "context: 256")
    x, y = (float(page.css_first(".chosen circle").attributes[name].strip("%"))
            for name in ("cx", "cy"))
    assert (x, y) == points(page, "own")[0]
    assert page_of("config: llama-3-8b", "context: 255").css_first(
        ".plot .chosen") is None


def test_kinds_that_a_model_cannot_have_are_left_out(page_of):
    page = page_of("config: falcon-7b")
    shown = {kind.attributes["data-kind"]: text_of(kind.html)
             for kind in page.css("[data-kind]") if "hidden" not in kind.attributes}
    assert shown.keys() == {"MHA", "MQA"}       # 71 heads have no groups
    assert shown["MQA"].startswith("MQA: one KV head for all")
    assert "own" in page.css_first('[data-kind="MQA"]').attributes["class"]


def test_what_the_script_needs_stands_in_an_attribute(page_of):
    page = page_of("config: llama-3-8b")
    stored = json.loads(page.css_first("cache-bytes").attributes["data-configurations"])
    assert [one["id"] for one in stored] == [record["id"] for record in STORED]
    assert stored[5]["sliding_window"] == 4096


def test_the_file_stands_beside_the_page_and_the_styles_are_linked(page_of, site):
    page = page_of("config: llama-3-8b")
    assert json.loads((site.output / "a/configurations.json").read_text()) == STORED
    assert "../static/cache.css" in [link.attributes["href"] for link in page.css(
        "link[rel=stylesheet]")]


@pytest.mark.parametrize(("options", "problem"), [
    (("config: llama-3-9b",), "3:13: no configuration 'llama-3-9b'"),
    (("config: llama-3-8b", "context: 0"), "context: 0: expected at least 1"),
    (("config: llama-3-8b", "context: 2000000"), "expected at most 1048576"),
    (("config: llama-3-8b", "bytes: 3"), "bytes: 3: expected one of [1, 2, 4, 8]"),
    (("context: 1",), "'config' is missing"),
])
def test_a_wrong_option_is_told(problems_of, options, problem):
    told, = problems_of(json.dumps(STORED), *options)
    assert problem in told


def test_a_file_that_is_not_there_is_told(site):
    assert site.problems(block("config: a", file="other.json")) == [
        "2:11: no file 'other.json' to draw from"]


@pytest.mark.parametrize(("text", "problem"), [
    ("[", f"content/{FILE}:1:2: not JSON: Expecting value"),
    ("[\n {]", f"content/{FILE}:2:3: not JSON: Expecting property name"),
    ("[NaN]", f"content/{FILE}: not JSON: NaN is no number of JSON"),
    ("[1e999]", f"content/{FILE}: not JSON: 1e999 is no number of JSON"),
    ('[{"a": 1, "a": 2}]', f"content/{FILE}: not JSON: 'a' stands twice in one object"),
    ("{}", f"content/{FILE}: the file: {{}}: expected a array"),
    (json.dumps([{**STORED[0], "num_key_value_heads": 2}]),
     f"content/{FILE}: smollm2-135m: 9 heads cannot share 2 KV heads evenly"),
])
def test_a_file_that_cannot_be_read_is_told_with_its_place(problems_of, text, problem):
    assert any(told.startswith(problem) for told in problems_of(text))
