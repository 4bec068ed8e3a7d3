"""The folder that a reader of the article has: the model, its trace, the scripts."""

import importlib.util
import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
ARTICLE = ROOT / "content" / "articles" / "inside-attention"
RECORDINGS = ROOT / "probe" / "traces"
CACHE_ARTICLE = ROOT / "content" / "articles" / "kv-cache"
CACHE_SCRIPTS = ("experiments_cache", "experiments_broken", "experiments_memory")
GENERATION = ("tiny_llama.py", "--weights", "twin.npz", "--tokens",
              "2,12,10,18,20,21,2", "--chunks", "4,3", "--generate", "5",
              "--export-trace", "generation_trace.json")
SCRIPTS = ("experiments.py", "experiments_on_rows.py", "experiments_pretrained.py")


def run_script(folder, *arguments):
    """Run a script of a folder as its reader would; return standard output."""
    environment = {key: value for key, value in os.environ.items()
                   if key != "PYTHONPATH"}
    done = subprocess.run([sys.executable, "-B", *arguments], cwd=folder, text=True,
                          capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def reader_folder(tmp_path_factory):
    """A folder with nothing but what stands beside the page, the traces included."""
    folder = tmp_path_factory.mktemp("reader")
    shutil.copy(ROOT / "model" / "tiny_llama.py", folder)
    for name in SCRIPTS:
        shutil.copy(ARTICLE / name, folder)
    shutil.copy(RECORDINGS / "smollm2-135m-instruct.json",
                folder / "pretrained_trace.json")
    shutil.copy(RECORDINGS / "smollm2-135m-instruct-repeated.json",
                folder / "pretrained_repeated_trace.json")
    run_script(folder, "tiny_llama.py", "--export-trace", "trace.json")
    return folder


def load(folder, name, alias):
    """Import one file of a folder under a name of its own, from inside the folder."""
    spec = importlib.util.spec_from_file_location(alias, folder / name)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        with chdir(folder):
            spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


@pytest.fixture(scope="session")
def experiments(reader_folder):
    """The module experiments.py, with the model that it imported."""
    return load(reader_folder, "experiments.py", "article_experiments")


@pytest.fixture(scope="session")
def row_experiments(reader_folder):
    """The module experiments_on_rows.py, which has read trace.json."""
    return load(reader_folder, "experiments_on_rows.py", "article_experiments_on_rows")


@pytest.fixture(scope="session")
def pretrained(reader_folder):
    """The module experiments_pretrained.py, which has read both recordings."""
    return load(reader_folder, "experiments_pretrained.py", "article_pretrained")


@pytest.fixture(scope="session", params=["the article's sizes", "sizes that differ"])
def case(request, experiments):
    """A model, one sequence [1, T], and that sequence as a list, in two sizes."""
    tiny_llama = experiments.tiny_llama
    if request.param == "the article's sizes":
        config, seed, ids = tiny_llama.Config(), tiny_llama.SEED, [1, 2, 3, 1, 4, 5]
    else:
        config = tiny_llama.Config(
            hidden_size=20, intermediate_size=28, num_hidden_layers=3,
            num_attention_heads=6, num_key_value_heads=3, head_dim=10, vocab_size=17,
            rope_theta=500.0, rms_norm_eps=1e-5, tie_word_embeddings=False)
        seed, ids = 3, [4, 16, 0, 4, 9, 2, 2]
    model = tiny_llama.TinyLlama(config, tiny_llama.draw_weights(config, seed))
    return model, np.array([ids]), ids


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory):
    """What stands beside the page."""
    folder = tmp_path_factory.mktemp("kv-cache")
    for path in (*(ROOT / "model" / name for name in ("tiny_llama.py", "twin.npz")),
                 *(CACHE_ARTICLE / f"{name}.py" for name in CACHE_SCRIPTS),
                 ROOT / "content" / "configurations.json",
                 ROOT / "bench" / "results" / "decode.json",
                 ROOT / "probe" / "probe_pretrained.py"):
        shutil.copy(path, folder)
    shutil.copy(ROOT / "probe" / "traces" / "smollm2-135m-instruct.json",
                folder / "smollm2_trace.json")
    run_script(folder, *GENERATION)
    return folder


@pytest.fixture(scope="session")
def printed(cache_folder):
    """Return script → its module, as the article's snippets ran it."""
    sys.modules.pop("tiny_llama", None)
    return {name: load(cache_folder, f"{name}.py", name) for name in CACHE_SCRIPTS}


@pytest.fixture(scope="session")
def cache(printed):
    return printed["experiments_cache"]


@pytest.fixture(scope="session")
def broken(printed):
    return printed["experiments_broken"]


@pytest.fixture(scope="session")
def arrays():
    """The twin's arrays, as NumPy reads them."""
    with np.load(ROOT / "model" / "twin.npz", allow_pickle=False) as file:
        return {name: file[name].astype(float) for name in file.files
                if name != "about"}
