"""What three calls cost, as a snippet counts it that multiplies with NumPy."""

rows = 32 * 16 * 2 + 2 * 32 * 8 + 3 * 32 * 96 + 32 * 5
counted_cached = [2 * rows + 32 * 2 * 2, rows + 32 * 3, rows + 32 * 4]
counted_full = [2 * rows + 32 * 2 * 2, 3 * (rows + 32 * 3), 4 * (rows + 32 * 4)]
counted_bytes = [2 * 128, 3 * 128, 4 * 128]
