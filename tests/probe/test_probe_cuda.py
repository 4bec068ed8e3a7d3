"""The probe on an NVIDIA GPU: `make test-cuda`, a few minutes."""

import json

import numpy as np
import pytest
import torch

from sitegen.traces import parse_trace
from tests.probe.scripts import ROOT, probe, smollm2_path

pytestmark = [pytest.mark.torch, pytest.mark.cuda]
PROMPT = "Zoë 🌊</script>"


@pytest.fixture(scope="module", autouse=True)
def gpu():
    """There is a GPU, or these tests fail: they are only run where one is wanted."""
    assert torch.cuda.is_available(), "no CUDA GPU here"


def weights_of(data, layer):
    """Return a layer's weights in a trace."""
    trace, problems = parse_trace("t", "t", json.dumps(data))
    assert problems == []
    return trace.tensor(f"layers.{layer}.weights")


@pytest.mark.parametrize("name", ["llama", "qwen3", "gemma2", "phi3"])
def test_the_gpu_gives_what_the_processor_gives(name, folder_of, record):
    common = ("--model", folder_of(name), "--prompt", PROMPT)
    status, found, _ = record(*common, "--device", "cuda:0")
    _, expected, _ = record(*common, "--device", "cpu")
    assert status == 0
    for layer in range(3):
        gap = np.abs(weights_of(found, layer) - weights_of(expected, layer)).max()
        assert gap < 1e-4


@pytest.mark.parametrize("dtype", probe.DTYPES)
def test_every_type_keeps_its_limits(dtype, folder_of, record):
    status, trace, _ = record("--device", "cuda:0", "--dtype", dtype, "--model",
                              folder_of("llama"), "--prompt", PROMPT)
    assert status == 0
    assert {layer["device"] for layer in trace["cache"]["layers"]} == {"cuda"}


def test_the_device_is_told(folder_of, record):
    _, trace, _ = record("--device", "cuda:0", "--model", folder_of("llama"),
                         "--prompt", PROMPT)
    device = trace["environment"]["device"]
    assert device["name"] == torch.cuda.get_device_name(0)
    assert device["driver"] and device["capability"] and device["cuda"]
    assert 0 < device["peak_bytes"] < device["total_bytes"]
    assert trace["environment"]["tf32"] is False


def test_accelerate_places_a_model(folder_of, record):
    status, trace, _ = record("--device", "auto", "--model", folder_of("llama"),
                              "--prompt", PROMPT)
    assert status == 0
    assert trace["environment"]["device"]["kind"] == "cuda"


def test_a_gpu_that_is_not_there_is_named(folder_of, record):
    status, trace, told = record("--device", "cuda:99", "--model", folder_of("llama"))
    assert (status, trace) == (2, None)
    assert f"there are {torch.cuda.device_count()}" in told


def test_memory_that_runs_out_is_told(folder_of, record):
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1e-7, 0)
    try:
        status, trace, told = record("--device", "cuda:0", "--model",
                                     folder_of("llama"), "--prompt", PROMPT)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, 0)
    assert (status, trace) == (2, None)
    assert "out of memory on cuda:0" in told


@pytest.mark.parametrize("dtype", probe.DTYPES)
def test_smollm2_keeps_its_limits_and_its_picture(dtype, record):
    committed = ROOT / "probe" / "traces" / "smollm2-135m-instruct.json"
    expected = json.loads(committed.read_text("utf-8"))
    status, found, _ = record("--device", "cuda:0", "--dtype", dtype, "--model",
                              smollm2_path(), "--prompt", expected["input"]["prompt"])
    assert status == 0
    if dtype == "float32":
        for layer in range(30):
            gap = np.abs(weights_of(found, layer) - weights_of(expected, layer)).max()
            assert gap < 1e-3
