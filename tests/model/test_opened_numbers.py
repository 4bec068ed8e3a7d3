"""What the page shows of an opened number is true of the Python model, and can be run.

tests/js/print-opened.js opens a sample of the cells of every tensor; the programs that
a reader may copy are run here.
"""

import contextlib
import io
import json
import math
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
LIMIT = 1e-12       # of the largest number that is added up
LONG = [(7 * t + t * t) % 32 for t in range(32)]
KINDS = {"parameter", "lookup", "norm", "dot", "copy", "rotation", "scores", "mask",
         "softmax", "mixture", "heads-sum", "silu", "gated", "sum", "replaced"}


def described(config, weights, tokens, change=""):
    """Return what print-opened.js needs to know of a run."""
    return {"config": asdict(config), "tokens": tokens, "change": change,
            "parameters": {name: {"shape": weight.shape,
                                  "values": weight.ravel().tolist()}
                           for name, weight in weights.items()}}


@pytest.fixture(scope="module")
def twin():
    """The trained weights."""
    with np.load(ROOT / "model/twin.npz", allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files if name != "about"}


@pytest.fixture(scope="module")
def runs(llama, twin):
    """(config, weights, tokens, change) of each run that is opened."""
    config, drawn = llama.Config(), llama.draw_weights(llama.Config(), llama.SEED)
    different, rows = llama.ALL_DIFFERENT
    changes = json.loads((ROOT / "content/changes.json").read_text("utf-8"))
    return [
        *((config, weights, tokens, "") for weights in (drawn, twin)
          for tokens in ([1, 2, 3, 1, 4, 5], [30], LONG)),
        (different, llama.draw_weights(different, 3), rows[1], ""),
        *((config, drawn, [1, 2, 3, 1, 4, 5], change["id"]) for change in changes)]


@pytest.fixture(scope="module")
def opened(runs, tmp_path_factory):
    """What print-opened.js prints of the runs, a list of dicts."""
    path = tmp_path_factory.mktemp("opened") / "runs.json"
    path.write_text(json.dumps([described(*run) for run in runs]))
    done = subprocess.run([NODE, "tests/js/print-opened.js", str(path)], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def prints(program):
    """Return the number that a program prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(program, "<copied>", "exec"), {})
    return float(out.getvalue())


def apart(found, expected):
    """Return how far two numbers are apart; infinities that are equal are not."""
    return 0.0 if found == expected else abs(found - expected)


def test_every_kind_of_number_is_among_the_opened(opened):
    assert {number["kind"] for number in opened} == KINDS
    assert len(opened) > 5000


def test_the_terms_of_an_opened_number_give_it(opened):
    worst = max(apart(float(number["total"]), float(number["value"]))
                / (number["size"] or 1.0) for number in opened)
    print(f"{len(opened)} numbers, largest difference {worst:.1e} of the largest term")
    assert worst <= LIMIT


def test_a_copied_program_prints_the_number_it_was_copied_from(opened):
    worst = 0.0
    for number in opened:
        found, expected = prints(number["program"]), float(number["value"])
        difference = apart(found, expected) / (number["size"] or 1.0)
        assert difference <= LIMIT, (number["kind"], found, number["program"])
        worst = max(worst, difference)
    print(f"{len(opened)} programs, largest difference {worst:.1e} of the largest term")


def test_an_opened_number_is_the_python_models(llama, runs, opened):
    for at, (config, weights, tokens, change) in enumerate(runs):
        if change:      # tests of the changes compare those with their Python twins
            continue
        made = llama.record_tensors(llama.TinyLlama(config, weights), [tokens])
        for number in opened:
            if number["run"] == at and not number.get("parameter"):
                check_number(number, made)


def check_number(number, made):
    """Compare an opened number with the tensor that Python records, if it does."""
    if number["name"] not in made:
        assert number["name"].endswith(("q_flat", "k_flat", "v_flat", "silu"))
        return
    tensor = made[number["name"]]
    largest = np.max(np.abs(tensor[np.isfinite(tensor)]))
    difference = apart(float(number["value"]), tensor[tuple(number["index"])])
    assert difference <= LIMIT * largest, number


def test_a_spoiled_program_is_noticed(opened):
    program = next(number for number in opened if number["kind"] == "dot")
    spoiled = program["program"].replace(" @ ", " @ -")
    assert not math.isclose(prints(spoiled), float(program["value"]))
