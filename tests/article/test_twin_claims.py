"""What the second article says of the twin: measured again by a second decoder, and
planted mistakes in the measuring that must not go by."""

import re
import shutil
import sys
from urllib.parse import parse_qsl

import numpy as np
import pytest

from tests.article import second_decoder as second
from tests.article.conftest import ROOT, load, run_script

SCRIPT = ROOT / "content" / "articles" / "whole-computation" / "experiments_twin.py"
EVERY_HEAD = [(layer, head) for layer in range(2) for head in range(4)]
FEW = 40


def loaded(folder, text, alias):
    """Return the experiments as a module that ran in a reader's folder."""
    for name in ("tiny_llama.py", "twin.npz"):
        shutil.copy(ROOT / "model" / name, folder)
    (folder / "experiments_twin.py").write_text(text, "utf-8")
    sys.modules.pop("tiny_llama", None)
    return load(folder, "experiments_twin.py", alias)


def fewer(text):
    """Return the experiments' text with fewer sequences, for what is tried often."""
    assert text.count("twin_sequences, twin_length = 1000, 12") == 1
    return text.replace("= 1000, 12", f"= {FEW}, 12")


@pytest.fixture(scope="module")
def twin(tmp_path_factory):
    """The module experiments_twin.py, as the article has it."""
    return loaded(tmp_path_factory.mktemp("twin"), SCRIPT.read_text("utf-8"), "twin")


@pytest.fixture(scope="module")
def weights():
    """The twin's arrays, as NumPy reads them."""
    with np.load(ROOT / "model" / "twin.npz", allow_pickle=False) as file:
        return {name: file[name] for name in file.files if name != "about"}


def measured_again(weights, sequences):
    """Return {name that the article prints: the same from the second decoder}."""
    shares = second.decode(weights, sequences)[1]
    itself = second.looked_at(shares, 0, range(1, 24))
    before = second.looked_at(shares, 1, range(1, 24))
    target = second.looked_at(shares, 11, range(12, 23))
    best = np.unravel_index(before.argmax(), before.shape)
    found = {
        "twin_parameters": sum(array.size for array in weights.values()),
        "chance": 1 / len(weights["embedding"]),
        "twin_accuracy": second.accuracy(weights, sequences),
        "previous_layer": best[0], "previous_head": best[1],
        "previous_mass": before.max(), "induction_mass": target.max(),
        "without_mask": second.accuracy(weights, sequences, mask=False),
        "without_rope": second.accuracy(weights, sequences, rope=False),
        "without_previous": second.accuracy(weights, sequences, silent=[best]),
        "without_induction": second.accuracy(weights, sequences, silent=[
            head for head in EVERY_HEAD if target[head] > 0.9])}
    for layer, head in EVERY_HEAD:
        name = f"_{layer}_{head}"
        found[f"self{name}"] = itself[layer, head]
        found[f"previous{name}"] = before[layer, head]
        found[f"induction{name}"] = target[layer, head]
        found[f"without{name}"] = second.accuracy(weights, sequences,
                                                  silent=[(layer, head)])
    return found


def disagreements(module, again):
    """Yield the names whose values differ by more than float32 explains."""
    for name, value in again.items():
        accuracy = name.startswith("without") or name.endswith("accuracy")
        if abs(getattr(module, name) - value) > (5e-4 if accuracy else 2e-5):
            yield name


def test_every_number_of_the_twin_is_found_again(twin, weights, record_property):
    again = measured_again(weights, twin.held_out)
    record_property("printed", f"{len(again)} numbers of the twin measured twice, on "
                    f"{len(twin.held_out)} sequences")
    assert list(disagreements(twin, again)) == []


def test_the_sequences_are_a_thousand_and_each_is_repeated_once(twin):
    assert twin.held_out.shape == (twin.twin_sequences, 2 * twin.twin_length)
    assert (twin.twin_sequences, twin.twin_length) == (1000, 12)
    assert (twin.held_out[:, :12] == twin.held_out[:, 12:]).all()
    assert all(len(set(row[:12])) == 12 for row in twin.held_out.tolist())
    assert len({tuple(row) for row in twin.held_out.tolist()}) == 1000


def test_other_sequences_give_the_same_accuracies(twin, weights):
    rng = np.random.default_rng(99)
    first = np.array([rng.permutation(32)[:12] for _ in range(400)])
    other = np.hstack([first, first])
    assert second.accuracy(weights, other) > 0.995
    for name, changes in {"without_mask": {"mask": False},
                          "without_rope": {"rope": False},
                          "without_0_2": {"silent": [(0, 2)]}}.items():
        assert second.accuracy(weights, other, **changes) == pytest.approx(
            getattr(twin, name), abs=0.03)


def test_random_weights_guess(twin):
    drawn = twin.draw_weights(twin.Config(), twin.SEED)
    assert second.accuracy(drawn, twin.held_out) == pytest.approx(
        twin.random_accuracy, abs=5e-4)
    assert twin.random_accuracy == pytest.approx(twin.chance, abs=0.01)


def test_the_sentences_about_the_circuit_hold_for_this_twin(twin):
    assert twin.twin_accuracy >= 0.99
    assert twin.previous_layer == 0 and twin.previous_mass > 0.85
    assert {layer for layer, _ in twin.induction_pairs} == {1}
    assert len(twin.induction_pairs) == 2 and twin.induction_mass > 0.99
    assert (twin.induction_layer, twin.induction_head) in twin.induction_pairs
    assert twin.induction_heads == " and ".join(
        f"layer {layer}, head {head}" for layer, head in twin.induction_pairs)
    alone = [getattr(twin, f"without_{layer}_{head}")
             for layer, head in twin.induction_pairs]
    assert min(alone) > 0.99 > 0.5 > twin.without_induction
    assert max(twin.without_previous, twin.without_mask, twin.without_rope) < 0.5


def pattern(back, distinct=5):
    """Return weights [1, 1, 2n, 2n] wholly on the position `back` before, else on 0."""
    shares = np.zeros((1, 1, 2 * distinct, 2 * distinct))
    for t in range(2 * distinct):
        shares[0, 0, t, t - back if t >= back else 0] = 1.0
    return shares


@pytest.mark.parametrize("back, expected", [
    (0, (1, 0, 0)), (1, (0, 1, 0)), (4, (0, 1 / 9, 1)), (5, (0, 1 / 9, 0)),
    (3, (0, 1 / 9, 0))])
def test_masses_of_a_head_that_looks_at_one_place_are_one_or_none(twin, back, expected):
    found = [mass.item() for mass in twin.masses(pattern(back))]
    assert found == pytest.approx(expected)


def test_the_script_prints_what_the_article_prints(tmp_path):
    text = fewer(SCRIPT.read_text("utf-8"))
    module = loaded(tmp_path, text, "twin_of_few")
    printed = run_script(tmp_path, "experiments_twin.py").splitlines()
    for name in ("twin_accuracy", "induction_heads", "without_mask", "self_1_3"):
        assert f"{name} = {getattr(module, name)}" in printed


MISTAKES = {
    "the token at hand counts as the next": (
        "== batch[:, distinct + 1:]", "== batch[:, distinct:-1]"),
    "the first half counts too": (
        "likeliest[:, distinct:-1] == batch[:, distinct + 1:]",
        "likeliest[:, :-1] == batch[:, 1:]"),
    "the unknowable token counts": (
        "likeliest[:, distinct:-1] == batch[:, distinct + 1:]",
        "likeliest[:, distinct - 1:-1] == batch[:, distinct:]"),
    "a target one too late": ("(0, 1, distinct - 1)", "(0, 1, distinct - 2)"),
    "a target at the token itself": ("(0, 1, distinct - 1)", "(0, 1, distinct)"),
    "position 0 counts as looking at itself": ("itself[:, 1:].mean", "itself.mean"),
    "a position is silenced, no head": ("value[:, head] = 0.0",
                                        "value[:, :, head] = 0.0"),
    "every layer is silenced": ('if name == f"layers.{layer}.heads":',
                                'if name.endswith(".heads"):'),
    "weights are silenced and stay": ('.{layer}.heads":', '.{layer}.scores":'),
    "the mask stays": ('instead({"masked_scores": "scores"})',
                       'instead({"masked_scores": "masked_scores"})'),
    "only queries are not turned": ('{"q_rotated": "q", "k_rotated": "k"}',
                                    '{"q_rotated": "q"}'),
    "one of the pair is left": ("without(*induction_pairs))",
                                "without(induction_pairs[0]))"),
    "the weakest head": ("mass.argmax()", "mass.argmin()"),
    "one head's number for another": ("= numbers_of(1, 2)", "= numbers_of(1, 3)"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_noticed(mistake, tmp_path, weights):
    old, new = MISTAKES[mistake]
    text = fewer(SCRIPT.read_text("utf-8"))
    assert text.count(old) == 1
    module = loaded(tmp_path, text.replace(old, new), "spoiled_twin")
    assert list(disagreements(module, measured_again(weights, module.held_out)))


def test_the_page_s_link_shows_an_induction_head_on_its_target(twin, weights):
    """What the link names by hand is what the run finds."""
    text = SCRIPT.with_name("index.md").read_text("utf-8")
    fragment, = re.findall(r"\(#~(weights=twin&[^)]*)\)", text)
    state = dict(parse_qsl(fragment))
    tokens = [int(token) for token in state["tokens"].split("-")]
    layer, head, query, key = (int(state[name])
                               for name in ("layer", "head", "query", "key"))
    assert (layer, head) in twin.induction_pairs
    assert tokens[key - 1] == tokens[query] and key - 1 < query
    row = second.decode(weights, np.array([tokens]))[1][layer, 0, head, query]
    assert row.argmax() == key and row[key] > 0.9
    figure = re.search(r"figure-weights\n(.*?)\n\n", text, re.S)[1]
    assert f"layer: {layer}" in figure and f"head: {head}" in figure
