"""Each named change moves in the page's model what it moves in tiny_llama.py."""

import json

import numpy as np
import pytest

from tests.model.javascript import LIMIT, ROOT, ask, configurations, largest_of
from tests.model.python_changes import CHANGES, Place, moved_rows, run_changed

TOKENS = {"article": [1, 2, 3, 1, 4, 5], "all_different": [0, 6, 14, 24, 36, 13, 29],
          "twin": [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]}
AT, TO = 2, 9

@pytest.fixture(scope="module")
def models(llama):
    """Return name → (config, weights) of both configurations, and the trained twin."""
    trained, *_ = llama.read_weights(ROOT / "model/twin.npz")
    return {"twin": (llama.Config(), trained),
            **{name: (config, llama.draw_weights(config, 7))
               for name, config in configurations(llama).items()}}


@pytest.fixture(scope="module")
def changed(llama, models):
    """Return (configuration, change) → (JavaScript's Answer, Python's tensors)."""
    keys = [(name, change) for name in TOKENS for change in CHANGES]
    answers = ask(models, changes=[
        {"model": name, "tokens": TOKENS[name], "change": change, "at": AT,
         "to": TO} for name, change in keys])
    return {(name, change): (answer, run_changed(
        *models[name], TOKENS[name], change, Place(AT, TO)))
        for (name, change), answer in zip(keys, answers, strict=True)}


def python_rows(models, changed, name, change):
    """Return tensor name → positions that moved, None where the shape is another."""
    before = run_changed(*models[name], TOKENS[name])
    after = changed[name, change][1]
    return {tensor: moved_rows(before[tensor], after[tensor]) for tensor in after}


def javascript_rows(changed, name, change):
    """Return the same of what the page says that moved."""
    last = len(TOKENS[name]) - 1
    return {tensor: None if moved["reshaped"] else
            [-1 if tensor == "next_token_probs" and row == last else row
             for row in moved["rows"]]
            for tensor, moved in changed[name, change][0].moved.items()}


@pytest.fixture(scope="module", params=["python", "javascript"])
def rows(request, models, changed):
    """Return (configuration, change) → tensor → rows that moved, in one language."""
    if request.param == "javascript":
        return {key: javascript_rows(changed, *key) for key in changed}
    return {key: python_rows(models, changed, *key) for key in changed}


def test_the_changes_are_those_of_the_page():
    listed = json.loads((ROOT / "content/changes.json").read_text("utf-8"))
    assert [change["id"] for change in listed] == list(CHANGES)


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_moves_the_tensors_and_rows_that_its_twin_moves(
        llama, models, changed, name, change):
    answer, expected = changed[name, change]
    assert largest_of(llama, [answer], [expected]) <= LIMIT
    moved = python_rows(models, changed, name, change)
    assert any(found != [] for found in moved.values())
    assert javascript_rows(changed, name, change) == moved


def layer_of(rows, layer, kinds):
    return [rows[f"layers.{layer}.{kind}"] for kind in kinds.split()]


BEFORE_VALUES = "q k q_rotated k_rotated scores masked_scores weights"


@pytest.mark.parametrize("name", TOKENS)
class TestWhatIsTrueOfAChange:
    """In each language, for both configurations and for trained weights."""

    def test_values_leave_scores_and_weights_of_their_layer(self, rows, name):
        moved = rows[name, "another-wv"]
        everywhere = list(range(len(TOKENS[name])))
        assert layer_of(moved, 0, BEFORE_VALUES) == [[]] * 7
        assert layer_of(moved, 0, "v heads merged attn_out") == [everywhere] * 4

    @pytest.mark.parametrize("matrix", ["wq", "wk"])
    def test_queries_or_keys_move_every_row_of_weights_but_the_first(
            self, rows, name, matrix):
        moved = rows[name, f"another-{matrix}"]
        everywhere = list(range(len(TOKENS[name])))
        assert layer_of(moved, 0, f"{matrix[1]} scores") == [everywhere] * 2
        assert layer_of(moved, 0, "v weights heads resid_out") == [
            [], *[everywhere[1:]] * 3]
        assert moved["logits"] == everywhere[1:], "nothing can move position 0"

    def test_one_token_s_query_moves_one_row_and_later_layers_from_it_on(
            self, rows, name):
        moved = rows[name, "token-q"]
        of_layer = "q q_rotated scores masked_scores weights heads attn_out resid_out"
        assert layer_of(moved, 0, of_layer) == [[AT]] * 8
        assert layer_of(moved, 0, "k v k_rotated") == [[]] * 3
        from_it_on = list(range(AT, len(TOKENS[name])))
        assert layer_of(moved, 1, "weights resid_out") == [from_it_on] * 2

    def test_one_token_s_key_moves_the_rows_that_see_it(self, rows, name):
        moved = rows[name, "token-k"]
        length = len(TOKENS[name])
        assert layer_of(moved, 0, "k k_rotated") == [[AT]] * 2
        assert layer_of(moved, 0, "scores") == [list(range(length))]
        assert layer_of(moved, 0, "masked_scores weights heads resid_out") == [
            list(range(AT, length))] * 4

    def test_one_token_s_value_moves_what_reads_it_and_no_weight(self, rows, name):
        moved = rows[name, "token-v"]
        assert layer_of(moved, 0, BEFORE_VALUES) == [[]] * 7
        assert layer_of(moved, 0, "v") == [[AT]]
        assert layer_of(moved, 0, "heads") == [list(range(AT, len(TOKENS[name])))]

    def test_another_token_moves_its_row_until_attention_and_then_all_later(
            self, rows, name):
        moved = rows[name, "token"]
        later = list(range(AT, len(TOKENS[name])))
        assert moved["embedding"] == [AT]
        assert layer_of(moved, 0, "attn_norm q k v q_rotated k_rotated") == [[AT]] * 6
        assert layer_of(moved, 0, "weights heads resid_out") == [later] * 3
        assert moved["logits"] == later

    def test_one_token_s_key_moves_one_column_of_scores(self, changed, models, name):
        answer, made = changed[name, "token-k"]
        before = run_changed(*models[name], TOKENS[name])
        for tensors in (made, answer.tensors):
            apart = np.abs(tensors["layers.0.scores"] - before["layers.0.scores"])
            moved = apart.max(axis=(0, 1, 2)) > LIMIT
            assert np.flatnonzero(moved).tolist() == [AT]

    def test_reordered_weights_leave_what_adjacent_pairs_would_move(self, rows, name):
        kept = layer_of(rows[name, "pairs-matching"], 0, "scores weights v resid_out")
        assert [*kept, rows[name, "pairs-matching"]["logits"]] == [[]] * 5
        assert layer_of(rows[name, "pairs-unmatched"], 0, "scores")[0]

    def test_repeated_key_heads_reshape_keys_and_values_alone(self, rows, name):
        moved = {tensor for tensor, found in rows[name, "mha"].items() if found != []}
        assert {tensor.split(".")[-1] for tensor in moved} == {"k", "v", "k_rotated"}

    def test_the_last_layer_moves_with_every_change_but_two(self, rows, name):
        still = {change for change in CHANGES if rows[name, change]["logits"] == []}
        assert still == {"pairs-matching", "mha"}

    def test_without_the_mask_only_a_row_that_saw_all_stays(self, rows, name):
        moved = rows[name, "mask-off"]
        assert layer_of(moved, 0, "weights") == [list(range(len(TOKENS[name]) - 1))]


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("change", CHANGES)
def test_only_the_mask_breaks_the_triangle_and_the_first_row(changed, name, change):
    properties = changed[name, change][0].properties
    broken = {key for key, found in properties.items() if not found["holds"]}
    assert broken == ({"triangle", "first_row"} if change == "mask-off" else set())
    assert set(properties) == {"row_sums", "triangle", "first_row", "relative"}
