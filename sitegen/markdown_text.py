"""Python-Markdown, set up once: what stands between the marks becomes HTML.

A directive becomes an element <directive-N>, N its index among the scan's constructs,
around the HTML of its body; sitegen.render puts its template there.
"""

import re
import unicodedata
from xml.etree import ElementTree

import markdown
from markdown.blockprocessors import HashHeaderProcessor
from markdown.extensions import Extension
from markdown.extensions.tables import TableExtension
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block

from sitegen.scan import MARK

PLAIN_EXTENSIONS = ["abbr", "attr_list", "def_list", "footnotes", "md_in_html"]


class DirectiveBlock(Block):
    """A generic block whose argument is the directive's index."""

    ARGUMENT = True

    def on_create(self, parent):
        """Open the element that stands for the directive."""
        return ElementTree.SubElement(parent, f"directive-{self.argument}")

    def on_markdown(self):
        """Read the body as blocks: paragraphs, lists, directives in it."""
        return "block"


class Directives(BlocksExtension):
    """Registers one block for each directive's name."""

    def __init__(self, names):
        self.names = names
        super().__init__()

    def extendMarkdownBlocks(self, md, block_mgr):
        """Called by pymdownx for each Markdown instance."""
        for name in self.names:
            block = type(name, (DirectiveBlock,), {"NAME": name})
            block_mgr.register(block, self.getConfigs())


class SpacedHeader(HashHeaderProcessor):
    """'# Title' is a heading; '#Title' is text, as in CommonMark."""

    RE = re.compile(r"(?:^|\n)(?P<level>#{1,6})(?P<header>[ \t](?:\\.|[^\\])*?)#*(?:\n|$)")


class SpacedHeaders(Extension):
    """Puts SpacedHeader in the place of Python-Markdown's own."""

    def extendMarkdown(self, md):
        """Called by Python-Markdown."""
        md.parser.blockprocessors.register(SpacedHeader(md.parser), "hashheader", 70)


def new_markdown(directive_names):
    """Return a Markdown instance; call its `reset` before each `convert`."""
    return markdown.Markdown(extensions=[
        *PLAIN_EXTENSIONS, TableExtension(use_align_attribute=True), SpacedHeaders(),
        Directives(directive_names)])


def slug(text):
    """Return an id for a heading's text in any script; never empty.

    Letters, marks and digits stay, lower-case; all else becomes single hyphens.
    """
    text = unicodedata.normalize("NFC", MARK.sub(" ", text)).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" or c == "_" else " "
                   for c in text)
    return "-".join(kept.split()) or "section"


def unique(name, used):
    """Return name, or name-2, name-3 …, and remember it in `used`."""
    count, found = 1, name
    while found in used:
        count += 1
        found = f"{name}-{count}"
    used.add(found)
    return found
