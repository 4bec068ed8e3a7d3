"""Numbers in the prose come from a run, by name and format."""

import json

import pytest

from tests.synthetic_trace import synthetic_trace

RUN = ("/// snippet\n    show: false\n```python\n"
       "whole, part, text = 1234, -0.125, 'a<b'\n"
       "many, tiny, far = [1, 2.5], 3e-16, float('inf')\n```\n///\n\n")


def build(site, name):
    (site.folder / "t.json").write_text(json.dumps(synthetic_trace()))
    site.add("traces.toml", '[t]\nfile = "t.json"\n')
    return site.tree(f"{RUN}[[value {name}]]\n").css("article > p")[-1].text()


@pytest.mark.parametrize(("name", "text"), [
    ("run:whole", "1234"), ("run:whole ,", "1,234"), ("run:part .2f", "−0.12"),
    ("run:part +.3f", "−0.125"), ("run:part .1%", "−12.5%"), ("run:text", "a<b"),
    ("run:many .1f", "[1.0, 2.5]"), ("run:tiny .0e", "3 × 10−16"), ("run:far", "inf"),
    ("t:model.hidden_size", "32"), ("t:model.name", "Synthetic"),
    ("t:layers.0.weights.shape", "[1, 4, 6, 6]"), ("t:layers.0.weights.shape[3]", "6"),
    ("t:layers.0.weights[0,0,0,0] .1f", "1.0"), ("t:layers.1.weights[0,3,-6,0]", "1.0"),
    ("t:checks.rows.limit", "1×10−5"), ("t:input.token_labels[0][1]", "river"),
    ("t:input.token_ids[0]", "[1, 2, 3, 4, 5, 6]"), ("t:format_major", "1"),
])
def test_a_name_and_a_format_give_a_number(site, name, text):
    assert build(site, name).replace("\xa0", " ").replace(" ", "") == text.replace(
        " ", "")


@pytest.mark.parametrize(("name", "message"), [
    ("run:nothing", "the snippets leave no value 'nothing'"),
    ("x:model", "no trace 'x'"), ("whole", "value 'whole' names no source"),
    ("t:", "value 't:' names no source"),
    ("t:model.hidden", "'model.hidden': nothing is called 'hidden'"),
    ("t:model", "'model' is no single value"),
    ("t:layers.0.weights[0,0]", "layers.0.weights has 4 axes, the index 2"),
    ("t:layers.0.weights[0,9,0,0]", "layers.0.weights[0,9,0,0] is outside shape "
     "[1, 4, 6, 6]"),
    ("t:layers.0.weights.shape[4]",
     "'layers.0.weights.shape[4]': the tensor has 4 axes"),
    ("t:checks.nope.limit", "'checks.nope.limit': nothing is called 'nope'"),
    ("run:whole .2q", "value 'run:whole': Unknown format code 'q' for object of type "
     "'int'"),
    ("run:text .2f", "value 'run:text': Unknown format code 'f' for object of type "
     "'str'"),
    ("run:whole 99999999d", "value 'run:whole': '99999999d' is wider than 999"),
    ("t:model.trained", "value 't:model.trained': False is not a number or a text"),
])
def test_a_misspelt_name_or_format_fails_at_its_place(site, name, message):
    (site.folder / "t.json").write_text(json.dumps(synthetic_trace()))
    site.add("traces.toml", '[t]\nfile = "t.json"\n')
    line = RUN.count("\n") + 1
    assert site.problems(f"{RUN}a [[value {name}]]\n") == [f"{line}:3: {message}"]


def test_a_misspelt_name_comes_with_the_nearest(site):
    site.article(f"{RUN}[[value run:whol]]\n")
    assert site.failure()[0].todo.startswith("did you mean 'whole'?")
