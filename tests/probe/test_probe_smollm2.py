"""SmolLM2-135M-Instruct, a trained Llama-style model, from its GGUF file."""

import json

import numpy as np
import pytest

from sitegen.traces import parse_trace
from tests.probe.scripts import ROOT, comparison, probe, smollm2_path

# Loading takes a minute, and more on a busy machine.
pytestmark = [pytest.mark.torch, pytest.mark.timeout(900)]
COMMITTED = ROOT / "probe" / "traces" / "smollm2-135m-instruct.json"
# Of a weight: rounding to 1/65535, and float32 on another processor.
SAME = 1e-4


def read_trace(path):
    """Return the Trace of a file, which has no problems."""
    trace, problems = parse_trace(path.stem, path.name, path.read_text("utf-8"))
    assert problems == []
    return trace


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    """The options that recorded the committed text."""
    prompt = json.loads(COMMITTED.read_text("utf-8"))["input"]["prompt"]
    return probe.parse_arguments([
        "--device", "cpu", "--model", str(smollm2_path()), "--prompt", prompt,
        "--output", str(tmp_path_factory.mktemp("traces"))])


@pytest.fixture(scope="module")
def loaded(options):
    """What the probe loads: it takes a minute, so it is done once."""
    return probe.load(options)


def test_the_recording_is_the_committed_one(options, loaded, monkeypatch):
    monkeypatch.setattr(probe, "load", lambda _: loaded)
    assert probe.run(options) == 0
    assert options.output.name == COMMITTED.name
    found, committed = read_trace(options.output), read_trace(COMMITTED)
    for part in ("input", "cache", "shapes"):
        assert found.data[part] == committed.data[part]
    assert found.data["model"]["files"] == committed.data["model"]["files"]
    for name in committed.data["tensors"]:
        if name.endswith(".weights"):
            gap = np.abs(found.tensor(name) - committed.tensor(name)).max()
            assert gap < SAME, name


# float32 comes first: float64 changes the model.
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numpy_calculates_the_same(dtype, loaded, capsys):
    model, tokenizer, (_, _, tokens), _ = loaded
    worst, (ours, theirs) = comparison.compare(
        model, model.state_dict(), [tokens], dtype, count=16)
    limit = comparison.LIMITS[dtype]
    with capsys.disabled():
        print(f"\nSmolLM2, NumPy against transformers in {dtype}")
        comparison.print_differences(worst, limit)
    assert max(worst.values())[0] <= limit
    assert ours == theirs, tokenizer.decode(ours)
