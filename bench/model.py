"""The model's prefill and decode, against two ways that it did not take.

The einsum variant calculates scores and mixtures by the article's `einsum`, without
BLAS; the concatenating variant joins new keys and values to the old ones in a new array
instead of writing into one that is there.  All of it is processor time, float32; `make
bench` gives BLAS one thread, so that waiting threads do not count.
"""

import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.report import Row

SOURCE = Path(__file__).parents[1] / "model" / "tiny_llama.py"
LARGER = {
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "vocab_size": 512,
}


@dataclass(frozen=True)
class Load:
    """What is run: a configuration, tokens at once, then tokens one by one."""

    name: str
    sizes: dict
    prompt: int
    answers: int
    repeats: int


LOADS = (
    Load("article's sizes, T = 6", {}, 6, 58, 40),
    Load("hidden 256, T = 256", LARGER, 256, 32, 10),
)


def read_model(name):
    """Return tiny_llama.py as a module of its own, whose functions may be exchanged."""
    spec = importlib.util.spec_from_file_location(name, SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def einsum_model():
    """Return the module with the article's einsum in place of grouped matmul.

    The same steps otherwise: scale, mask, softmax.
    """
    module = read_model("tiny_llama_einsum")

    def attention_weights(q, k, allowed, tap=module.pass_through):
        batch, heads, length, head_dim = q.shape
        grouped = q.reshape(batch, k.shape[1], -1, length, head_dim)
        scores = np.einsum("bkgtd,bksd->bkgts", grouped, k)
        scores = scores.reshape(batch, heads, length, -1) * head_dim**-0.5
        return module.softmax(np.where(allowed, scores, -np.inf))

    def mix_values(weights, v, tap=module.pass_through):
        grouped = weights.reshape(len(v), v.shape[1], -1, *weights.shape[2:])
        mixed = np.einsum("bkgts,bksd->bkgtd", grouped, v)
        return mixed.reshape(*weights.shape[:3], -1)

    module.attention_weights = attention_weights
    module.mix_values = mix_values
    return module


def concatenating_cache(module):
    """Return a Cache of the module that joins new to old by np.concatenate.

    What it has grown is replaced and never changed, so a copy of it grows alone.
    """

    class ConcatenatingCache(module.Cache):
        def __init__(self, model, batch, capacity, first_position=0):
            super().__init__(model, batch, capacity, first_position)
            empty = self.keys[0, :, :, :0]
            self.grown = dict.fromkeys(range(len(self.keys)), (empty, empty))

        def write(self, layer, k, v):
            keys, values = self.grown[layer]
            joined = (np.concatenate([keys, k], axis=2),
                      np.concatenate([values, v], axis=2))
            self.grown = {**self.grown, layer: joined}
            return joined

    return ConcatenatingCache


def concatenating_model():
    """Return the module with a cache that grows by np.concatenate."""
    module = read_model("tiny_llama_concatenating")
    module.Cache = concatenating_cache(module)
    return module


class Run:
    """One way to calculate one load; keeps the best times of its repeats.

    prompt_seconds  for all tokens of the prompt in one call
    answer_seconds  for one token after it
    """

    def __init__(self, module, load):
        self.module, self.load = module, load
        config = module.Config(**load.sizes)
        weights = module.draw_weights(config, seed=7)
        self.model = module.TinyLlama(config, weights, np.float32)
        length = load.prompt + load.answers
        self.token_ids = np.arange(length)[None] % config.vocab_size
        self.prompt_seconds = self.answer_seconds = float("inf")
        self.logits = None

    def repeat(self):
        """Run the prompt and the answers once more."""
        cache = self.module.Cache(self.model, 1, self.token_ids.shape[1])
        started = time.process_time()
        self.model(self.token_ids[:, : self.load.prompt], cache)
        prompted = time.process_time()
        for token_id in self.token_ids[0, self.load.prompt :]:
            self.logits = self.model(token_id[None, None], cache)
        answer = (time.process_time() - prompted) / self.load.answers
        self.prompt_seconds = min(self.prompt_seconds, prompted - started)
        self.answer_seconds = min(self.answer_seconds, answer)


def measure_model():
    """Yield rows: milliseconds of the model, and how much longer each variant takes.

    Raises ValueError if a variant calculates something else.
    """
    modules = {
        "ours": read_model("tiny_llama"),
        "einsum": einsum_model(),
        "concatenating cache": concatenating_model(),
    }
    for load in LOADS:
        runs = {name: Run(module, load) for name, module in modules.items()}
        for _ in range(load.repeats):
            for run in runs.values():  # by turns: what disturbs one disturbs all
                run.repeat()
        yield from rows_of(load, runs.pop("ours"), runs)


def rows_of(load, ours, variants):
    """Yield the rows of one load."""
    yield Row("model", f"{load.name}: prefill", 1000 * ours.prompt_seconds, "ms")
    yield Row("model", f"{load.name}: decode a token", 1000 * ours.answer_seconds, "ms")
    for name, run in variants.items():
        if not np.allclose(ours.logits, run.logits, rtol=1e-4, atol=1e-4):
            raise ValueError(f"the {name} variant gives other logits")
        prompt = run.prompt_seconds / ours.prompt_seconds
        answer = run.answer_seconds / ours.answer_seconds
        yield Row("model", f"{load.name}: prefill, {name}", prompt, "× ours")
        yield Row("model", f"{load.name}: decode, {name}", answer, "× ours")
