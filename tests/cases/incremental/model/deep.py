"""What tool.py imports."""

DEPTH = 21
