"""Indent lists as Python-Markdown wants them, whatever width their author chose.

Python-Markdown takes for an item's own only what is indented by four spaces a level;
authors align with the item's text instead (CommonMark 0.31, section 5.2): two spaces
under '- ', three under '1. '. It also wants a blank line before a list.
"""

import re
from itertools import groupby

ITEM = re.compile(r"(?P<marker>[-*+]|(?P<number>\d{1,9})\.)(?P<gap> +)\S")
RULE = re.compile(r"([-*_])( *\1){2,} *$")
QUOTE = re.compile(r" {0,3}> ?")
LEVEL = 4


def indent_lists(lines):
    """Return lines of Markdown in which what belongs to a list item is indented by
    four spaces a level; lists in quotes too.  Tabs must have become spaces."""
    lists = _Lists()
    for is_quote, group in groupby(lines, lambda line: bool(QUOTE.match(line))):
        if is_quote:
            inner = indent_lists([QUOTE.sub("", line, count=1) for line in group])
            lists.out += [f"> {line}" if line else ">" for line in inner]
            lists.items.clear()
        else:
            for line in group:
                lists.add(line)
    return lists.out


class _Lists:
    """The lines so far, and the columns at which the open items' texts begin."""

    def __init__(self):
        self.out, self.items = [], []
        self.first = ""             # the first line since a blank one …
        self.list_level = None      # … and its level, where it is an item
        self.code_shift = None      # how far the lines of indented code are moved

    def add(self, line):
        """Append a line, lifted to its level."""
        text = line.lstrip(" ")
        if not text:
            self.out.append(line)
            return
        indent, after_blank = len(line) - len(text), not self.out or not self.out[-1]
        item = None if RULE.match(text) else ITEM.match(text)
        in_list = bool(self.items)
        if item or after_blank:
            self.close_items(indent)
        level, own = len(self.items), indent - (self.items[-1] if self.items else 0)
        if after_blank:
            self.first = text
            self.list_level = level if item and own < LEVEL else None
        if own >= LEVEL and (after_blank or self.code_shift is not None):
            self.add_code(text, indent, level)
            return
        self.code_shift = None
        if item and own < LEVEL:
            self.open_item(item, indent, after_blank, in_list)
        lazy = not indent and not item
        self.out.append(text if lazy else " " * max(indent, LEVEL * level) + text)

    def close_items(self, indent):
        while self.items and indent < self.items[-1]:
            self.items.pop()

    def add_code(self, text, indent, level):
        """Append a line of indented code; the first one tells how far all are moved."""
        if self.code_shift is None:
            as_wanted = not level or indent == LEVEL * (level + 1)
            self.code_shift = 0 if as_wanted else LEVEL * level - self.items[-1]
        self.out.append(" " * (indent + self.code_shift) + text)

    def open_item(self, item, indent, after_blank, in_list):
        """Remember an item; under text or deeper items it needs a blank line."""
        level = len(self.items)
        is_next = self.list_level is not None and self.list_level <= level
        if not after_blank and not is_next:
            if not in_list and not _interrupts(item, self.first):
                return
            self.out.append("")
            self.list_level = level
        gap = len(item["gap"])
        self.items.append(indent + len(item["marker"]) + (gap if gap <= LEVEL else 1))


def _interrupts(item, first):
    """Tell whether an item begins a list in a paragraph, as in CommonMark."""
    return item["number"] in (None, "1") and not first.startswith("<")
