"""--chunks and --generate: calls that share a cache say what one call says."""

import json

import numpy as np
import pytest

from tests.model.javascript import ask
from tests.model.loading import PATH, SOURCE, load_model
from tests.model.planted_mistakes import GENERATION_MISTAKES

TWIN = str(PATH.parent / "twin.npz")
PROMPT = [2, 12, 10, 18, 20, 21, 2]
GOES_ON = [12, 10, 18, 20, 21]
COMMAND = ["--weights", TWIN, "--tokens", ",".join(map(str, PROMPT)),
           "--chunks", "4,3", "--generate", "5"]


def exported(module, folder, arguments):
    """Return the trace that a module writes with these arguments."""
    path = folder / "trace.json"
    module.main([*arguments, "--export-trace", str(path)])
    return json.loads(path.read_text("utf-8"))


@pytest.fixture(scope="module")
def trace(llama, tmp_path_factory):
    return exported(llama, tmp_path_factory.mktemp("generation"), COMMAND)


def test_the_twin_goes_on_as_the_sequence_began(trace):
    assert trace["input"]["token_ids"] == [PROMPT + GOES_ON]
    assert trace["input"]["position_ids"] == [list(range(12))]
    assert trace["format_minor"] == 3


def test_each_call_takes_what_was_asked_for_and_equals_one_call(trace):
    generation = trace["generation"]
    calls = [(call["stored"], call["new"]) for call in generation["calls"]]
    assert generation["prompt"] == len(PROMPT)
    assert calls == [(0, 4), (4, 3), (7, 1), (8, 1), (9, 1), (10, 1), (11, 1)]
    check = trace["checks"][-1]
    assert (check["id"], check["limit"], check["passed"]) == ("generation", 1e-11, True)
    assert check["measured"] == max(c["difference"] for c in generation["calls"])
    assert 0 < check["measured"] < 1e-14


def test_tensors_are_those_of_one_call_over_all_tokens(llama, trace):
    model = llama.TinyLlama(llama.Config(), llama.read_weights(TWIN)[0])
    expected = llama.record_tensors(model, [PROMPT + GOES_ON])
    assert list(trace["tensors"]) == list(expected)
    for name, tensor in expected.items():
        assert trace["tensors"][name] == llama.tensor_record(name, tensor)


def test_the_arguments_of_the_trace_make_it_again(llama, trace, tmp_path, monkeypatch):
    monkeypatch.chdir(PATH.parent)                  # where twin.npz is
    again = exported(llama, tmp_path, trace["producer"]["arguments"])
    assert again == trace


def test_the_check_is_printed_and_has_the_limit_of_its_type(llama, capsys):
    assert llama.main([*COMMAND, "--dtype", "float32", "--verify"]) == 0
    line = capsys.readouterr().out.splitlines()[-2]
    assert line.startswith("pass  each call's tensors equal those of one call: ")
    assert line.endswith("limit 5e-06 (float32)")


def test_the_javascript_model_makes_the_same_calls(llama, trace):
    ids, weights = PROMPT + GOES_ON, llama.read_weights(TWIN)[0]
    sizes = [call["new"] for call in trace["generation"]["calls"]]
    chunks = [[part.tolist()] for part in np.split(ids, np.cumsum(sizes)[:-1])]
    calls = [{"model": "twin", "first": 0, "chunks": chunks}]
    answers = ask({"twin": (llama.Config(), weights)}, calls)
    chosen = [int(np.argmax(answer.tensors["next_token_probs"])) for answer in answers]
    assert chosen[1:-1] == GOES_ON
    expected = llama.record_tensors(llama.TinyLlama(llama.Config(), weights), [ids])
    for answer, call in zip(answers, trace["generation"]["calls"], strict=True):
        rows = slice(call["stored"], call["stored"] + call["new"])
        np.testing.assert_allclose(answer.tensors["logits"],
                                   expected["logits"][:, rows], rtol=0, atol=1e-12)


@pytest.mark.parametrize("arguments", [[], ["--chunks", "6"], ["--generate", "0"]])
def test_one_call_is_no_generation(llama, tmp_path, arguments):
    trace = exported(llama, tmp_path, arguments)
    assert "generation" not in trace and trace["format_minor"] == 0
    assert len(trace["checks"]) == 24
    assert "--chunks" not in trace["producer"]["arguments"]


@pytest.mark.parametrize("sizes", [[7], [1] * 7, [1, 6], [6, 1], [2, 2, 3]])
def test_every_way_to_read_the_prompt_generates_the_same(llama, sizes):
    weights = llama.draw_weights(llama.Config(), 3)
    model = llama.TinyLlama(llama.Config(), weights)
    ids, whole, calls = llama.generate(model, PROMPT, [*sizes, 1, 1, 1])
    assert [call["new"] for call in calls] == [*sizes, 1, 1, 1]
    logits = model([ids])[0]
    assert ids[7:] == np.argmax(logits, axis=-1)[6:9].tolist()
    assert whole["logits"].shape == (1, 10, 32)


@pytest.mark.parametrize(("old", "new"), [change[2:] for change in GENERATION_MISTAKES],
                         ids=[change[0] for change in GENERATION_MISTAKES])
def test_a_broken_cache_fails_the_check_of_the_generation(old, new):
    """Its own limit catches it, not only the checks that run without these options."""
    assert SOURCE.count(old) == 1
    module = load_model(SOURCE.replace(old, new))
    model = module.TinyLlama(module.Config(), module.read_weights(TWIN)[0])
    with np.errstate(all="ignore"):
        _, _, calls = module.generate(model, PROMPT, [4, 3, 1, 1, 1, 1, 1])
    apart = max(float(call["difference"]) for call in calls)
    assert not apart <= 1000 * module.LIMITS["float64"]
