"""What a page carries of a trace: small tensors whole, large ones as scripts."""

import base64
import json
import math
import re
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

from sitegen.article_page import page_islands
from sitegen.islands import island_of, model_scripts
from sitegen.parts import decode_rows
from sitegen.recorded import contributions, needed_tensors
from sitegen.records import Article, ArticleContext, Scan
from sitegen.traces import parse_trace
from tests.pretrained_trace import parsed, pretrained_trace

ROOT = Path(__file__).parents[2]
T = 40
CALL = re.compile(r'receiveTensor\("([\w-]+)","([\w.]+)","([A-Za-z0-9+/]+={0,2})"\);\n')
ALLOWED = np.tril(np.ones((T, T), bool))


def island(data, **more):
    trace = parsed(data)
    text, files = island_of(trace, needed_tensors(trace), **more)
    return json.loads(str(text)), files


def test_layer_0_is_in_the_page_and_every_other_layer_is_a_script():
    page, files = island(pretrained_trace(T))
    assert "data" in page["tensors"]["layers.0.weights"]
    for layer in range(1, 5):
        tensor = page["tensors"][f"layers.{layer}.weights"]
        assert tensor["file"] == f"data/pretrained/layers.{layer}.weights.js"
        assert "data" not in tensor
        assert tensor["file"] in files
    assert len(files) == 4 + 5, "four layers' weights and five layers' contributions"


def test_a_script_calls_one_function_and_does_nothing_else():
    _, files = island(pretrained_trace(T))
    for path, text in files.items():
        trace, name, _ = CALL.fullmatch(text).groups()
        assert path == f"data/{trace}/{name}.js"


def test_rows_are_read_back_within_a_part_of_the_recorded_ones():
    data = pretrained_trace(T)
    page, files = island(data)
    trace = parsed(data)
    for layer in range(5):
        name = f"layers.{layer}.weights"
        stored = page["tensors"][name]
        text = stored.get("data") or CALL.fullmatch(files[stored["file"]])[3]
        counts = decode_rows(text, ALLOWED, stored["shape"])
        assert (counts.sum(-1, dtype=int) == 4095).all()
        assert np.abs(counts / 4095 - trace.tensor(name)).max() < 1 / 4095 + 1e-6


def test_contributions_are_made_of_what_was_recorded():
    data = pretrained_trace(T)
    page, files = island(data)
    stored = page["tensors"]["layers.3.contributions"]
    counts = decode_rows(CALL.fullmatch(files[stored["file"]])[3], ALLOWED,
                         stored["shape"])
    exact = contributions(parsed(data), "layers.3")
    assert np.abs(counts / 4095 - exact).max() < 1 / 4095


def test_a_small_trace_stands_in_the_page_as_it_is():
    data = pretrained_trace(6)
    page, files = island(data)
    assert page["tensors"]["layers.1.weights"] == data["tensors"]["layers.1.weights"]
    assert not files


def test_much_data_of_few_positions_are_scripts_too_and_stay_as_recorded():
    data = pretrained_trace(32, layers=3, heads=12, kv_heads=4)
    page, files = island(data)
    stored = page["tensors"]["layers.2.weights"]
    recorded = data["tensors"]["layers.2.weights"]
    assert stored["encoding"] == recorded["encoding"] == "f32-deflate-base64"
    assert CALL.fullmatch(files[stored["file"]])[3] == recorded["data"]
    assert "data" in page["tensors"]["layers.0.weights"]


def test_scores_and_contributions_are_there_for_every_layer_or_for_none():
    data = pretrained_trace(6)
    data["tensors"]["layers.0.scores"] = data["tensors"]["layers.0.weights"]
    del data["tensors"]["layers.4.value_norms"]
    page, _ = island(data)
    kinds = {name.rpartition(".")[2] for name in page["tensors"]}
    assert kinds == {"weights"}


def test_the_page_has_no_more_of_a_recording_than_it_reads():
    data = pretrained_trace(T)
    data["input"]["prompt"] = "a secret"
    data["environment"] = {"device": "a host"}
    page, _ = island(data, extras={"statistics": {"first": [0.5]}})
    assert page["input"].keys() == {"token_ids", "token_labels", "position_ids"}
    assert "environment" not in page
    assert "checks" not in page
    assert page["statistics"] == {"first": [0.5]}
    assert "layers.0.value_norms" not in page["tensors"]


def context_of(trace, front):
    """Return the context of an empty article that has one trace."""
    article = Article("a", Path(), "a", front, Scan("", [], [], {}, "", "a"))
    return ArticleContext(article, {trace.id: trace}, {}, {})


def demo_trace():
    """Return a Trace with parameters: the article's, of another seed."""
    done = subprocess.run(
        [sys.executable, ROOT / "model/tiny_llama.py", "--seed", "3", "--export-trace",
         "-"], capture_output=True, text=True, check=True)
    trace, problems = parse_trace("demo", "demo.json", done.stdout)
    assert problems == []
    return trace


def test_parameters_and_the_recording_are_scripts_that_hold_all_of_both():
    trace = demo_trace()
    said, files = model_scripts(trace, "demo.")
    brought = {CALL.fullmatch(text)[2]: base64.b64decode(CALL.fullmatch(text)[3])
               for text in files.values()}
    assert said["address"] == "demo."
    assert files.keys() == {said["file"], said["recorded"]}
    weights = np.frombuffer(brought["parameters"], "<f4")
    assert weights.size == sum(map(math.prod, said["shapes"].values())) == 25_760
    first = trace.data["parameters"]["embedding"]
    assert base64.b64decode(first["data"]) == weights[:32 * 32].tobytes()
    recorded = json.loads(zlib.decompress(brought["recorded"]))
    assert {name: tensor["values"] for name, tensor in recorded.items()} == {
        name: tensor["values"] for name, tensor in trace.data["tensors"].items()}


def test_a_page_gets_them_only_where_a_figure_asks_for_them():
    context = context_of(demo_trace(), {"trace": "other"})
    context.need("demo", ["logits"])
    islands, files = page_islands(context)
    assert "parameters" not in json.loads(str(islands[0]["json"]))
    assert files == {}
    assert context.need_parameters("demo")
    islands, files = page_islands(context)
    page = json.loads(str(islands[0]["json"]))
    assert page["parameters"]["address"] == "demo."
    assert files.keys() == {"data/demo/parameters.js", "data/demo/recorded.js"}
    assert page["tensors"].keys() == {"logits"}


def test_a_trace_without_parameters_says_so():
    context = context_of(parsed(pretrained_trace(6)), {})
    assert not context.need_parameters("pretrained")
    assert context.needs == {}
