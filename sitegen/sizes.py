"""Counts and sizes in words; static/js/lib/sizes.js writes the same.

tests/cases/configurations.json holds both to it.
"""

from sitegen.notation import fixed

UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
STEP = 1024
WHOLE_FROM = 100        # three digits need no decimal


def grouped(number):
    """Return a whole number with its thousands apart: 131,072."""
    return f"{number:,}"


def binary_size(size_bytes):
    """Return a size in units of 1,024: '64 bytes', '1.0 GiB', '131 GiB'."""
    power = 0
    while size_bytes / STEP ** power >= STEP - 0.5 and power < len(UNITS) - 1:
        power += 1
    value = size_bytes / STEP ** power
    digits = 0 if power == 0 or value >= WHOLE_FROM - 0.05 else 1
    return f"{fixed(value, digits)} {UNITS[power]}"


def whole_size(size_bytes):
    """Return a size that is a whole number of its unit: '32 GiB'."""
    return binary_size(size_bytes).replace(".0 ", " ")


def counted(words, number):
    """Return a number with its noun, of 'one|many': '1 layer', '32 layers'."""
    one, many = words.split("|")
    return (one if number == 1 else many).format(n=grouped(number))
