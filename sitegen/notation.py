"""How figures write numbers and labels; static/js/lib has the same rules.

tests/cases/notation.json holds both to them.
"""

import math
from decimal import ROUND_HALF_UP, Decimal

MINUS = "\u2212"
STOPS = 16           # of the weight ramp, w0 … w16
SIGNED_STOPS = 8     # on each side of the signed ramp, sn8 … s0 … sp8


def fixed(number, digits):
    """Return a number with that many decimals, halves away from zero, as toFixed does.

    A number that rounds to zero has no sign.
    """
    number = float(number)
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else f"{MINUS if number < 0 else ''}∞"
    step = Decimal(1).scaleb(-digits)
    text = str(abs(Decimal(number)).quantize(step, ROUND_HALF_UP))
    return MINUS + text if number < 0 and float(text) else text


def signed(number, digits):
    """Return a number with its sign, + or −; a number that rounds to zero has none."""
    text = fixed(number, digits)
    return text if text[0] == MINUS or not float(number) > 0 or not float(text) \
        else f"+{text}"


def weight_class(weight, root=False):
    """Return the colour class of a weight from 0 to 1: w0 … w16."""
    scaled = math.sqrt(max(weight, 0)) if root else float(weight)
    return f"w{min(max(math.floor(scaled * STOPS + 0.5), 0), STOPS)}"


def signed_class(difference):
    """Return the colour class of a difference from -1 to 1: sn8 … s0 … sp8."""
    stop = min(math.floor(abs(difference) * SIGNED_STOPS + 0.5), SIGNED_STOPS)
    side = "" if stop == 0 else "n" if difference < 0 else "p"
    return f"s{side}{stop}"


def visible(label):
    """Return a token label with its invisible characters made visible.

    Control characters become their pictures (␊); characters that turn the direction
    of text, or have no width, become their code (U+202E); a label of spaces alone
    shows them (␣), and an empty one is ∅.
    """
    if not label.strip(" "):
        return "␣" * len(label) or "∅"
    return visible_text(label)


def visible_text(text):
    """Return a text with its control and direction characters made visible."""
    return "".join(map(_visible_character, text))


def _visible_character(character):
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code in _DIRECTION or 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return f"U+{code:04X}"
    return character


# U+200C and U+200D are spared: scripts and emoji are written with them.
_DIRECTION = {0x061C, 0x200B, 0x200E, 0x200F, 0xFEFF, 0x2028, 0x2029,
              *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def ranges_of(positions):
    """Return ascending positions as ranges: "0, 2–4"; lib/ranges.js does the same."""
    ranges = []
    for position in positions:
        if ranges and ranges[-1][1] == position - 1:
            ranges[-1][1] = position
        else:
            ranges.append([position, position])
    return ", ".join(str(first) if first == last else f"{first}–{last}"
                     for first, last in ranges)


def power_of_ten(size):
    """Return a size below 1 with one digit and its power of ten, "3e−16", or "0"."""
    if size == 0:
        return "0"
    digit, _, power = f"{size:.0e}".partition("e")
    return f"{digit}e{int(power)}".replace("-", MINUS)
