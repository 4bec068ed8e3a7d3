"""One picture of all heads of all layers, for readers without scripts.

static/js/lib/sheet.js shrinks a matrix by the same rule.
"""

from sitegen.lazy import numpy as np
from sitegen.pictures import WEIGHT_PALETTES, palette_png

GAP = 2
HATCH_STEP = 6
HATCH, CLEAR = 17, 18                    # after the 17 stops of the ramp
HATCH_COLOURS = "c9cbce", "3d424b"       # --hatch of 1-tokens.css


def sheet_pictures(weights, forbidden, side):
    """Return the sheet as two PNG files, light and dark: the longer of layers and heads
    from left to right, the shorter from top to bottom.

    weights    [L, H, T, S]
    forbidden  [T, S] of bool   hatched
    side       pixels of one head's picture
    """
    small = shrink(np.where(forbidden, -1, weights), side)
    if len(weights) > weights.shape[1]:
        small = small.swapaxes(0, 1)
    hatched = np.add.outer(np.arange(side), np.arange(side)) % HATCH_STEP == 0
    stops = np.where(small < 0, np.where(hatched, HATCH, CLEAR),
                     np.floor(np.clip(small, 0, 1) * 16 + 0.5))
    room = np.pad(stops, [(0, 0), (0, 0), (0, GAP), (0, GAP)], constant_values=CLEAR)
    down, across, height, width = room.shape
    pixels = room.swapaxes(1, 2).reshape(down * height, across * width)[:-GAP, :-GAP]
    return tuple(palette_png(pixels.astype(np.uint8), [*ramp, hatch, "000000"], CLEAR)
                 for ramp, hatch in zip(WEIGHT_PALETTES, HATCH_COLOURS, strict=True))


def shrink(matrices, side):
    """Return [..., side, side]: each pixel the largest of the cells that it covers."""
    for axis in (-2, -1):
        count = matrices.shape[axis]
        edges = [(pixel * count // side, -(-(pixel + 1) * count // side))
                 for pixel in range(side)]
        matrices = np.stack([matrices.take(range(*edge), axis).max(axis)
                             for edge in edges], axis)
    return matrices
