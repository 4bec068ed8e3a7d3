"""train_twin.py: its sequences, its file, what it refuses, and that it learns."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.model.loading import load_model
from tests.probe.scripts import ROOT

pytestmark = pytest.mark.torch
SCRIPT = ROOT / "probe" / "train_twin.py"
twin = importlib.import_module("train_twin")        # probe/ is on the path: see scripts
SHORT = ["--steps", "4", "--warmup", "2"]


@pytest.fixture
def generator():
    return torch.Generator().manual_seed(5)


def test_a_sequence_is_distinct_tokens_and_then_the_same(generator):
    for distinct in range(twin.SHORTEST, twin.LONGEST + 1):
        tokens = twin.repeated_sequences(50, distinct, generator)
        first, second = tokens[:, :distinct], tokens[:, distinct:]
        assert tokens.shape == (50, 2 * distinct) and (first == second).all()
        assert all(len(set(row)) == distinct for row in first.tolist())
        assert tokens.min() >= 0 and tokens.max() < 32


def test_every_token_comes_up_and_rows_differ(generator):
    tokens = twin.repeated_sequences(2000, 3, generator)
    counts = torch.bincount(tokens[:, 0], minlength=32)
    assert counts.min() > 30 and counts.max() < 105           # 62.5 expected
    assert len({tuple(row) for row in tokens.tolist()}) > 1900


def test_a_seed_gives_the_same_sequences_and_another_one_others():
    drawn = [twin.repeated_sequences(4, 6, torch.Generator().manual_seed(seed))
             for seed in (1, 1, 2)]
    assert (drawn[0] == drawn[1]).all() and (drawn[0] != drawn[2]).any()


@pytest.mark.parametrize("shift, right", [(1, True), (0, False), (2, False)])
def test_a_state_predicts_the_next_token_of_the_second_half(shift, right, generator):
    """Logits that name the token `shift` further are right for one step only."""
    tokens = twin.repeated_sequences(10, 12, generator)
    named = torch.roll(tokens, -shift, dims=1)
    logits = torch.nn.functional.one_hot(named, 32)
    predicted, expected = twin.split_at_repeat(logits, tokens)
    assert predicted.shape == (10, 11, 32) and expected.shape == (10, 11)
    assert (expected == tokens[:, 13:]).all()
    assert (predicted.argmax(-1) == expected).float().mean().item() == float(right)


def test_the_rate_grows_in_a_line_to_its_peak_and_falls_to_nothing():
    rates = [twin.learning_rate(step, 10, 40) for step in range(40)]
    assert rates[:11] == pytest.approx([*np.arange(1, 11) / 10, 1.0])
    assert all(later < earlier for earlier, later in pairwise(rates[10:]))
    assert 0 < rates[-1] < 0.01


def test_the_twin_starts_with_the_models_sizes_and_calculates_what_it_does(generator):
    llama = load_model()
    model, config = twin.make_model(3), llama.Config(**twin.SIZES)
    weights = twin.numpy_weights(model)
    assert config == llama.Config()
    assert {name: weight.shape for name, weight in weights.items()} == (
        llama.parameter_shapes(config))
    tokens = twin.repeated_sequences(20, 12, generator)
    with torch.no_grad():
        theirs = model.double()(tokens).logits.numpy()
    ours = llama.TinyLlama(config, weights)(tokens.numpy())
    assert np.abs(ours - theirs).max() < 1e-6 * np.abs(theirs).max()
    turned = {**weights, "layers.0.wq": weights["layers.0.wq"].T}     # a mistake
    ours = llama.TinyLlama(config, turned)(tokens.numpy())
    assert np.abs(ours - theirs).max() > 1e-3 * np.abs(theirs).max()


def test_the_committed_twin_repeats_in_transformers_as_in_the_model(generator):
    llama = load_model()
    weights, _ = llama.read_weights(ROOT / "model" / "twin.npz")
    model = twin.make_model(0)
    state = {"model.embed_tokens.weight": weights["embedding"],
             "lm_head.weight": weights["embedding"],
             "model.norm.weight": weights["final_norm"]}
    for layer in range(2):
        for name, place in twin.PLACES.items():
            state[f"model.layers.{layer}.{place}.weight"] = (
                weights[f"layers.{layer}.{name}"].T)
    model.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
    assert twin.held_out_accuracy(model, 7, "cpu") >= 0.99
    tokens = twin.repeated_sequences(100, 12, generator)
    with torch.no_grad():
        theirs = model.double()(tokens).logits.numpy()
    ours = llama.TinyLlama(llama.Config(), weights)(tokens.numpy())
    # Their angles and softmax pass through float32, and its scores are large.
    assert np.abs(ours - theirs).max() < 5e-6 * np.abs(theirs).max()


def test_a_twin_that_has_not_learned_is_not_written(tmp_path, capsys):
    path = tmp_path / "twin.npz"
    path.write_bytes(b"older")
    assert twin.main([*SHORT, "--output", str(path)]) == 1
    assert path.read_bytes() == b"older" and list(tmp_path.iterdir()) == [path]
    told = capsys.readouterr()
    assert told.out.startswith("accuracy 0.0") and "nothing is written" in told.err


def test_the_same_seed_writes_the_same_bytes_and_the_model_reads_them(
        tmp_path, monkeypatch):
    monkeypatch.setattr(twin, "ENOUGH", 0.0)
    files = [tmp_path / name for name in ("one.npz", "again.npz", "other.npz")]
    for file, seed in zip(files, (4, 4, 5), strict=True):
        assert twin.main([*SHORT, "--seed", str(seed), "--output", str(file)]) == 0
    one, again, other = (file.read_bytes() for file in files)
    assert one == again != other and sorted(tmp_path.iterdir()) == sorted(files)
    weights, about = load_model().read_weights(files[0])
    assert about == {"revision": "twin, seed 4", "task": twin.TASK}
    with np.load(files[0], allow_pickle=False) as file:
        told = json.loads(str(file["about"]))
        assert all((file[name] == weight).all() for name, weight in weights.items())
    assert told["transformers_difference"] < 1e-4
    assert told["held_out"]["accuracy"] < 0.2
    assert told["command"] == ("python train_twin.py --seed 4 --steps 4 --warmup 2 "
                               "--device cpu")


def test_it_runs_alone_and_says_what_it_could_not_compare(tmp_path):
    shutil.copy(SCRIPT, tmp_path)
    text = SCRIPT.read_text("utf-8").replace("HELD_OUT, ENOUGH = 1000, 0.99",
                                             "HELD_OUT, ENOUGH = 10, 0.0")
    (tmp_path / "train_twin.py").write_text(text, "utf-8")
    done = subprocess.run([sys.executable, "-B", "train_twin.py", *SHORT], cwd=tmp_path,
                          capture_output=True, text=True, env={
                              **os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stderr
    assert "not compared: tiny_llama.py is not beside" in done.stdout
    assert "step 4 of 4: loss 3." in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["train_twin.py", "twin.npz"]


@pytest.mark.parametrize("arguments, words", [
    (["--seed", "-1"], "--seed -1 is outside"), (["--seed", "x"], "'x'"),
    (["--steps", "0"], "1 <= warmup < steps"), (["--warmup", "0"], "1 <= warmup"),
    (["--steps", "5", "--warmup", "5"], "--warmup 5 --steps 5"),
    (["--device", "gpu"], "--device gpu"), (["--device", "meta"], "no numbers"),
    (["--device", "cuda:99"], "--device cuda:99"),
    (["--output", "."], ". is not a file"), (["--output", ""], "is not a file"),
    (["--output", "absent/twin.npz"], "no folder that can be written to"),
    (["--step", "5"], "--step"),
])
def test_bad_input_is_one_line_and_status_2(arguments, words, tmp_path, monkeypatch,
                                            capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = twin.main(arguments)
    except SystemExit as stop:
        status = stop.code
    told = capsys.readouterr()
    assert (status, told.out) == (2, "") and os.listdir(tmp_path) == []
    assert told.err.startswith("train_twin.py: ") and told.err.count("\n") == 1
    assert words in told.err


def test_an_old_file_stays_when_the_new_one_cannot_be_finished(tmp_path, monkeypatch):
    file = tmp_path / "twin.npz"
    file.write_bytes(b"older")

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(twin.os, "replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        twin.write_whole(file, b"new")
    assert file.read_bytes() == b"older" and list(tmp_path.iterdir()) == [file]


@pytest.mark.training
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_command_trains_a_twin_that_repeats(
        tmp_path, capsys, record_property, seed):
    """The whole training: two minutes a seed on an idle core."""
    file = tmp_path / "twin.npz"
    assert twin.main(["--seed", str(seed), "--output", str(file)]) == 0
    assert "held-out repeats of 12 tokens" in capsys.readouterr().out
    with np.load(file, allow_pickle=False) as trained:
        accuracy = json.loads(str(trained["about"]))["held_out"]["accuracy"]
    record_property("printed", f"seed {seed}: {accuracy:.4f} on held-out repeats")
    assert accuracy >= 0.99
