"""--verify notices each planted mistake that changes what the model calculates."""

import warnings
from dataclasses import astuple
from functools import cache

import numpy as np
import pytest

from tests.model.loading import SOURCE, load_model
from tests.model.planted_mistakes import MISTAKES, UNCHANGED

REFERENCE = SOURCE.index("def plain_product")


@cache
def reference(sizes, token_ids):
    """Return the reference's tensors, which no planted mistake touches, made once."""
    model = load_model()
    config = model.Config(*sizes)
    weights = model.draw_weights(config, model.SEED)
    return model.reference_tensors(config, weights, token_ids)


def spoiled(old, new):
    """Return the model with one line changed; the text must stand there once."""
    assert SOURCE.count(old) == 1, f"stands {SOURCE.count(old)} times: {old}"
    assert SOURCE.index(old) < REFERENCE, f"stands in the checks: {old}"
    module = load_model(SOURCE.replace(old, new))
    module.reference_tensors = lambda config, _, token_ids: reference(
        astuple(config), tuple(token_ids))
    return module


def failed_checks(module):
    """Return the ids of the checks that fail, or the error that ends them.

    A ValueError is what the command line turns into a line and status 2.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return {check["id"] for check in module.run_checks(module.SEED)
                    if not check["passed"]}
        except ValueError as error:
            return {f"ValueError: {error}"}


@pytest.fixture(scope="module")
def noticed():
    """{id of a mistake: the checks that fail}, all of them run once."""
    return {mistake: failed_checks(spoiled(old, new))
            for mistake, _, old, new in MISTAKES}


@pytest.mark.parametrize("mistake", [mistake for mistake, *_ in MISTAKES])
def test_a_planted_mistake_is_noticed(mistake, noticed):
    assert noticed[mistake], f"{mistake} passes every check"


def test_the_number_of_noticed_mistakes_is_printed(noticed, record_property):
    count = sum(bool(failed) for failed in noticed.values())
    record_property("printed", f"{count} of {len(MISTAKES)} planted mistakes noticed "
                    f"by --verify; {len(UNCHANGED)} more change nothing")
    assert count == len(MISTAKES) >= 45


def test_every_check_is_failed_by_some_mistake(noticed, llama):
    ids = {check["id"] for check in llama.run_checks(llama.SEED)}
    assert ids - set().union(*noticed.values()) == set()


def test_ids_of_mistakes_are_distinct_and_no_change_is_planted_twice():
    planted = [*MISTAKES, *(change[:4] for change in UNCHANGED)]
    assert len({mistake for mistake, *_ in planted}) == len(planted)
    assert len({SOURCE.replace(old, new) for *_, old, new in planted}) == len(planted)


@pytest.mark.parametrize("change", UNCHANGED, ids=[change[0] for change in UNCHANGED])
def test_what_is_listed_as_no_change_calculates_the_same(change, llama):
    _, _, old, new, _ = change
    module = spoiled(old, new)
    assert failed_checks(module) == set()
    for config, ids in (llama.ARTICLE, llama.ALL_DIFFERENT):
        weights = llama.draw_weights(config, seed=5)
        expected = llama.record_tensors(llama.TinyLlama(config, weights), ids)
        found = module.record_tensors(module.TinyLlama(config, weights), ids)
        for name, tensor in expected.items():
            np.testing.assert_allclose(found[name], tensor, rtol=0, atol=1e-12)
