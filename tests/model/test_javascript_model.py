"""The model in the page's scripts computes what tiny_llama.py computes."""

import shutil

import numpy as np
import pytest

from tests.model.javascript import LIB, LIMIT, ask, configurations, largest_of

INPUTS, LONGEST = 220, 32
SEEDS = (0, 7, 11, 2026)
SIX = [1, 2, 3, 1, 4, 5]


@pytest.fixture(scope="module")
def models(llama):
    """Return name → (config, weights), for each seed and both configurations."""
    return {f"{name}-{seed}": (config, llama.draw_weights(config, seed))
            for name, config in configurations(llama).items() for seed in SEEDS}


def chunk_sizes(rng, length):
    """Return a random way to cut a length into chunks; often it is left whole."""
    cuts = rng.random(length - 1) < rng.choice([0, 0.1, 0.5, 1])
    return np.diff([0, *(np.flatnonzero(cuts) + 1), length])


def random_call(rng, models):
    """Return one input: a model, tokens cut into chunks, a first position."""
    name = str(rng.choice(list(models)))
    batch, length = int(rng.choice([1, 1, 2])), int(rng.integers(1, LONGEST + 1))
    ids = rng.integers(models[name][0].vocab_size, size=(batch, length))
    ends = np.cumsum(chunk_sizes(rng, length))[:-1]
    return {"model": name, "first": int(rng.choice([0, 0, 7, 100])),
            "chunks": [part.tolist() for part in np.split(ids, ends, axis=1)]}


def expected_tensors(llama, models, calls):
    """Yield tiny_llama.py's tensors, by name, for each chunk of each call."""
    for call in calls:
        chunks = [np.array(chunk) for chunk in call["chunks"]]
        model = llama.TinyLlama(*models[call["model"]])
        length = sum(chunk.shape[1] for chunk in chunks)
        cache = llama.Cache(model, len(chunks[0]), length, call["first"])
        for chunk in chunks:
            yield llama.record_tensors(model, chunk, cache)


def test_random_inputs_give_the_tensors_of_the_python(llama, models, record_property):
    rng = np.random.default_rng(4)
    calls = [random_call(rng, models) for _ in range(INPUTS)]
    assert {1, 2} == {len(call["chunks"][0]) for call in calls}
    assert {call["model"] for call in calls} == set(models)
    answers = ask(models, calls)
    worst = largest_of(llama, answers, expected_tensors(llama, models, calls))
    numbers = sum(tensor.size for answer in answers
                  for tensor in answer.tensors.values())
    record_property("printed", f"JavaScript model: {INPUTS} random inputs in "
                    f"{len(answers)} calls, {numbers:,} numbers, largest difference "
                    f"{worst:.1e} of the largest value")
    assert worst <= LIMIT


# ------------------------------------------------------------ planted mistakes
MISTAKES = [
    ("pairs 2i with 2i + 1", "decoder-operations.js",
     "(_, i) => [i, i + headDim / 2]", "(_, i) => [2 * i, 2 * i + 1]"),
    ("turns backwards", "decoder-operations.js",
     "= x * c - y * s;", "= x * c + y * s;"),
    ("no gain", "decoder-operations.js", "/ root * gain.values[i];", "/ root;"),
    ("no eps", "decoder-operations.js", "start + width)) + eps);", "start + width)));"),
    ("groups tiled instead of repeated", "tensors.js",
     "Math.floor(head / groupSize)", "head % shared"),
    ("the last terms of a product are left out", "tensors.js",
     "let i = whole; i < inner", "let i = inner; i < inner"),
    ("no scale", "decoder-operations.js", "headDim ** -0.5", "1"),
    ("sees the next position", "decoder-operations.js",
     "keyPosition <= queryPosition", "keyPosition <= queryPosition + 1"),
    ("sigmoid for SiLU", "decoder-operations.js",
     "return x / (1 + Math", "return 1 / (1 + Math"),
    ("heads merged by reshape alone", "decoder-operations.js",
     "reshape(swapMiddleAxes(heads), [batch", "reshape(heads, [batch"),
    ("always the tied output matrix", "tiny-llama.js",
     "this.config.tie_word_embeddings ? transpose(embedding) : lm_head",
     "transpose(embedding)"),
    ("cache overwritten from its beginning", "cache.js",
     "this.length * headDim);", "0);"),
    ("one norm's gain for both", "tiny-llama.js",
     "weights.mlp_norm", "weights.attn_norm"),
    ("the update replaces the state", "tiny-llama.js", "add(hidden, update)", "update"),
    ("probabilities of the first position", "tiny-llama.js",
     "(item + 1) * length - 1", "item * length"),
]


@pytest.mark.parametrize(("file", "stands", "mistake"),
                         [mistake[1:] for mistake in MISTAKES],
                         ids=[mistake[0] for mistake in MISTAKES])
def test_a_mistake_is_noticed(llama, models, tmp_path, file, stands, mistake):
    lib = tmp_path / "lib"
    shutil.copytree(LIB, lib)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    text = (lib / file).read_text("utf-8")
    assert text.count(stands) == 1
    (lib / file).write_text(text.replace(stands, mistake), encoding="utf-8")
    few = {name: models[name] for name in ("article-7", "all_different-7")}
    calls = [{"model": name, "first": 0, "chunks": [[SIX[:4]], [SIX[4:]]]}
             for name in few]
    expected = expected_tensors(llama, models, calls)
    assert largest_of(llama, ask(few, calls, lib=lib), expected) > 1000 * LIMIT
