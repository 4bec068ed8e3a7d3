"""What a cache costs: the page's scripts are held to the same cases, and the formula
to a model that counts."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from sitegen.costs import cache_bytes, multiply_adds
from tests.model.loading import load_model

FILE = Path(__file__).parents[1] / "cases" / "costs.json"
CASES = json.loads(FILE.read_text("utf-8"))
MODELS = CASES["models"]


@pytest.mark.parametrize(("model", "new", "stored", "count", "why"),
                         CASES["multiply_adds"])
def test_multiply_adds_are_those_calculated_by_hand(model, new, stored, count, why):
    assert multiply_adds(MODELS[model], new, stored) == count, why


@pytest.mark.parametrize(("model", "positions", "item_bytes", "batch", "expected"),
                         CASES["cache_bytes"])
def test_cache_bytes_are_those_calculated_by_hand(
        model, positions, item_bytes, batch, expected):
    assert cache_bytes(MODELS[model], positions, item_bytes, batch) == expected


class Counting(np.ndarray):
    """An array that counts the multiply-adds of the products it is part of."""

    count = 0

    def __matmul__(self, other):
        product = np.asarray(self) @ np.asarray(other)
        Counting.count += product.size * self.shape[-1]
        return product.view(Counting)

    def __rmatmul__(self, other):
        return np.asarray(other).view(Counting) @ self


@pytest.mark.parametrize("sizes", [(7,), (1, 1, 1), (2, 4), (3, 1, 2)])
def test_the_formulas_are_what_the_model_does(sizes):
    tiny_llama = load_model()
    config = tiny_llama.Config(hidden_size=28, intermediate_size=44,
                               num_hidden_layers=3, num_attention_heads=6,
                               num_key_value_heads=2, head_dim=10, vocab_size=37)
    model = tiny_llama.TinyLlama(config, tiny_llama.draw_weights(config, seed=1))
    model.weights = {name: weight.view(Counting)
                     for name, weight in model.weights.items()}
    cache = tiny_llama.Cache(model, 1, sum(sizes))
    cache.keys, cache.values = cache.keys.view(Counting), cache.values.view(Counting)
    names, end = asdict(config), 0
    for new in sizes:
        Counting.count = 0
        model(np.arange(new)[None], cache)
        assert Counting.count == multiply_adds(names, new, end)
        end += new
        assert cache.payload_bytes() == cache_bytes(names, end, 8)
