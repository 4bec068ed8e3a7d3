"""--weights: the twin's file, what its trace says, and files that are refused."""

import io
import json
import pickle
import shutil
import zipfile
import zlib

import numpy as np
import pytest

from tests.model.loading import PATH, SOURCE, load_model
from tests.model.test_command_line import run

TWIN = PATH.with_name("twin.npz")
TOKENS = "2,12,10,18,20,21,2,12,10,18,20,21"


@pytest.fixture
def folder(tmp_path):
    """The model and the twin, as a reader has them."""
    for file in (PATH, TWIN):
        shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def arrays():
    """Everything in twin.npz by name."""
    with np.load(TWIN, allow_pickle=False) as file:
        return dict(file)


def npz(arrays):
    """Return the bytes of an npz file."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def changed_about(arrays, **changes):
    """Return the arrays with another description: None takes a key away."""
    about = json.loads(str(arrays["about"])) | changes
    kept = {key: value for key, value in about.items() if value is not None}
    return {**arrays, "about": json.dumps(kept)}


def test_the_twin_has_the_articles_sizes_and_says_how_it_was_made(llama, arrays):
    about = json.loads(str(arrays["about"]))
    assert llama.Config(**about["config"]) == llama.Config()
    assert {name: array.shape for name, array in arrays.items() if name != "about"} == (
        llama.parameter_shapes(llama.Config()))
    assert sum(array.size for array in arrays.values()) - 1 == 25_760
    assert about["held_out"]["accuracy"] >= 0.99
    assert about["held_out"]["sequences"] == 1000
    assert about["held_out"]["distinct_tokens"] == 12
    assert about["transformers_difference"] < 1e-4
    assert about["command"].startswith(f"python train_twin.py --seed {about['seed']}")
    assert set(about["versions"]) == {"python", "torch", "transformers", "numpy"}


def test_the_checks_pass_with_trained_weights_and_the_trace_says_so(folder):
    done = run(folder, "--weights", "twin.npz", "--tokens", TOKENS, "--verify",
               "--export-trace", "trace.json")
    assert done.stdout.splitlines()[-1] == b"24 of 24 checks passed"
    assert (done.returncode, done.stderr) == (0, b"")
    trace = json.loads((folder / "trace.json").read_text())
    assert trace["producer"]["arguments"] == [
        "--tokens", TOKENS, "--weights", "twin.npz", "--dtype", "float64"]
    assert (trace["format_major"], trace["format_minor"]) == (1, 2)
    model = trace["model"]
    assert model["trained"] is True and model["revision"] == "twin, seed 0"
    assert model["task"].startswith("trained to repeat")
    assert model["task"].endswith("it knows no language")


def test_the_trace_holds_the_files_weights_and_the_next_token_is_the_first(
        folder, llama, arrays):
    run(folder, "--weights", "twin.npz", "--tokens", TOKENS, "--export-trace", "t.json")
    trace = json.loads((folder / "t.json").read_text())
    for name, weight in trace["parameters"].items():
        assert weight["data"] == llama.base64.b64encode(arrays[name]).decode(), name
    probabilities = trace["tensors"]["next_token_probs"]["values"]
    assert np.argmax(probabilities) == 2 and max(probabilities) > 0.99


def test_a_file_elsewhere_is_recorded_by_its_name_alone(folder):
    (folder / "kept").mkdir()
    (folder / "twin.npz").rename(folder / "kept" / "mine.npz")
    assert run(folder, "--weights", str(folder / "kept" / "mine.npz"),
               "--export-trace", "t.json").returncode == 0
    text = (folder / "t.json").read_text()
    assert '"--weights","mine.npz"' in text and str(folder) not in text


def test_checks_see_the_trained_weights_at_the_articles_sizes_alone(llama, arrays):
    trained = {name: array for name, array in arrays.items() if name != "about"}
    used, make = [], llama.TinyLlama

    class Spy(make):
        def __init__(self, config, weights, dtype):
            super().__init__(config, weights, dtype)
            used.append((config, weights["embedding"]))

    llama.TinyLlama = Spy
    try:
        list(llama.run_checks(llama.SEED, trained))
    finally:
        llama.TinyLlama = make
    other = llama.ALL_DIFFERENT[0]
    drawn = llama.draw_weights(other, llama.SEED)["embedding"]
    for config, embedding in used:
        expected = trained["embedding"] if config == llama.Config() else drawn
        assert (embedding == expected).all()
    assert {config for config, _ in used} == {llama.Config(), other}


def spoiled_files(arrays):
    """Yield (case, bytes of the file, words of the message)."""
    gain, whole = "layers.1.attn_norm", npz(arrays)
    missing = {name: array for name, array in arrays.items() if name != gain}
    loud = arrays[gain].copy()
    loud[3] = np.inf
    objects = np.array([{"a": 1}], dtype=object)
    one = io.BytesIO()
    np.save(one, arrays[gain])
    config = json.loads(str(arrays["about"]))["config"]
    yield "an empty file", b"", "No data left in file"
    yield "a text", b"weights\n", "pickled"
    yield "a pickle", b"\x80\x04N.", "pickled"
    yield "a single array", one.getvalue(), "context manager"
    yield "a file cut short", whole[:9000], "not a zip file"
    yield "spoiled bytes", spoiled_member(whole), "CRC"
    yield "spoiled bytes, compressed", spoiled_member(TWIN.read_bytes()), "Error -3"
    yield "pickled objects", npz({**arrays, gain: objects}), "Object arrays"
    yield "no weight of a name", npz(missing), gain
    yield "no description", npz({"embedding": arrays["embedding"]}), "about"
    yield "no JSON", npz({**arrays, "about": "twin"}), "Expecting value"
    yield "a list", npz({**arrays, "about": "[]"}), "list indices"
    for key in ("config", "revision", "task"):
        yield f"no {key}", npz(changed_about(arrays, **{key: None})), key
    yield "other sizes", npz(changed_about(
        arrays, config={**config, "rope_theta": 500.0})), "'rope_theta': 500.0"
    yield "an unknown size", npz(changed_about(
        arrays, config={**config, "hidden": 32})), "'hidden'"
    yield "a transposed matrix", npz({**arrays, "layers.0.w_up": arrays[
        "layers.0.w_up"].T}), "layers.0.w_up: float32 (96, 32), not finite float32 (32"
    yield "another type", npz({**arrays, gain: arrays[gain].astype(float)}), "float64"
    yield "a number that is none", npz({**arrays, gain: loud}), f"{gain}: float32 (32,)"


def spoiled_member(content):
    """Return a zip file with some bytes of its first member changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        start = content.index(file.infolist()[0].filename.encode()) + 400
    return content[:start] + b"\xff" * 64 + content[start + 64:]


def not_refused(module, folder, arrays):
    """Yield the cases that read_weights lets pass, or ends without a line for."""
    path = folder / "spoiled.npz"
    for case, content, words in spoiled_files(arrays):
        path.write_bytes(content)
        try:
            module.read_weights(path)
        except ValueError as error:
            message = str(error)
            if (message.startswith(f"{path} holds no weights: ") and words in message
                    and "\n" not in message):
                continue
        except (AttributeError, EOFError, KeyError, TypeError, pickle.UnpicklingError,
                zipfile.BadZipFile, zlib.error):
            pass
        yield case


def test_other_files_are_refused_in_one_line(folder, arrays, llama):
    assert list(not_refused(llama, folder, arrays)) == []


MISTAKES = {
    "pickles are opened": ("allow_pickle=False", "allow_pickle=True"),
    "no look at the sizes": ("!= Config():", "== None:"),
    "no look at the shape": ('found != f"float32 {shape}" or not', "not"),
    "no look at the numbers": ("or not np.isfinite(weight).all():", "or False:"),
    "one number is enough": ("np.isfinite(weight).all()",
                             "np.isfinite(weight).any()"),
    "a broken zip ends it": ("zipfile.BadZipFile, zlib.error)", "zlib.error)"),
    "a broken member ends it": ("zipfile.BadZipFile, zlib.error)",
                                "zipfile.BadZipFile)"),
    "an empty file ends it": ("(AttributeError, EOFError,", "(AttributeError,"),
    "a missing name ends it": ("EOFError, KeyError,", "EOFError,"),
    "a single array ends it": ("KeyError, TypeError,", "KeyError,"),
    "nothing is said of the task": ('("revision", "task")', '("revision",)'),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_spoiled_file_tells_a_mistake_in_reading(mistake, folder, arrays):
    old, new = MISTAKES[mistake]
    assert SOURCE.count(old) == 1
    spoiled = load_model(SOURCE.replace(old, new))
    assert list(not_refused(spoiled, folder, arrays))


@pytest.mark.parametrize("arguments, words", [
    (["--weights", "absent.npz"], "No such file or directory: 'absent.npz'"),
    (["--weights", "."], "Is a directory"),
    (["--weights", ""], "No such file or directory: ''"),
    (["--weights", "text.txt"], "text.txt holds no weights: "),
    (["--weights", "twin.npz", "--seed", "3"], "--seed"),
    (["--seed", "7", "--weights", "twin.npz"], "not allowed with argument --seed"),
    (["--weights", "twin.npz", "--tokens", "1,32"], "token 32 is outside 0..31"),
])
def test_bad_input_is_one_line_and_status_2(folder, arguments, words):
    (folder / "text.txt").write_text("no weights\n")
    done = run(folder, *arguments, "--export-trace", "t.json")
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert message.startswith("tiny_llama.py: ") and message.count("\n") == 1
    assert words in message
    assert not (folder / "t.json").exists()
