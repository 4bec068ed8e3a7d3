"""A link to an article shows a picture: its own, or its trace's first layer."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.image_size import JPEG, PNG, picture_size
from sitegen.pictures import LIGHT, palette_png
from sitegen.share_picture import HEIGHT, PAPER, WIDTH, draw_weights
from tests.sitegen.test_pictures import read_png, token
from tests.sitegen.test_publishing import BASE, metas
from tests.synthetic_trace import add_trace, synthetic_trace

FRONT = "---\ntitle: Title\n{}\n---\n"


def png(width, height):
    return palette_png(np.zeros((height, width), np.uint8), ["000000", "ffffff"], 1)


def jpeg(width, height, before=b""):
    """Return what a JPEG file of this size has of markers, and no picture."""
    frame = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    return (b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0".ljust(14, b"\0")
            + before + b"\xff\xc2" + struct.pack(">H", len(frame) + 2) + frame
            + b"\xff\xda\x00\x02\xff\xd9")


# --------------------------------------------------------------- the article's own
@pytest.mark.parametrize(("content", "expected"), [
    (png(600, 315), ("image/png", 600, 315)),
    (jpeg(640, 400), ("image/jpeg", 640, 400)),
    (jpeg(7, 5, b"\xff\xff\xff\x01\xff\xfe\x00\x04\xff\xc0"), ("image/jpeg", 7, 5))])
def test_a_picture_tells_its_size(content, expected):
    assert picture_size(content) == expected


def without(content, kind):
    """Return a PNG without its parts of a kind."""
    kept, at = content[:8], 8
    while at < len(content):
        end = at + 12 + struct.unpack_from(">I", content, at)[0]
        kept += b"" if content[at + 4:at + 8] == kind else content[at:end]
        at = end
    return kept


NO_PICTURES = [
    (b"", "neither PNG nor JPEG"), (b"GIF89a", "neither PNG nor JPEG"),
    (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "neither PNG nor JPEG"),
    (png(600, 315)[:-1], "cut off"), (png(600, 315)[:40], "cut off"),
    (png(600, 315).replace(b"PLTE", b"PLTF"), "checksum of its part 'PLTF'"),
    (without(png(600, 315), b"IEND"), "cut off"),
    (jpeg(600, 315)[:-2], "cut off"), (b"\xff\xd8\xff", "cut off"),
    (b"\xff\xd8\xff\xe0\x00\x02xy", "no JPEG marker"),
    (png(599, 315), "599 × 315 pixels are too few"),
    (jpeg(600, 314), "600 × 314 pixels are too few"),
    (without(png(600, 315), b"IHDR"), "0 × 0 pixels are too few"),
]


@pytest.mark.parametrize(("content", "expected"), NO_PICTURES,
                         ids=range(len(NO_PICTURES)))
def test_a_file_that_is_no_picture_to_show_is_refused(site, content, expected):
    site.article("Text.\n", FRONT.format("picture: p.png"))
    site.add("articles/a/p.png", content)
    problem, = site.failure()
    assert str(problem.place).startswith("content/articles/a/index.md:3:")
    assert problem.message.startswith("picture: 'p.png': ")
    assert expected in problem.message
    assert "at least 600 × 315 pixels" in problem.todo


@given(st.sampled_from([b"", PNG, JPEG]), st.binary(max_size=60))
def test_any_bytes_are_a_picture_or_a_reason(beginning, content):
    try:
        picture_size(beginning + content)
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize("name", ["no.png", "../b/p.png", "/etc/hostname", "index.md"])
def test_a_picture_that_is_not_beside_the_article_is_refused(site, name):
    site.article("Text.\n", FRONT.format(f"picture: {name}"))
    site.add("articles/a/photo.png", png(600, 315))
    problem, = site.failure()
    assert problem.message == f"picture: no file '{name}'"
    assert "known: photo.png" in problem.todo


def test_an_article_shows_its_own_picture(site):
    add_trace(site, synthetic_trace())
    site.article("Text.\n", FRONT.format("trace: demo\npicture: my photo.jpg\n"
                                         "picture-alt: A river"))
    site.add("articles/a/my photo.jpg", jpeg(1000, 500))
    files = site.build(BASE)
    found = metas(files["a/index.html"])
    assert found["og:image"] == [f"{BASE}/a/my%20photo.jpg"]
    assert found["og:image:type"] == ["image/jpeg"]
    assert (found["og:image:width"], found["og:image:height"]) == (["1000"], ["500"])
    assert found["og:image:alt"] == ["A river"]
    assert "a/data/picture.png" not in files


def test_an_alternative_text_without_a_picture_is_refused(site):
    site.article("Text.\n", FRONT.format("picture-alt: A river"))
    assert "picture" in site.failure()[0].message


# ------------------------------------------------------------------- drawn from a trace
def test_a_trace_s_first_layer_is_drawn(site):
    add_trace(site, synthetic_trace())
    site.article("Text.\n", FRONT.format("trace: demo"))
    first, second = site.build(BASE), site.build(BASE)
    drawn = first["a/data/picture.png"]
    assert picture_size(drawn) == ("image/png", WIDTH, HEIGHT)
    assert drawn == second["a/data/picture.png"]
    alt, = metas(first["a/index.html"])["og:image:alt"]
    assert "layer 0 of Synthetic: 4 heads" in alt and "6 reading positions" in alt


def test_a_file_of_the_author_s_is_not_written_over(site):
    add_trace(site, synthetic_trace())
    site.article("Text.\n", FRONT.format("trace: demo"))
    site.add("articles/a/data/picture.png", png(600, 315))
    assert site.build()["a/data/picture.png"]
    problem, = site.failure(BASE)
    assert str(problem.place) == "content/articles/a/data/picture.png"
    assert "rename the file" in problem.todo


def test_without_weights_there_is_no_picture(site):
    trace = synthetic_trace()
    del trace["tensors"]["layers.0.weights"]
    add_trace(site, trace)
    site.article("Text.\n", FRONT.format("trace: demo"))
    files = site.build(BASE)
    assert "a/data/picture.png" not in files
    assert "og:image" not in metas(files["a/index.html"])


def causal(heads, length):
    """Return (weights, forbidden) of heads, the first of which looks at itself."""
    forbidden = ~np.tril(np.ones((length, length), bool))
    weights = np.tril(np.ones((heads, length, length)))
    weights /= weights.sum(-1, keepdims=True)
    weights[0] = np.eye(length)
    return weights, forbidden


def test_each_cell_has_its_stop_of_the_ramp_and_the_future_none():
    pixels, palette, _ = read_png(draw_weights(*causal(1, 2)))
    assert palette[:17] == LIGHT
    assert palette[PAPER] == token("paper")[0]
    inside = np.argwhere(pixels != PAPER)
    (top, left), (bottom, right) = inside.min(0), inside.max(0)
    middle_y, middle_x = (top + bottom) // 2, (left + right) // 2
    assert {*pixels[top:middle_y, left:middle_x].ravel()} == {16}
    assert {*pixels[middle_y + 1:bottom, left:middle_x].ravel()} == {0}
    assert {*pixels[middle_y + 1:bottom, middle_x + 1:right].ravel()} == {16}
    future = pixels[top:middle_y, middle_x + 1:right]
    assert future.min() > 16 and len(np.unique(future)) == 2


@pytest.mark.parametrize(("heads", "length"), [(1, 1), (4, 6), (9, 30), (32, 128),
                                               (3, 700)])
def test_all_heads_are_in_the_picture_within_its_edge(heads, length):
    pixels, _, _ = read_png(draw_weights(*causal(heads, length)))
    assert pixels.shape == (HEIGHT, WIDTH)
    edge = np.concatenate([pixels[:40].ravel(), pixels[-40:].ravel(),
                           pixels[:, :40].ravel(), pixels[:, -40:].ravel()])
    assert {*edge} == {PAPER}
    columns = (pixels != PAPER).any(0).astype(int)
    rows = (pixels != PAPER).any(1).astype(int)
    across, down = ((np.diff(line) == 1).sum() for line in (columns, rows))
    assert across * down >= heads > (across * down - across)


def test_the_picture_costs_nothing_without_an_address(site, monkeypatch):
    def refused(*_):
        raise AssertionError("drawn")

    monkeypatch.setattr("sitegen.share_picture.draw_weights", refused)
    add_trace(site, synthetic_trace())
    site.article("Text.\n", FRONT.format("trace: demo"))
    site.build()
    with pytest.raises(AssertionError, match="drawn"):
        site.build(BASE)
