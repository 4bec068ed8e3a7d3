"""The walk as a page has it without scripts, and the steps that it is made of."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sitegen.notation import fixed, signed, signed_class, weight_class
from sitegen.source import parse_steps
from sitegen.tensor_values import read_tensor, show_tensor, with_values
from sitegen.traces import parse_trace
from sitegen.walk import layers_of, marked_formula, read_walk, resolve
from tests.site_builder import FRONT, SmallSite, text_of

ROOT = Path(__file__).parents[2]
WALK = "/// tensor-walk | walk\n    trace: demo\n///\n"
STEPS, WALK_PROBLEMS = read_walk(ROOT / "content")


@cache
def demo_text():
    """The demo's trace, as the model prints it."""
    command = [sys.executable, "model/tiny_llama.py", "--export-trace", "-"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def demo():
    """The demo's trace, parsed."""
    trace, problems = parse_trace("demo", "demo.json", demo_text())
    assert problems == []
    return trace


def demo_site(folder):
    """Return a site with the demo's trace, its source and the article's steps."""
    made = SmallSite(folder)
    made.add("traces.toml", '[demo]\nfile = "content/demo.json"\n')
    made.add("demo.json", demo_text())
    made.add("walk.toml", (ROOT / "content/walk.toml").read_bytes())
    made.add("articles/a/tiny_llama.py", (ROOT / "model/tiny_llama.py").read_bytes())
    return made


@pytest.fixture
def site(tmp_path):
    return demo_site(tmp_path)


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The page with the whole walk, as an HTML parser sees it."""
    return demo_site(tmp_path_factory.mktemp("walk")).tree(WALK)


def with_options(**options):
    """Return the text of a walk with further options."""
    lines = "".join(f"    {name}: {value}\n" for name, value in options.items())
    return WALK.removesuffix("///\n") + lines + "///\n"


def outputs(step, layer):
    return [resolve(name, layer, demo().data["model"]) for name in step.outputs]


def test_the_walk_of_the_article_is_sound():
    assert WALK_PROBLEMS == []
    marks, problems = parse_steps((ROOT / "model/tiny_llama.py").read_text("utf-8"), "")
    assert problems == []
    for step in STEPS.values():
        assert set(step.source) <= marks.keys(), step.id


def test_every_recorded_tensor_is_made_by_one_step_and_read_before_it_is_made_by_none():
    made = []
    for layer in (None, 0, 1, 2):
        for step in STEPS.values():
            if layer not in layers_of(step, 2):
                continue
            read = [resolve(name, layer, demo().data["model"]) for name in step.inputs]
            assert set(read) <= set(made), step.id
            made += outputs(step, layer)
    assert sorted(made) == sorted(set(made))
    derived = {f"layers.{layer}.{name}" for layer in range(2)
               for name in ("q_flat", "k_flat", "v_flat", "silu")}
    assert set(made) == demo().data["tensors"].keys() | derived


def test_each_step_has_its_words_its_formula_with_a_mark_and_its_lines(tree):
    drawn = tree.css(".walk-step")
    assert [item.attributes["data-step"] for item in drawn] == list(STEPS)
    for item, step in zip(drawn, STEPS.values(), strict=True):
        assert text_of(item.css_first("h3").html).startswith(step.title)
        assert text_of(item.css_first(".walk-role").html) == text_of(step.role)
        assert item.css_first("math .now") is not None, step.id
        wrong = text_of(item.css_first(".walk-wrong").html)
        assert text_of(step.wrong) in wrong and text_of(step.sign) in wrong
        lines = item.css_first(".listing").text()
        assert f"# step: {step.source[0]} — " in lines


def expected_tables(name):
    """Return the text of each matrix of a tensor as rows of (class, text)."""
    tensor = show_tensor(demo(), name)
    _, array = read_tensor(demo(), name)

    def cell(number):
        if np.isinf(number):
            return "masked", "masked"
        if tensor.scale is None:
            return weight_class(number), fixed(number, 2)
        return signed_class(number / tensor.scale), signed(number, 2)

    matrices = array.reshape(-1, *array.shape[-2:])
    return [[[cell(number) for number in row] for row in matrix] for matrix in matrices]


@pytest.mark.parametrize("step", [step for step in STEPS.values()
                                  if step.id not in ("weights", "next_token_probs")],
                         ids=lambda step: step.id)
def test_the_first_layer_s_tensors_are_real_tables_or_pictures(tree, step):
    layer = {"before": None, "layer": 0, "after": 2}[step.scope]
    item = tree.css_first(f".walk-step[data-step={step.id}]")
    boxes = item.css("[data-role=output]")
    for box, name in zip(boxes, outputs(step, layer), strict=True):
        array = read_tensor(demo(), name)[1]
        if max(array.shape[-2:]) > 32:
            [picture] = box.css("picture img")
            assert picture.attributes["alt"].startswith(f"{name} [batch 1,")
            continue
        found = [[[(cell.attributes["class"], cell.text(strip=True))
                   for cell in row.css("td")] for row in table.css("tbody tr")]
                 for table in box.css("table")]
        assert found == expected_tables(name)


def test_forbidden_weights_are_hatched_and_the_others_sum_to_one(tree):
    item = tree.css_first(".walk-step[data-step=weights]")
    for table in item.css("[data-role=output] table"):
        for query, row in enumerate(table.css("tbody tr")):
            cells = row.css("td")
            masked = ["masked" in cell.attributes["class"] for cell in cells]
            assert masked == [key > query for key in range(6)]
            shares = [float(cell.text()) for cell in cells[:query + 1]]
            assert abs(sum(shares) - 1) <= 0.005 * (query + 1)


def test_shapes_scales_and_the_other_layer_are_said_in_words(tree):
    name = text_of(tree.css_first('[data-role=output][data-tensor$="scores"] p').html)
    largest = np.abs(demo().tensor("layers.0.scores")).max()
    assert name == ("layers.0.scores [batch 1, head 4, query 6, key 6] float64 "
                    f"colours to ±{fixed(largest, 2)}, the tensor’s largest")
    other = text_of(tree.css_first(".walk-others").html)
    assert other.startswith("Layer 1: the same 18 steps")
    assert "Gate: layers.1.gate [batch 1, position 6, channel 96]" in other


def test_the_likeliest_next_tokens_are_the_trace_s(tree):
    rows = tree.css(".next-tokens tbody tr")
    probabilities = demo().tensor("next_token_probs")[0]
    order = np.argsort(-probabilities)[:8]
    words = demo().data["vocabulary"]
    assert [text_of(row.html) for row in rows] == [
        f"{token} {words[token]}{fixed(probabilities[token], 3)}" for token in order]
    assert [row.css_first("rect").attributes["width"] for row in rows] == [
        f"{100 * probabilities[token]:.1f}" for token in order]


def test_a_focused_walk_is_small_and_has_no_values(site):
    site.article(WALK + WALK.replace("walk\n", "two\n    steps: [scores]\n", 1)
                 .replace("/// tensor-two", "/// tensor-walk"), FRONT)
    html = site.build()["a/index.html"]
    figure = re.search(r'<figure[^>]* id="two">.*?</figure>', html, re.S)[0]
    assert len(figure.encode()) < 4000
    assert "<math" not in figure and "<table" not in figure
    assert "opened-template" not in figure
    assert 'data-step="scores"' in figure and "data-focused" in figure


@pytest.mark.parametrize(("options", "problem"), [
    ({"steps": "[scores, score]"}, "3:12: no step 'score' in walk.toml"),
    ({"steps": "[scores]", "step": "heads"}, "4:11: the first step, 'heads', is not "
                                             "shown"),
    ({"layer": 2}, "3:12: the model has no layer 2"),
    ({"file": "other.py"}, "3:11: no file 'other.py' to take lines from"),
    ({"open": '"layers.0.scores[0,4,0,0]"'},
     "3:11: no cell 'layers.0.scores[0,4,0,0]' to open"),
    ({"open": '"logits[0,5,31]>layers.0.wq*[32,0]"'},
     "3:11: no cell 'layers.0.wq*[32,0]' to open"),
])
def test_an_option_that_does_not_fit_is_a_problem(site, options, problem):
    assert site.problems(with_options(**options)) == [problem]


def test_cells_that_are_there_can_be_opened(site):
    trail = '"logits[0,5,31]>layers.1.silu[0,5,95]>layers.1.w_gate*[31,95]"'
    walk = site.tree(with_options(open=trail)).css_first("tensor-walk")
    assert walk.attributes["data-open"] == trail.strip('"')


def test_a_file_without_the_marks_is_a_problem(site):
    site.add("articles/a/tiny_llama.py", "x = 1\n")
    problems = site.problems(with_options(steps="[scores]"))
    assert problems == ["1:1: no step 'scores' in tiny_llama.py"]


def test_a_trace_without_parameters_or_a_tensor_is_a_problem(site):
    text = re.sub(r'"parameters":\{.*\}', '"parameters":{}}', demo_text(), flags=re.S)
    site.add("demo.json", text.replace('"layers.0.merged"', '"layers.0.joined"'))
    assert site.problems(with_options(steps="[merged]")) == [
        "1:1: the trace has no layers.0.merged", "1:1: the trace has no parameters"]


@pytest.mark.parametrize("key", ["inputs", "parameters", "outputs"])
def test_a_tensor_of_a_step_that_the_trace_lacks_is_a_problem(site, key):
    text = (ROOT / "content/walk.toml").read_text("utf-8")
    spoiled = re.sub(rf'(?m)^{key} = \["(layers[^"]*|embedding)"', rf'{key} = ["\1x"',
                     text, count=1)
    assert spoiled != text
    site.add("walk.toml", spoiled)
    found, = site.problems(WALK)
    assert re.fullmatch(r"1:1: the trace has no [\w.]+x", found)


@pytest.mark.parametrize(("before", "after", "problem"), [
    ('scope = "before"', 'scope = "first"', "expected one of"),
    ('id = "scores"', 'id = "rope"', "step 'rope' stands twice"),
    (r"\now{Q}", r"\nowhere{Q}", "step 'projections': formula: "),
    (r"\now{Q}", r"\phantom{Q}", r"\phantom is taken"),
    ('sign = "Your sum is off', 'sing = "Your sum is off', "'sign' is missing"),
])
def test_a_fault_of_walk_toml_is_a_problem_of_that_file(site, before, after, problem):
    text = (ROOT / "content/walk.toml").read_text("utf-8")
    assert before in text
    site.add("walk.toml", text.replace(before, after, 1))
    found = site.problems(WALK)
    assert found[0].startswith("content/walk.toml")
    assert problem in "\n".join(found)


def test_without_walk_toml_the_walk_says_what_it_needs(site):
    (site.content / "walk.toml").unlink()
    assert site.problems(WALK) == ["content/walk.toml: no such file"]


def test_what_a_step_makes_is_marked_and_nothing_else():
    html = marked_formula(r"\now{Q} = Z W_Q")
    assert html.count('class="now"') == 1
    assert '<mrow class="now"><mi>Q</mi></mrow><mo>=</mo>' in html
    assert "phantom" not in html


@pytest.mark.parametrize(("name", "layer", "expected"), [
    ("{state}", 0, "embedding"), ("{state}", 1, "layers.0.resid_out"),
    ("{state}", 2, "layers.1.resid_out"), ("layers.{layer}.wq", 1, "layers.1.wq"),
    ("{head}", 2, "embedding"), ("logits", 2, "logits"),
])
def test_a_name_is_resolved_in_its_layer(name, layer, expected):
    assert resolve(name, layer, {"tie_word_embeddings": True}) == expected


def test_an_untied_model_has_an_output_matrix_of_its_own():
    assert resolve("{head}", 2, {"tie_word_embeddings": False}) == "lm_head"


def test_flat_rows_and_silu_are_what_the_model_computes():
    q = demo().tensor("layers.0.q")
    dims, flat = read_tensor(demo(), "layers.0.q_flat")
    assert dims == ["batch", "position", "channel"]
    for head, position, channel in np.ndindex(q.shape[1:]):
        assert flat[0, position, head * 8 + channel] == q[0, head, position, channel]
    _, silu = read_tensor(demo(), "layers.1.silu")
    product = silu * demo().tensor("layers.1.up")
    assert np.abs(product - demo().tensor("layers.1.mlp_act")).max() < 1e-5


def test_a_tensor_of_two_axes_has_no_matrix():
    tensor = show_tensor(demo(), "next_token_probs")
    assert with_values(demo(), tensor).values == ()
