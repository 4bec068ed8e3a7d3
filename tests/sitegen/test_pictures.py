"""The pictures of large matrices are PNG files in the colours of the style sheet."""

import base64
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from sitegen.pictures import (
    SIGNED_PALETTES,
    WEIGHT_PALETTES,
    palette_png,
    signed_picture,
    weight_picture,
)

CSS = Path(__file__).parents[2] / "static" / "css"
TOKENS = (CSS / "1-tokens.css").read_text("utf-8")


def read_png(png):
    """Return (pixels, palette, numbers of transparent colours) of a palette PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, offset = {}, 8
    while offset < len(png):
        (length,) = struct.unpack_from(">I", png, offset)
        kind = png[offset + 4:offset + 8]
        content = png[offset + 8:offset + 8 + length]
        (checksum,) = struct.unpack_from(">I", png, offset + 8 + length)
        assert zlib.crc32(kind + content) == checksum, kind
        chunks[kind] = content
        offset += 12 + length
    width, height, depth, colour_type = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert (depth, colour_type) == (8, 3)
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8)
    lines = lines.reshape(height, width + 1)
    assert not lines[:, 0].any(), "every line is unfiltered"
    colours = chunks[b"PLTE"]
    palette = [colours[i:i + 3].hex() for i in range(0, len(colours), 3)]
    clear = [i for i, opacity in enumerate(chunks[b"tRNS"]) if opacity == 0]
    return lines[:, 1:], palette, clear


def read_picture(address):
    """Return what read_png gives for a data: address."""
    head, data = address.split(",")
    assert head == "data:image/png;base64"
    return read_png(base64.b64decode(data))


def token(name):
    """Return the light and the dark colour of a variable of the style sheet."""
    return re.search(rf"--{name}: light-dark\(#(\w+), #(\w+)\)", TOKENS).groups()


def test_pixels_and_palette_come_back_from_a_png():
    pixels = np.array([[0, 1, 2], [2, 1, 0]], np.uint8)
    colours = ["ff0000", "00ff00", "0000ff"]
    shown, palette, clear = read_png(palette_png(pixels, colours, 2))
    assert (shown == pixels).all()
    assert palette == colours
    assert clear == [2]


def test_a_weight_has_the_colour_of_its_class_and_a_forbidden_one_has_none():
    weights = np.array([[1.0, 0.0], [0.554984, 0.445016]])
    forbidden = np.array([[False, True], [False, False]])
    pixels, palette, clear = read_picture(
        weight_picture(weights, forbidden, WEIGHT_PALETTES[0]))
    assert pixels.tolist() == [[16, 17], [9, 7]]
    assert clear == [17]
    assert palette[:17] == WEIGHT_PALETTES[0]


def test_a_difference_has_the_colour_of_its_side():
    differences = np.array([[-1.0, -0.53, 0.01, 0.0625, 1.0]])
    pixels, _, _ = read_picture(
        signed_picture(differences, differences > 2, SIGNED_PALETTES[0]))
    assert pixels.tolist() == [[0, 4, 8, 9, 16]]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_palettes_are_those_of_the_style_sheet(scheme):
    weights = [token(f"w{stop}")[scheme] for stop in range(17)]
    below = [token(f"sn{stop}")[scheme] for stop in range(8, 0, -1)]
    assert WEIGHT_PALETTES[scheme] == weights
    assert SIGNED_PALETTES[scheme] == below + weights[::2]
