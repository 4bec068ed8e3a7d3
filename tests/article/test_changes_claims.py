"""What "The whole computation" says that a change moves, and of the two circuits: found
again by the second decoder, and by loops over the recordings."""

import json
import shutil
import sys

import numpy as np
import pytest

from tests.article import second_decoder as second
from tests.article.conftest import RECORDINGS, ROOT, load, run_script

FOLDER = ROOT / "content" / "articles" / "whole-computation"
SENTENCE = [1, 2, 3, 1, 4, 5]
TWIN = "2,12,10,18,20,21,2,12,10,18,20,21"
LARGE = "pretrained_repeated_trace.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with nothing but what stands beside the page."""
    found = tmp_path_factory.mktemp("whole")
    for name in ("tiny_llama.py", "twin.npz"):
        shutil.copy(ROOT / "model" / name, found)
    for name in ("experiments_changes.py", "experiments_circuit.py"):
        shutil.copy(FOLDER / name, found)
    shutil.copy(RECORDINGS / "smollm2-135m-instruct-repeated.json", found / LARGE)
    run_script(found, "tiny_llama.py", "--weights", "twin.npz", "--tokens", TWIN,
               "--export-trace", "twin_trace.json")
    return found


@pytest.fixture(scope="module")
def changes(folder):
    """The module experiments_changes.py."""
    sys.modules.pop("tiny_llama", None)
    return load(folder, "experiments_changes.py", "experiments_changes")


@pytest.fixture(scope="module")
def circuit(folder):
    """The module experiments_circuit.py."""
    return load(folder, "experiments_circuit.py", "experiments_circuit")


def seen(weights, tokens=SENTENCE):
    """Return (logits [T, V], attention [layers, H, T, T]) by the second decoder."""
    logits, shares = second.decode(weights, np.array([tokens]))
    return logits[0], shares[:, 0]


def moved(before, after, axis):
    """Return in words the places along one axis at which two arrays differ, beyond
    what another order of adding up makes of equal numbers."""
    others = tuple(n for n in range(before.ndim) if n != axis)
    far = (np.abs(before - after) > 1e-13).any(axis=others)
    return ", ".join(str(place) for place in np.flatnonzero(far)) or "none"


@pytest.mark.parametrize(("matrix", "own", "following"), [
    ("wq", "wq_weights", "wq_next"), ("wk", "wk_weights", "wk_next"),
    ("wv", "wv_weights", "wv_next")])
def test_another_matrix_moves_the_rows_that_the_page_names(
        changes, matrix, own, following):
    other = changes.exchange(changes.weights, matrix)
    (_, plain), (_, changed) = seen(changes.weights), seen(other)
    assert getattr(changes, own) == moved(plain[0], changed[0], 1)
    assert getattr(changes, following) == moved(plain[1], changed[1], 1)


def test_another_token_moves_nothing_before_it(changes):
    tokens = [1, 2, 9, 1, 4, 5]
    (plain, shares), (logits, others) = seen(changes.weights), seen(
        changes.weights, tokens)
    assert changes.token_logits == moved(plain, logits, 0) == "2, 3, 4, 5"
    assert changes.token_weights == moved(shares[0], others[0], 1)
    assert (changes.token_embedding, changes.token_resid) == ("2", "2, 3, 4, 5")


def test_a_vector_turned_round_moves_what_the_mask_lets_it(changes):
    """The scores of layer 0 again, product by product."""
    q, k = (changes.plain[f"layers.0.{name}_rotated"][0] for name in "qk")
    scores = np.array([[[sum(q[h, t] * k[h // 2, s]) for s in range(6)]
                        for t in range(6)] for h in range(4)])
    allowed = np.tril(np.ones((6, 6), bool))

    def rows(sign_of_query, sign_of_key):
        turned = scores * sign_of_query[:, None] * sign_of_key[None]
        return [t for t in range(6)
                if (turned != scores)[:, t][:, allowed[t]].any() and t > 0]

    one, signs = np.ones(6), np.ones(6)
    signs[changes.POSITION] = -1
    # At (2, 2) alone both would turn; in row 2 the query turns all of its scores.
    assert changes.q_weights == ", ".join(map(str, rows(signs, one)))
    assert changes.k_weights == ", ".join(map(str, rows(one, signs)))
    assert changes.k_columns == str(changes.POSITION)
    assert (changes.v_weights, changes.v_heads) == ("none", "2, 3, 4, 5")


def test_what_a_change_moves_is_not_what_another_moves(changes):
    names = ("wq_weights", "wv_weights", "q_weights", "k_weights", "token_embedding")
    assert len({getattr(changes, name) for name in names}) == 4     # q and token: "2"


def strongest_again(trace, target_of):
    """Return (layer, head, mean weight on the target) by loops over single numbers."""
    from_trace = trace["tensors"]
    best = (-1, -1, -1.0)
    for layer in range(trace["model"]["num_hidden_layers"]):
        heads = trace["read"](from_trace[f"layers.{layer}.weights"])[0]
        for head, rows in enumerate(heads):
            found = [row[target_of(t)] for t, row in enumerate(rows)
                     if target_of(t) is not None]
            mean = sum(found) / len(found)
            if mean > best[2]:
                best = (layer, head, mean)
    return best


@pytest.mark.parametrize(("file", "name"), [("twin_trace.json", "twin"),
                                            (LARGE, "large")])
def test_the_strongest_heads_are_found_again(folder, circuit, file, name):
    trace = json.loads((folder / file).read_text("utf-8"))
    trace["read"] = circuit.read_tensor
    ids = trace["input"]["token_ids"][0]
    period = circuit.period_of(ids)

    def successor(t):
        repeats = t >= period and ids[t] == ids[t - period]
        return t - period + 1 if repeats else None

    previous = strongest_again(trace, lambda t: t - 1 if t else None)
    assert getattr(circuit, f"{name}_previous") == pytest.approx(previous)
    assert getattr(circuit, f"{name}_induction") == pytest.approx(
        strongest_again(trace, successor))


def test_the_twin_repeats_after_six_tokens(circuit):
    assert circuit.period_of([int(token) for token in TWIN.split(",")]) == 6


@pytest.mark.parametrize("script", ["experiments_changes.py", "experiments_circuit.py"])
def test_each_script_prints_what_the_page_says(folder, script):
    assert len(run_script(folder, script).splitlines()) > 8
