"""The model against the equations of tests/model/reference.py, on many sizes."""

import numpy as np
import pytest

from tests.model.reference import Decoder

SMALL = {"hidden_size": 14, "intermediate_size": 10, "num_hidden_layers": 3,
         "head_dim": 6, "vocab_size": 11, "num_attention_heads": 4,
         "num_key_value_heads": 2}
SIZES = {
    "article": {},
    "all different": SMALL,
    "multi-head": SMALL | {"num_key_value_heads": 4},
    "multi-query": SMALL | {"num_key_value_heads": 1},
    "one of each": SMALL | {"num_hidden_layers": 1, "num_attention_heads": 1,
                            "num_key_value_heads": 1},
    "own output matrix": SMALL | {"tie_word_embeddings": False},
    "other base and eps": SMALL | {"rope_theta": 37.0, "rms_norm_eps": 0.05},
    "heads wider than the state": SMALL | {"hidden_size": 5, "head_dim": 12},
}
IDS = [[1, 2, 3, 1, 4], [5, 0, 5, 7, 10]]


@pytest.fixture(scope="module", params=SIZES)
def case(request, llama):
    """A model of some size, its weights, and the equations of each batch item."""
    config = llama.Config(**SIZES[request.param])
    weights = llama.draw_weights(config, seed=3)
    return (llama.TinyLlama(config, weights), weights,
            [Decoder(config, weights, row) for row in IDS])


def grid(number, *sizes):
    """Return the array of number(i, j, …)."""
    return np.array([number(*place) for place in np.ndindex(*sizes)]).reshape(sizes)


def test_logits_are_those_of_the_equations(case):
    model, _, decoders = case
    logits = model(IDS)
    for item, decoder in enumerate(decoders):
        expected = grid(decoder.logit, 5, model.config.vocab_size)
        np.testing.assert_allclose(logits[item], expected, rtol=0, atol=1e-12)


def test_every_layers_weights_are_those_of_the_equations(case, llama):
    model, _, decoders = case
    made, heads = llama.record_tensors(model, IDS), model.config.num_attention_heads
    for layer in range(model.config.num_hidden_layers):
        for item, decoder in enumerate(decoders):
            expected = grid(lambda *place, d=decoder, n=layer: d.weight(n, *place),
                            heads, 5, 5)
            np.testing.assert_allclose(made[f"layers.{layer}.weights"][item], expected,
                                       rtol=0, atol=1e-13)


def test_shifted_positions_are_those_of_the_equations(case, llama):
    model, weights, _ = case
    shifted = Decoder(model.config, weights, IDS[1], first_position=9)
    logits = model([IDS[1]], llama.Cache(model, 1, 5, first_position=9))
    expected = grid(shifted.logit, 5, model.config.vocab_size)
    np.testing.assert_allclose(logits[0], expected, rtol=0, atol=1e-12)


def test_the_models_own_reference_agrees_with_these_equations(case, llama):
    model, weights, decoders = case
    for row, decoder in zip(IDS, decoders, strict=True):
        own = llama.reference_tensors(model.config, weights, row)
        expected = grid(decoder.logit, 5, model.config.vocab_size)
        np.testing.assert_allclose(own["logits"], expected, rtol=0, atol=1e-12)
        scores = grid(lambda t, s, d=decoder: d.score(0, 0, t, s), 5, 5)
        np.testing.assert_allclose(own["layers.0.scores"][0], scores,
                                   rtol=0, atol=1e-12)
