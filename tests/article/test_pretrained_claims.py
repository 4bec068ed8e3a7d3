"""What the article says of a pretrained model: counted again in plain loops, and on
heads that were made so that the answer is known."""

import re

import numpy as np
import pytest

from tests.article.conftest import ARTICLE, ROOT

TEXT = (ARTICLE / "index.md").read_text("utf-8")
SECTION = TEXT.partition("{#pretrained}")[2]


def every_head(pretrained):
    """Yield (layer, head, rows, lengths of its values) of the recording."""
    for layer, head in np.ndindex(pretrained.probe_layers, pretrained.probe_heads):
        yield (layer, head, pretrained.probe_weights[layer, head].tolist(),
               pretrained.probe_lengths[layer, head].tolist())


def test_the_rows_that_were_read_sum_to_one_and_look_at_nothing_later(pretrained):
    for _, _, rows, _ in every_head(pretrained):
        for query, row in enumerate(rows):
            assert sum(row) == pytest.approx(1, abs=1e-6)
            assert not any(row[query + 1:])


def test_position_0_takes_what_the_article_says(pretrained):
    mass, shares, above = [], [], 0
    for _, _, rows, lengths in every_head(pretrained):
        mass.append(sum(row[0] for row in rows) / len(rows))
        above += mass[-1] > 0.5
        shares.append(sum(
            row[0] * lengths[0] / sum(w * v for w, v in zip(row, lengths, strict=True))
            for row in rows) / len(rows))
    assert pretrained.first_mean == pytest.approx(sum(mass) / len(mass))
    assert pretrained.first_contribution == pytest.approx(sum(shares) / len(shares))
    assert pretrained.most_sunk == above
    length = pretrained.probe_tokens
    uniform = sum(1 / n for n in range(1, length + 1)) / length
    assert pretrained.first_uniform == pytest.approx(uniform)
    heads = pretrained.probe_heads
    layers = [layer for layer in range(pretrained.probe_layers)
              if sum(mass[layer * heads:(layer + 1) * heads]) / heads < 1 / 3]
    assert pretrained.unsunk_layers == pretrained.named(layers)


def test_the_sentences_about_position_0_hold_for_this_recording(pretrained):
    assert pretrained.first_mean > 2 * pretrained.first_uniform, "more than its share"
    assert pretrained.first_length_median < 1, "it gives little for it"
    assert pretrained.first_contribution < pretrained.first_mean
    assert pretrained.unsunk_layers != "none"


def test_the_previous_token_head_has_the_largest_share_of_all(pretrained):
    shares = {(layer, head): sum(rows[t][t - 1] for t in range(1, len(rows)))
              / (len(rows) - 1) for layer, head, rows, _ in every_head(pretrained)}
    best = max(shares, key=shares.get)
    assert best == (pretrained.previous_layer, pretrained.previous_head)
    assert pretrained.previous_share == pytest.approx(shares[best])
    assert pretrained.previous_share > 0.5


def test_the_induction_head_reads_what_followed_the_same_token(pretrained):
    ids, period = pretrained.repeated_ids, pretrained.repeated_period
    start, _, length = pretrained.repeated_span(ids)
    again = range(start + period, start + period + length)
    assert all(ids[t] == ids[t - period] for t in again)
    assert pretrained.repeated_length == length >= period
    layer, head = pretrained.induction_layer, pretrained.induction_head
    rows = pretrained.repeated_weights[layer, head]
    share = sum(rows[t, t - period + 1] for t in again) / length
    assert pretrained.induction_share == pytest.approx(share)
    assert pretrained.induction_heads >= 1
    assert share > 0.5


def test_heads_of_one_group_read_more_alike(pretrained):
    same, other = [], []
    for layer in pretrained.probe_weights:
        for one in range(pretrained.probe_heads):
            for two in range(one):
                shared = [sum(map(min, a, b)) for a, b in zip(
                    layer[one].tolist(), layer[two].tolist(), strict=True)]
                group = pretrained.probe_group_size
                (same if one // group == two // group else other).append(
                    sum(shared) / len(shared))
    assert pretrained.same_group_overlap == pytest.approx(sum(same) / len(same))
    assert pretrained.other_group_overlap == pytest.approx(sum(other) / len(other))
    assert pretrained.same_group_overlap > pretrained.other_group_overlap


def test_the_largest_weight_is_often_not_the_largest_contribution(pretrained):
    differ = count = 0
    for _, _, rows, lengths in every_head(pretrained):
        for row in rows[1:]:
            taken = [w * v for w, v in zip(row, lengths, strict=True)]
            differ += row.index(max(row)) != taken.index(max(taken))
            count += 1
    assert pretrained.other_winner_share == pytest.approx(differ / count)
    assert pretrained.other_winner_share > 0.1, "often"


@pytest.mark.parametrize(("ids", "span"), [
    ([1, 2, 3, 1, 2, 3], (0, 3, 3)), ([9, 1, 2, 3, 1, 2, 3, 1, 2], (1, 3, 5)),
    ([5, 1, 2, 3, 4, 6, 1, 2, 3, 4, 7], (1, 5, 4)),
])
def test_the_repeated_span_is_the_longest(pretrained, ids, span):
    assert pretrained.repeated_span(ids) == span


@pytest.mark.parametrize(("layers", "words"), [
    ([], "none"), ([3], "3"), ([0, 7], "0 and 7"), ([0, 1, 7], "0, 1 and 7")])
def test_layers_are_named_in_words(pretrained, layers, words):
    assert pretrained.named(layers) == words


def test_the_model_is_called_what_it_is_and_no_tinyllama(pretrained):
    called = "SmolLM2-135M-Instruct, 4-bit weights dequantised to float32"
    assert pretrained.probe_title == pretrained.probe_repeated_title == called
    assert "No run of TinyLlama" in pretrained.probe_note
    assert "run:probe_note" in SECTION
    assert SECTION.count("run:probe_title") >= 1


def test_the_article_names_no_model_of_the_recording_by_hand():
    text = re.sub(r"\[\[value .*?\]\]", "", TEXT)
    assert "SmolLM" not in text, "a TinyLlama recording would make it wrong"


def test_the_page_s_whole_parts_are_those_that_the_article_says(pretrained):
    source = (ROOT / "sitegen" / "parts.py").read_text("utf-8")
    assert f"DEFAULT_PARTS = {pretrained.probe_parts}\n" in source
