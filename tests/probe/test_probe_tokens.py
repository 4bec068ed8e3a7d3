"""Tokens are shown as their bytes and text, whatever they hold."""

import pytest

from tests.probe.scripts import probe
from tests.probe.small_models import byte_tokenizer

pytestmark = pytest.mark.torch


def labels_of(*pieces):
    """Return the labels of tokens with these bytes."""
    return probe.token_labels(list(pieces), [False] * len(pieces))


def test_a_leading_space_is_seen():
    assert labels_of(b"The", b" sea", b"  ") == ["The", "␣sea", "␣␣"]


def test_a_character_in_several_tokens_is_numbered_in_each():
    raw = "🌊".encode()
    assert labels_of(b" " + raw[:2], raw[2:3], raw[3:] + b"!") == [
        "␣🌊 1/3", "🌊 2/3", "🌊 3/3!"]


def test_controls_and_format_characters_are_named():
    assert labels_of(b"\x00", b"\n\t", b"\x7f", "\u202e".encode()) == [
        "[NUL]", "⏎⇥", "[DEL]", "[RIGHT-TO-LEFT OVERRIDE]"]


def test_bytes_that_are_no_text_are_told():
    assert labels_of(b"a\xff", b"\xf0\x9f") == ["a[0xFF]", "[0xF0][0x9F]"]


def test_markup_is_left_as_it_is():
    assert labels_of(b"</script>", b"{{ x }}") == ["</script>", "{{␣x␣}}"]


def test_a_special_token_is_known_by_its_flag():
    pieces, special = [b"<s>", b"<s>", b"\xc3", b"\xa9"], [True, False, False, False]
    assert probe.token_labels(pieces, special) == ["<s>", "<s>", "é 1/2", "é 2/2"]


@pytest.mark.parametrize("piece, byte_level, expected", [
    ("Ġriver", True, b" river"), ("Ċ", True, b"\n"), ("Ã©", True, "é".encode()),
    ("▁river", False, b" river"), ("<0xF0>", False, b"\xf0"),
    ("é", False, "é".encode()),
])
def test_a_piece_is_read_as_its_tokenizer_writes_it(piece, byte_level, expected):
    assert probe.piece_bytes(piece, byte_level) == expected


def test_every_byte_has_a_character_of_its_own():
    assert sorted(probe.ALPHABET.values()) == list(range(256))


def test_a_whole_text_keeps_its_bytes():
    tokenizer, text = byte_tokenizer(), "Zoë\n</script>\u202e🌊<|end|> \x00"
    ids = tokenizer(text)["input_ids"]
    labels, pieces, special = probe.describe_tokens(tokenizer, ids)
    assert b"".join(pieces).decode() == text
    assert [label for label, is_special in zip(labels, special, strict=True)
            if is_special] == ["<|end|>"]
    assert labels[-1] == "[NUL]"
