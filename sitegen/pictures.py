"""Pictures of large matrices: PNG with a palette, as a data: address."""

import base64
import struct
import zlib

from sitegen.lazy import numpy as np

# The ramps of 1-tokens.css: weights from 0 to 1, differences from -1 to 1.
LIGHT = ("f2f8fb d4edfe b8e1fe 9ed4fd 86c7fb 6fb9f7 5babf2 4a9deb 3a8ee2 2e80d9 2572ce "
         "1e63c1 1a55b2 1848a3 173b92 162e80 13236e").split()
DARK = ("1a1e28 1d2841 1e335a 1c3f72 184c88 0d5a9d 0568ad 0578bb 0087ca 0c96d6 05a6e5 "
        "26b6ef 47c5f6 66d4fc 8ae1fe b0edff d7f7ff").split()
LIGHT_BELOW = "342f01 4d4501 665c00 817501 9a8d25 b4a745 ccc275 e2ddb0".split()
DARK_BELOW = "f5f2d7 ded58d c5b857 a99c38 8e8112 716605 564d03 3b3502".split()
WEIGHT_PALETTES = LIGHT, DARK
SIGNED_PALETTES = LIGHT_BELOW + LIGHT[::2], DARK_BELOW + DARK[::2]


def weight_picture(weights, forbidden, palette):
    """Return a data: address of a picture with one pixel a weight.

    weights    [T, S]          0 to 1
    forbidden  [T, S] of bool  transparent, so that the hatch under it shows
    palette    17 colours as rrggbb, for 0, 1/16, … 1
    """
    return _picture(np.floor(np.clip(weights, 0, 1) * 16 + 0.5), forbidden, palette)


def signed_picture(differences, forbidden, palette):
    """Return the same for differences; 17 colours, for -1, -7/8, … 1."""
    stops = np.floor(np.clip(np.abs(differences), 0, 1) * 8 + 0.5)
    return _picture(8 + np.copysign(stops, differences), forbidden, palette)


def _picture(stops, forbidden, palette):
    pixels = np.where(forbidden, len(palette), stops).astype(np.uint8)
    png = palette_png(pixels, [*palette, "000000"], transparent=len(palette))
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def palette_png(pixels, palette, transparent):
    """Return the bytes of a PNG.  ISO/IEC 15948, colour type 3.

    pixels       [height, width] of uint8   numbers of the palette's colours
    transparent  the number of the colour that is not drawn
    """
    height, width = pixels.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), pixels], axis=1)
    opaque = b"\xff" * transparent + b"\x00"
    return b"\x89PNG\r\n\x1a\n" + b"".join([
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", bytes.fromhex("".join(palette))),
        _chunk(b"tRNS", opaque),
        _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
        _chunk(b"IEND", b""),
    ])


def _chunk(kind, content):
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(
        ">I", zlib.crc32(checked))
