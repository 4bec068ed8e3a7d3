"""What cannot be run is told in one line, with status 2, and leaves no trace."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from tests.probe.scripts import ROOT, probe
from tests.probe.small_models import small_config

pytestmark = pytest.mark.torch
OLDER = '{"older": "trace"}'


@pytest.fixture
def refusal(tmp_path, capfd):
    """Return a function: arguments → the last line of standard error.

    It holds that the status is 2 and that the older trace is untouched and alone.
    """
    output = tmp_path / "out" / "trace.json"
    output.parent.mkdir()
    output.write_text(OLDER, "utf-8")

    def run(*arguments):
        command = [*map(str, arguments), "--output", str(output)]
        try:
            status = probe.main(command)
        except SystemExit as stop:
            status = stop.code
        lines = capfd.readouterr().err.splitlines()
        assert status == 2, lines
        assert output.read_text("utf-8") == OLDER
        assert list(output.parent.iterdir()) == [output]
        assert lines[-1].startswith("probe_pretrained.py: ")
        return lines[-1]

    return run


@pytest.fixture
def llama(folder_of, tmp_path):
    """A copy of the small Llama's folder, to be spoiled."""
    return shutil.copytree(folder_of("llama"), tmp_path / "llama")


@pytest.mark.parametrize("device", ["gpu", "cuda", "cuda:x", "cuda:-1", "cpu:0", ""])
def test_a_device_that_is_none(device, refusal, llama):
    assert "expected cuda:0" in refusal("--device", device, "--model", llama)


def test_a_build_without_cuda(refusal, llama, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", None)
    assert "CPU build" in refusal("--device", "cuda:0", "--model", llama)
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    assert "finds no CUDA GPU" in refusal("--device", "auto", "--model", llama)


def test_a_gpu_that_is_not_there(refusal, llama, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert "there are 2, the last is cuda:1" in refusal("--device", "cuda:99",
                                                        "--model", llama)


def test_no_metal_gpu(refusal, llama, monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert "no Metal GPU" in refusal("--device", "mps", "--model", llama)


@pytest.mark.parametrize("arguments, words", [
    ([], "--device"), (["--device", "cpu", "--dtype", "int8"], "int8"),
    (["--device", "cpu", "--max-tokens", "0"], "--max-tokens"),
    (["--device", "cpu", "--layers", "1-x"], "--layers"),
    (["--device", "cpu", "--heads", "none"], "--heads"),
    (["--device", "cpu", "--prompt", "a", "--prompt-file", "b"], "not allowed"),
])
def test_options_that_do_not_fit(arguments, words, refusal):
    assert words in refusal(*arguments)


@pytest.mark.parametrize("arguments, words", [
    (["--prompt", " \n "], "prompt is empty"),
    (["--prompt-file", "none.txt"], "prompt file cannot be read"),
    (["--prompt", "a" * 65], "65 tokens, at most 64"),
    (["--prompt", "a" * 129, "--max-tokens", "1000"], "the model has 128 positions"),
    (["--chat"], "no chat template"),
    (["--layers", "0,3"], "layer 3: the model has 3, the last is 2"),
    (["--heads", "6"], "head 6: the model has 6"),
    (["--detail", "7"], "layer 7"),
])
def test_what_the_model_cannot_do(arguments, words, refusal, llama):
    assert words in refusal("--device", "cpu", "--model", llama, *arguments)


@pytest.mark.parametrize("model", ["./none", "/none/at/all", "a/b/c", "none.gguf"])
def test_no_such_folder_or_file(model, refusal):
    assert "no such f" in refusal("--device", "cpu", "--model", model)


@pytest.mark.parametrize("pattern, words", [
    ("config.json", "no config.json"), ("model.safetensors", "no weights"),
    ("tokenizer*", "no tokenizer"),
])
def test_a_folder_that_lacks_something(pattern, words, refusal, llama):
    for file in llama.glob(pattern):
        file.unlink()
    assert words in refusal("--device", "cpu", "--model", llama)


def test_pickled_weights(refusal, llama):
    (llama / "model.safetensors").rename(llama / "pytorch_model.bin")
    assert "convert them" in refusal("--device", "cpu", "--model", llama)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_file(name, refusal, llama):
    (llama / name).write_bytes(b"{")
    assert "llama: " in refusal("--device", "cpu", "--model", llama, "--prompt", "abc")


def test_a_damaged_gguf(refusal, tmp_path):
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    assert "x.gguf: " in refusal("--device", "cpu", "--model", tmp_path / "x.gguf")


@pytest.mark.parametrize("name, words", [
    ("mamba", "no attention"), ("gpt2", "no rotary positions"),
    ("deepseek", "latent vector"), ("gpt-oss", "sinks"), ("t5", "no decoder"),
])
def test_an_architecture_that_a_trace_cannot_describe(name, words, folder_of, llama,
                                                      refusal):
    small_config(name).save_pretrained(llama)
    assert words in refusal("--device", "cpu", "--model", llama, "--prompt", "abc")


@pytest.mark.parametrize("raised, words", [
    ("You are trying to access a gated repo.", "accept its terms"),
    ("x is not a valid git identifier", "no such revision"),
    ("x is not a valid model identifier", "no such model"),
    ("the option trust_remote_code=True is needed", "is not run"),
])
def test_what_the_hub_refuses(raised, words, refusal, monkeypatch):
    def fail(*_, **__):
        raise OSError(raised)
    monkeypatch.setattr(probe.AutoConfig, "from_pretrained", fail)
    assert words in refusal("--device", "cpu", "--model", "somebody/model")


def test_a_hub_that_cannot_be_reached(tmp_path):
    environment = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9",
                   "HF_HOME": str(tmp_path), "HF_HUB_DOWNLOAD_TIMEOUT": "2"}
    done = subprocess.run(
        [sys.executable, ROOT / "probe" / "probe_pretrained.py", "--device", "cpu"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 2
    assert "the hub cannot be reached" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "pretrained_trace.json").exists()


def test_a_model_that_is_not_stored_here(refusal):
    assert "cannot be reached and the model is not stored" in refusal(
        "--device", "cpu", "--model", "nobody/none", "--offline")


def test_more_memory_than_the_device_has(refusal, llama, monkeypatch):
    monkeypatch.setattr(probe, "get_max_memory", lambda: {"cpu": 1000})
    line = refusal("--device", "cpu", "--model", llama, "--prompt", "abc")
    assert "needs about" in line and "weights" in line and "--dtype float16" in line


@pytest.mark.parametrize("error", [
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"),
    MemoryError(),
])
@pytest.mark.parametrize("where", ["full_pass", "measure_chunks"])
def test_memory_that_runs_out(error, where, refusal, llama, monkeypatch):
    def fail(*_):
        raise error
    monkeypatch.setattr(probe, where, fail)
    line = refusal("--device", "cpu", "--model", llama, "--prompt", "abc")
    assert "out of memory on cpu: take fewer tokens" in line


def test_memory_that_runs_out_while_loading(refusal, llama, monkeypatch):
    def fail(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory.")
    monkeypatch.setattr(probe.AutoModelForCausalLM, "from_pretrained", fail)
    assert "out of memory on cpu" in refusal("--device", "cpu", "--model", llama,
                                             "--prompt", "abc")


def test_a_device_map_that_falls_back_to_the_processor():
    shared = SimpleNamespace(hf_device_map={"layers.0": 0, "layers.1": "cpu",
                                            "lm_head": "disk"})
    with pytest.raises(ValueError, match="would run on the cpu and disk"):
        probe.check_placement(shared, "auto")
    with pytest.raises(ValueError, match="does not fit"):
        probe.check_placement(shared, "cuda:0")
    assert probe.check_placement(shared, "cpu") is None


def test_numbers_that_are_not_finite(refusal, llama, monkeypatch):
    def overflow(*inputs, **options):
        mixed, weights = probe_eager(*inputs, **options)
        return mixed, weights / 0
    probe_eager = probe.own_eager_attention
    monkeypatch.setattr(probe, "own_eager_attention", overflow)
    assert "layers.0.weights are not finite in float32" in refusal(
        "--device", "cpu", "--model", llama, "--prompt", "abc")


@pytest.mark.parametrize("output", ["none/trace.json", "."])
def test_a_place_that_cannot_be_written(output, llama, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "llama.json").mkdir()
    status = probe.main(["--device", "cpu", "--model", str(llama), "--output", output])
    assert status == 2
    assert "that" in capfd.readouterr().err
