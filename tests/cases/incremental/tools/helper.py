"""What print_trace.py imports."""

UNIT = 1e-9


def scaled(number, factor):
    return number * factor * UNIT
