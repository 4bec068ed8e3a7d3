"""The run's controls and the named changes as a page has them without scripts."""

import json
from pathlib import Path

import pytest

from tests.site_builder import SmallSite, text_of
from tests.synthetic_trace import synthetic_trace

CONTENT = Path(__file__).parents[2] / "content"
CHANGES = json.loads((CONTENT / "changes.json").read_text("utf-8"))
CONTROLS = "/// run-controls | run\n    trace: demo\n///\n"
TRAINED = CONTROLS.replace("demo\n", "demo\n    trained: twin\n")
PANEL = "/// change-one-thing | change\n    trace: demo\n\nWhat moves.\n///\n"
STORED = {"wq": {"shape": [1], "dtype": "float32", "encoding": "f32-base64",
                 "data": "AACAPw=="}}


def trace_with_parameters(**model):
    """Return a trace that the page can compute, as far as the generator sees."""
    trace = {**synthetic_trace(), "parameters": STORED}
    trace["model"] = {**trace["model"], **model}
    return trace


@pytest.fixture
def site(tmp_path):
    """A site with a trace that can be computed, its twin, and one that cannot."""
    made = SmallSite(tmp_path)
    traces = {"demo": trace_with_parameters(), "twin": trace_with_parameters(
        trained=True), "large": trace_with_parameters(vocab_size=99),
        "bare": synthetic_trace()}
    made.add("traces.toml", "".join(
        f'[{name}]\nfile = "content/{name}.json"\n' for name in traces))
    for name, trace in traces.items():
        made.add(f"{name}.json", json.dumps(trace))
    for name in ("changes.json", "walk.toml"):
        made.add(name, (CONTENT / name).read_bytes())
    return made


def test_the_recorded_tokens_stand_in_a_sentence(site):
    text = text_of(site.body(CONTROLS))
    assert ("Recorded are 6 tokens, “the river meets the quiet sea”, with random "
            "weights.") in text


def test_each_token_of_the_vocabulary_can_be_chosen(site):
    tree = site.tree(CONTROLS)
    options = tree.css("#run [data-control=token] option")
    assert [option.text() for option in options] == [
        f"{number} word{number}" for number in range(32)]


def test_the_switch_is_there_where_there_are_trained_weights(site):
    assert site.tree(CONTROLS).css_first("#run .pick-weights") is None
    values = [radio.attributes["value"] for radio in
              site.tree(TRAINED).css("#run .pick-weights input")]
    assert values == ["demo", "twin"]


def test_the_page_has_what_the_model_needs_of_both_traces(site):
    tree = site.tree(TRAINED)
    for name in ("demo", "twin"):
        island = json.loads(tree.css_first(f"#trace-{name}").text())
        for key in ("file", "recorded"):
            assert (site.output / "a" / island["parameters"][key]).is_file()


@pytest.mark.parametrize("text", [CONTROLS, PANEL])
@pytest.mark.parametrize("option, problem", [
    ("trace: none", "2:12: no trace 'none'"),
    ("trace: bare", "1:1: the trace 'bare' records no parameters"),
    ("trace: demo\n    trained: none", "3:14: no trace 'none'"),
    ("trace: demo\n    trained: bare", "1:1: the trace 'bare' records no parameters"),
    ("trace: demo\n    trained: large",
     "1:1: the model of 'large' has other sizes than that of 'demo'"),
])
def test_a_trace_that_the_page_cannot_compute_is_refused(site, text, option, problem):
    assert site.problems(text.replace("trace: demo", option)) == [problem]


def test_every_change_stands_there_in_words(site):
    tree = site.tree(PANEL)
    labels = [text_of(label.html) for label in tree.css("#change .changes label")]
    assert len(labels) == len(CHANGES) + 1
    for label, change in zip(labels[1:], CHANGES, strict=True):
        words = f"{change['name']} {change['what']}"
        assert label == words.replace("W_", "W")
    assert tree.css_first("#change [value=another-wq] + span b sub").text() == "Q"


def test_a_change_says_what_it_asks_for(site):
    tree = site.tree(PANEL)
    needs = {radio.attributes["value"]: radio.attributes["data-needs"] or ""
             for radio in tree.css("#change .changes input")}
    assert needs == {"": "", **{change["id"]: " ".join(change["needs"])
                                for change in CHANGES}}


def test_the_tensors_lead_to_a_walk_of_the_page_alone(site):
    text = PANEL.replace("demo\n", "demo\n    walk: walk\n")
    assert site.problems(text) == ["3:11: no tensor-walk 'walk' on this page"]


@pytest.mark.parametrize("content, problem", [
    ("[", "content/changes.json:1:2: not JSON: Expecting value"),
    ("[]", "content/changes.json: []: [] should be non-empty"),
    (json.dumps([{**CHANGES[0], "group": "x"}]), "content/changes.json: 0.group: "
     "\"x\": expected one of ['weights', 'token', 'positions', 'heads', 'attention']"),
    (json.dumps([{**CHANGES[0], "colour": 1}]), "content/changes.json: 0.colour: "),
])
def test_changes_that_cannot_be_read_are_problems(site, content, problem):
    site.add("changes.json", content)
    assert site.problems(PANEL)[0].startswith(problem)


def test_changes_that_are_not_there_are_a_problem(site):
    (site.content / "changes.json").unlink()
    assert site.problems(PANEL) == ["content/changes.json: no such file"]
