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
from markdown.extensions.abbr import AbbrExtension
from markdown.extensions.attr_list import AttrListTreeprocessor
from markdown.extensions.def_list import DefListExtension
from markdown.extensions.footnotes import FootnoteExtension
from markdown.extensions.md_in_html import MarkdownInHtmlExtension
from markdown.extensions.sane_lists import SaneListExtension
from markdown.extensions.tables import TableExtension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block

from sitegen.inline_patterns import GuardedPatterns
from sitegen.lists import indent_lists
from sitegen.scan import MARK


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

    RE = re.compile(r"(?:^|\n)(?P<level>#{1,6})(?P<header>[ \t](?:\\.|[^\\])*?)#*"
                    r"(?:\n|$)")


class ListIndent(Preprocessor):
    """Lists are indented as Python-Markdown wants them."""

    def run(self, lines):
        """Called by Python-Markdown, tabs replaced by spaces."""
        return indent_lists(lines)


class Attributes(AttrListTreeprocessor):
    """{#id .class name=value}; other text in braces is text: {1, 2}, {{ name }}."""

    BASE_RE = r"\{:?[ ]*((?:[#.][^\s{}]|[\w:-]+=)[^{}\n]*)\}"
    HEADER_RE = re.compile(rf"[ ]+{BASE_RE}[ ]*$")
    BLOCK_RE = re.compile(rf"\n[ ]*{BASE_RE}[ ]*$")
    INLINE_RE = re.compile(rf"^{BASE_RE}")


class AlternativeTexts(Treeprocessor):
    """![](x) says nothing of its picture: no alt="" that would call it decoration."""

    def run(self, root):
        """Called by Python-Markdown."""
        for image in root.iter("img"):
            if not image.get("alt", "").strip():
                image.attrib.pop("alt", None)


class OurReading(Extension):
    """Puts our readings of headings, lists, attributes and pictures in their places."""

    def extendMarkdown(self, md):
        """Called by Python-Markdown."""
        md.parser.blockprocessors.register(SpacedHeader(md.parser), "hashheader", 70)
        md.preprocessors.register(ListIndent(md), "list_indent", 25)
        md.treeprocessors.register(Attributes(md), "attr_list", 8)
        md.treeprocessors.register(AlternativeTexts(md), "alternative_texts", 7)


def new_markdown(directive_names):
    """Return a Markdown instance; call its `reset` before each `convert`."""
    return markdown.Markdown(extensions=[
        AbbrExtension(), DefListExtension(), FootnoteExtension(),
        MarkdownInHtmlExtension(), SaneListExtension(),
        TableExtension(use_align_attribute=True), OurReading(),
        Directives(directive_names), GuardedPatterns()])


def slug(text):
    """Return an id for a heading's text in any script; never empty.

    Letters, marks and digits stay, lower-case; all else becomes single hyphens.
    """
    text = unicodedata.normalize("NFC", MARK.sub(" ", text)).lower()
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" or c == "_" else " "
                   for c in text)
    return "-".join(kept.split()) or "section"


def unique(name, used):
    """Return name, or name-2, name-3 …, and remember it in `used`.

    used  name → the last number that was put behind it
    """
    found = name
    while found in used:
        used[name] = used.get(name, 1) + 1
        found = f"{name}-{used[name]}"
    used[found] = 1
    return found
