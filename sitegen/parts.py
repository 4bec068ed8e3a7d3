"""Rows of attention as parts of n: whole numbers that sum to exactly n, packed.

A page carries a head's rows in this form; static/js/lib/parts.js reads it.  A row
becomes the floors of n times its weights, and what is left of n goes to the largest
remainders, so a row that is read back sums to one exactly and no weight has moved by
1/n.  Written are only the cells that the mask allows, which are known by position and
never by the value zero, row by row: a count below 255 as one byte, another as the
byte 255 and the count in two bytes, the low one first.  Then zlib, then base64.
"""

import base64
import zlib

from sitegen.lazy import numpy as np

ESCAPE = 255
LIMIT = 65535            # what two bytes hold
DEFAULT_PARTS = 4095


def encoding_name(parts):
    """Return what a page's trace calls rows of so many parts."""
    return f"rows-{parts}-deflate-base64"


def encode_rows(weights, allowed, parts=DEFAULT_PARTS):
    """Return rows of weights as base64 text.

    weights  [..., T, S]      each row sums to 1, forbidden cells are 0
    allowed  [T, S] of bool   True where the query may look
    parts    255 to 65535     what a row sums to
    """
    counts = whole_parts(weights, parts)[..., allowed]
    return base64.b64encode(deflated(pack_counts(counts.ravel()))).decode("ascii")


def deflated(content):
    """Return bytes as zlib packs them; Z_FILTERED takes 2 % less for weights."""
    packer = zlib.compressobj(9, strategy=zlib.Z_FILTERED)
    return packer.compress(content) + packer.flush()


def decode_rows(text, allowed, shape):
    """Return counts [*shape] of whole parts from base64 text; forbidden cells are 0.

    Raises ValueError where the text does not hold one count for each allowed cell.
    """
    numbers = unpack_counts(zlib.decompress(base64.b64decode(text, validate=True)))
    rows = np.zeros(shape, np.uint16)
    expected = rows[..., allowed].size
    if numbers.size != expected:
        raise ValueError(f"{numbers.size} counts, expected {expected} for {shape}")
    rows[..., allowed] = numbers.reshape(*shape[:-2], -1)
    return rows


def whole_parts(weights, parts):
    """Return rows of whole numbers, as near to the weights as rows that sum to `parts`
    can be: floors, then one more for each of the largest remainders.

    weights  [..., S]             each row has a sum above 0
    returns  [..., S] of uint16   each row sums to `parts`; a weight of 0 stays 0

    Raises ValueError unless parts is 255 to 65535.
    """
    if not ESCAPE <= parts <= LIMIT:
        raise ValueError(f"{parts} parts, expected {ESCAPE} to {LIMIT}")
    exact = weights / weights.sum(-1, keepdims=True) * parts
    floors = np.floor(exact)
    left = parts - floors.sum(-1, keepdims=True)
    order = np.argsort(floors - exact, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1)
    return (floors + (rank < left)).astype(np.uint16)


def pack_counts(counts):
    """Return flat counts as bytes: one byte below 255, else 255 and two bytes."""
    large = counts >= ESCAPE
    starts = np.cumsum(np.where(large, 3, 1)) - np.where(large, 3, 1)
    packed = np.zeros(counts.size + 2 * np.count_nonzero(large), np.uint8)
    packed[starts] = np.minimum(counts, ESCAPE)
    packed[starts[large] + 1] = counts[large] & 0xFF
    packed[starts[large] + 2] = counts[large] >> 8
    return packed.tobytes()


def unpack_counts(packed):
    """Return the counts in bytes of pack_counts, as [n] of uint16."""
    counts, place = [], 0
    while place < len(packed):
        count, place = packed[place], place + 1
        if count == ESCAPE:
            count = int.from_bytes(packed[place:place + 2], "little")
            place += 2
        counts.append(count)
    return np.array(counts, np.uint16)
