"""Read what a picture's file says of itself: its kind and its size."""

import struct
import zlib

PNG, JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
# Markers that begin a frame, whatever its coding.  ITU-T T.81, B.1.
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
BARE = frozenset({0x01, *range(0xD0, 0xD9)})    # markers without a length
END = b"\xff\xd9"


def picture_size(content):
    """Return (media type, width, height in pixels) of the bytes of a PNG or JPEG file.

    Raises ValueError, saying why, where they are no whole picture of these kinds.
    """
    try:
        if content.startswith(PNG):
            return "image/png", *_png_size(content)
        if content.startswith(JPEG):
            return "image/jpeg", *_jpeg_size(content)
    except (struct.error, IndexError):
        raise ValueError("the file is cut off") from None
    raise ValueError("neither PNG nor JPEG")


def _png_size(content):
    """ISO/IEC 15948, 5.3: a chunk is its length, its kind, its data, their checksum."""
    at, size = len(PNG), None
    while True:
        length, kind = struct.unpack_from(">I4s", content, at)
        (checksum,) = struct.unpack_from(">I", content, at + 8 + length)
        if zlib.crc32(content[at + 4:at + 8 + length]) != checksum:
            raise ValueError(f"the checksum of its part {kind.decode('latin-1')!r} "
                             "is wrong")
        if kind == b"IHDR":
            size = struct.unpack_from(">II", content, at + 8)
        if kind == b"IEND":
            return size or (0, 0)
        at += 12 + length


def _jpeg_size(content):
    """ITU-T T.81, B.2: markers, each with the length of what follows it."""
    at = len(JPEG)
    while True:
        if content[at] != 0xFF:
            raise ValueError("no JPEG marker where one belongs")
        marker = content[at + 1]
        if marker in FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            if END not in content[at:]:
                raise ValueError("the file is cut off")
            return width, height
        # A marker may begin with any number of FF.
        at += 1 if marker == 0xFF else 2
        if marker != 0xFF and marker not in BARE:
            at += struct.unpack_from(">H", content, at)[0]
