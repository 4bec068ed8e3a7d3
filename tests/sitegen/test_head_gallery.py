"""The head gallery as a page has it without scripts."""

import json

import numpy as np
import pytest

from sitegen.head_statistics import head_statistics
from sitegen.notation import fixed
from sitegen.sheet import shrink
from tests.pretrained_trace import parsed, pretrained_trace
from tests.site_builder import SmallSite, text_of
from tests.sitegen.test_pictures import read_png

GALLERY = "/// head-gallery | sheet\n    trace: pretrained\n///\n"
REPEATED = GALLERY.replace("pretrained\n", "pretrained\n    repeated: again\n")
IDS = [7, *range(10, 29), *range(10, 29), 9]
LAYERS, HEADS, T = 5, 6, len(IDS)


def recording(**changes):
    """Return a trace on a repeated prompt, with some of its model's values changed."""
    data = pretrained_trace(T, LAYERS, HEADS, token_ids=IDS)
    data["model"].update(changes)
    return data


@pytest.fixture
def site(tmp_path):
    """A site with two recordings, both of one model."""
    made = SmallSite(tmp_path)
    made.add("traces.toml", '[pretrained]\nfile = "content/one.json"\n'
             '[again]\nfile = "content/two.json"\n')
    for name in ("one", "two"):
        made.add(f"{name}.json", json.dumps(recording()))
    return made


def island_of(tree):
    return json.loads(tree.css_first("#trace-pretrained").text())


def test_the_sheet_is_two_files_and_the_page_loads_one_when_it_is_near(site):
    tree = site.tree(GALLERY)
    picture = tree.css_first("head-gallery img").attributes
    files = {scheme: f"data/pretrained/sheet-{scheme}.png" for scheme in
             ("light", "dark")}
    assert picture["src"] == files["light"]
    assert picture["loading"] == "lazy"
    assert picture["alt"] == ("30 small attention maps: heads 0 to 5 from left to "
                              "right, layers 0 to 4 from top to bottom")
    assert tree.css_first("head-gallery source").attributes["srcset"] == files["dark"]
    for file in files.values():
        pixels, _, _ = read_png((site.output / "a" / file).read_bytes())
        assert pixels.shape == (int(picture["height"]), int(picture["width"]))


def test_a_head_s_picture_stands_where_its_layer_and_head_say(site):
    site.tree(GALLERY)
    sheet = site.output / "a/data/pretrained/sheet-light.png"
    pixels, palette, _ = read_png(sheet.read_bytes())
    side = (pixels.shape[1] + 2) // HEADS - 2    # more heads than layers: heads across
    layer, head = 3, 4
    top, left = layer * (side + 2), head * (side + 2)
    found = pixels[top:top + side, left:left + side]
    weights = parsed(recording()).tensor(f"layers.{layer}.weights")[0, head]
    allowed = np.tril(np.ones((T, T), bool))
    small = shrink(np.where(allowed, weights, -1), side)
    expected = np.floor(small * 16 + 0.5)
    assert (found[small >= 0] == expected[small >= 0]).all()
    hatched = found[small < 0]
    assert set(hatched) == {17, 18}, "a hatch on what is not drawn"
    assert palette[17] == "c9cbce"


def test_the_table_has_a_row_for_uniform_attention_and_one_for_each_layer(site):
    tree = site.tree(REPEATED)
    rows = [[text_of(cell.html) for cell in row.css("th, td")]
            for row in tree.css(".statistics tr")]
    head, uniform, *layers = rows
    statistics = head_statistics(parsed(recording()), parsed(recording()))
    assert head[0] == "Layer"
    assert len(head) == 1 + len(statistics)
    assert uniform[1:] == [fixed(found.uniform, 2) for found in statistics]
    assert [row[0] for row in layers] == [str(layer) for layer in range(LAYERS)]
    for layer, row in enumerate(layers):
        for statistic, cell in zip(statistics, row[1:], strict=True):
            numbers = statistic.values[layer]
            if statistic.name in ("previous", "induction"):
                assert cell == f"{fixed(numbers.max(), 2)} ({numbers.argmax()})"
            else:
                assert cell == fixed(numbers.mean(), 2)


def test_the_chosen_head_is_layer_0_head_0_with_its_numbers(site):
    tree = site.tree(GALLERY)
    assert text_of(tree.css_first(".chosen-head p").html) == "Layer 0, head 0"
    for statistic in head_statistics(parsed(recording())):
        part = tree.css_first(f".chosen-head [data-part={statistic.name}]")
        assert part.text() == fixed(statistic.values[0, 0], 2)


def test_the_island_has_every_head_s_numbers_in_the_order_of_the_sheet(site):
    found = island_of(site.tree(REPEATED))["statistics"]
    exact = head_statistics(parsed(recording()), parsed(recording()))
    assert found.keys() == {statistic.name for statistic in exact}
    for statistic in exact:
        assert len(found[statistic.name]) == LAYERS * HEADS
        apart = np.abs(np.array(found[statistic.name]) - statistic.values.ravel())
        assert apart.max() <= 0.0005 + 1e-9


def test_induction_is_not_measured_in_another_model(site):
    site.add("two.json", json.dumps(recording(name="Other")))
    assert "induction" not in island_of(site.tree(REPEATED))["statistics"]


def test_without_lengths_of_values_there_is_nothing_to_switch_to(site):
    data = recording()
    data["tensors"] = {name: tensor for name, tensor in data["tensors"].items()
                       if name.endswith("weights")}
    site.add("one.json", json.dumps(data))
    tree = site.tree(GALLERY)
    assert tree.css_first("select[data-control=measure]") is None
    assert "layers.0.contributions" not in island_of(tree)["tensors"]


def test_the_origin_says_what_the_model_is(site):
    origin = site.tree(GALLERY).css_first("#sheet .origin").text()
    assert "Small-Instruct, 4-bit weights dequantised to float32" in origin


@pytest.mark.parametrize(("text", "problem"), [
    ("/// head-gallery | sheet\n///\n", "1:1: no trace is named"),
    ("/// head-gallery | sheet\n    trace: none\n///\n", "2:12: no trace 'none'"),
    (REPEATED.replace("again", "never"), "3:15: no trace 'never'"),
])
def test_a_trace_that_is_not_there_is_a_problem(site, text, problem):
    assert site.problems(text) == [problem]


def test_a_trace_without_weights_is_a_problem(site):
    data = recording()
    data["tensors"] = {"layers.0.value_norms": data["tensors"]["layers.0.value_norms"]}
    site.add("one.json", json.dumps(data))
    assert site.problems(GALLERY) == ["1:1: the trace has no weights"]


@pytest.mark.parametrize("side", [3, 7, 16, 40])
def test_a_pixel_is_the_largest_of_the_cells_that_it_covers(side):
    matrix = np.random.default_rng(3).random((2, 16, 16))
    small = shrink(matrix, side)
    for row, column in np.ndindex(side, side):
        rows = slice(row * 16 // side, -(-(row + 1) * 16 // side))
        columns = slice(column * 16 // side, -(-(column + 1) * 16 // side))
        expected = matrix[:, rows, columns].max((1, 2))
        assert (small[:, row, column] == expected).all()
