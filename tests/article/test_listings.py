"""The article's listings and scripts, run as a reader would run them.

What the build does with them is tested elsewhere; here the printed code is compared
with a second decoder in other sizes, and each planted mistake must be noticed.
"""

import json
import re
from contextlib import chdir

import numpy as np
import pytest

from tests.article.conftest import ARTICLE, SCRIPTS, run_script
from tests.article.plain_model import shares, turn

TEXT = (ARTICLE / "index.md").read_text("utf-8")
LISTINGS = re.findall(r"^```python\n(.*?)^```", TEXT, re.S | re.M)
RUN_VALUES = sorted(set(re.findall(r"\[\[value run:(\w+)", TEXT)))

MISTAKES = {
    "strict mask": ("positions <= positions[:, None]",
                    "positions < positions[:, None]"),
    "upper triangle": ("positions <= positions[:, None]",
                       "positions >= positions[:, None]"),
    "no mask": ("np.where(allowed, ", "np.where(True, "),
    "zeros for hidden scores": ("dh**-0.5, -np.inf)", "dh**-0.5, 0.0)"),
    "no scale": ("products * dh**-0.5", "products"),
    "scale of the model": ("products * dh**-0.5", "products * D**-0.5"),
    "softmax over queries": ("weights.sum(-1, keepdims=True)",
                             "weights.sum(-2, keepdims=True)"),
    "tiled key/value heads": ("grouped = q.reshape(B, Hkv, Hq // Hkv, T, dh)",
                              "grouped = q.reshape(B, 2, 2, T, dh).swapaxes(1, 2)"),
    "weights transposed": ("bgrts,bgsd->bgrtd", "bgrst,bgsd->bgrtd"),
    "scores transposed": ("bgrtd,bgsd->bgrts", "bgrtd,bgsd->bgrst"),
    "rotation backwards": ("left * cos - right * sin, right * cos + left * sin",
                           "left * cos + right * sin, right * cos - left * sin"),
    "another base": ("10000.0 **", "1000.0 **"),
    "frequencies of whole heads": ("-np.arange(half) / half", "-np.arange(half) / 8"),
    "positions from one": ("positions = np.arange(T)", "positions = np.arange(T) + 1"),
    "neighbours as pairs": ("left, right = heads[..., :half], heads[..., half:]",
                            "left, right = heads[..., 0::2], heads[..., 1::2]"),
}


def run_listings(folder, replacements=(), count=None):
    """Run the article's listings in order, with texts replaced; return their names."""
    code = "\n".join(LISTINGS[:count])
    for old, new in replacements:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    names = {}
    with chdir(folder):
        exec(compile(code, "listings", "exec"), names)
    return names


def test_the_listings_as_printed_reproduce_the_recording(reader_folder):
    names = run_listings(reader_folder)
    assert names["weights"].shape == (1, 4, 6, 6)
    assert names["update"].shape == (1, 6, 32)
    assert 0 < names["listing_weights_gap"] < 2e-6


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_in_a_listing_is_noticed(reader_folder, mistake):
    with pytest.raises(AssertionError), np.errstate(invalid="ignore"):
        run_listings(reader_folder, [MISTAKES[mistake]])


def test_the_listings_in_sizes_that_differ_agree_with_loops(reader_folder):
    names = run_listings(reader_folder, [
        ("B, T, D = 1, 6, 32", "B, T, D = 1, 6, 20"),
        ("Hq, Hkv, dh = 4, 2, 8", "Hq, Hkv, dh = 6, 3, 10")], count=3)
    rng = np.random.default_rng(7)
    hidden = rng.normal(0, 0.1, (32, 20))[1:7]
    normed = [row / (sum(x * x for x in row) / 20 + 1e-6) ** 0.5 for row in hidden]
    wq, wk, wv = (rng.normal(0, 0.1, (20, count * 10)) for count in (6, 3, 3))
    wo = rng.normal(0, 0.1, (60, 20))

    def head(w, h, t):
        return normed[t] @ w[:, 10 * h:10 * h + 10]

    update = np.zeros((6, 20))
    for h, t in np.ndindex(6, 6):
        q = turn(head(wq, h, t), t, 10000.0)
        scores = np.array([q @ turn(head(wk, h // 2, s), s, 10000.0) / 10 ** 0.5
                           for s in range(6)])
        weights = shares(scores, t, lambda query, key: key <= query)
        assert names["weights"][0, h, t] == pytest.approx(weights, abs=1e-12)
        mixed = sum(weights[s] * head(wv, h // 2, s) for s in range(6))
        update[t] += mixed @ wo[10 * h:10 * h + 10]
    assert names["update"][0] == pytest.approx(update, abs=1e-12)


@pytest.fixture(scope="module")
def printed(reader_folder):
    """Return name -> text of every line that the scripts print."""
    lines = "".join(run_script(reader_folder, name) for name in SCRIPTS).splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def test_the_scripts_print_each_number_that_the_article_names(printed, reader_folder):
    known = {**printed, **run_listings(reader_folder)}
    missing = [name for name in RUN_VALUES if name not in known]
    assert len(RUN_VALUES) > 60
    assert missing == []


def test_both_scripts_run_the_model_that_was_recorded(reader_folder, experiments):
    recorded = json.loads((reader_folder / "trace.json").read_text("utf-8"))["tensors"]
    for name, entry in recorded.items():
        if name in experiments.demo and not name.endswith("masked_scores"):
            values = np.array(entry["values"], float)
            assert experiments.demo[name].ravel() == pytest.approx(values, abs=6e-7)
    assert len(experiments.demo) > 30


def test_numbers_of_the_seed_stand_in_the_article(printed):
    assert printed["pretrained_cache_scalars"] == "11264"
    assert printed["pretrained_bytes_float32"] == "45056"
    assert printed["pretrained_bytes_two"] == "22528"
    assert printed["demo_cache_scalars"] == "64"
    assert r"2 \times 22 \times 4 \times 64" in TEXT


def test_no_decimal_number_is_typed_by_hand():
    no_prose = (r"```.*?```", r"<svg.*?</svg>", r"\\\(.*?\\\)", r"\\\[.*?\\\]",
                r"\[\[value .*?\]\]")
    prose = re.sub("|".join(no_prose), "", TEXT, flags=re.S)
    names = prose.replace("TinyLlama-1.1B-Chat-v1.0", "").replace("TinyLlama-1.1B", "")
    assert re.findall(r"\d\.\d|\d[eE][-+]?\d|\d,\d\d\d", names) == []
