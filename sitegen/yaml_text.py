"""Read YAML as front matter and directives' options use it: names, each once."""

import re
from dataclasses import dataclass, field
from typing import ClassVar

import yaml

NAME_BEGINS = re.compile(r"(?m)^(?=[^\s#}\]-])")


class Loader(yaml.SafeLoader):
    """YAML in which a date is text: 2026-13-45 is for the schema to refuse.

    Aliases are refused, since a few of them make gigabytes, and so are tags.
    """

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, pattern) for tag, pattern in resolvers
                if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}

    def compose_node(self, parent, index):
        """Return the next node; raise MarkedYAMLError where it is more than text."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag:
            raise yaml.composer.ComposerError(
                None, None, "a text that begins with '&', '*' or '!' needs quotes",
                event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node, deep=False):
        """Return a node's value; raise MarkedYAMLError for a number that is none."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(None, None, str(error),
                                                    node.start_mark) from None


class NotYaml(ValueError):
    """Text that cannot be read; line and column count from 1 in the text given."""

    def __init__(self, message, line, column):
        super().__init__(message)
        self.line, self.column = line, column


@dataclass
class Spots:
    """Where names and values stand: dotted name → (line, column), counted from 1."""

    keys: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)

    def moved(self, lines):
        """Return the same spots that many lines further down."""
        return Spots(*({name: (line + lines, column)
                        for name, (line, column) in spots.items()}
                       for spots in (self.keys, self.values)))


def read_yaml(text):
    """Return (data, Spots); no text is no names.

    Raises NotYaml where the text is not YAML, not 'name: value' lines, or says a name
    twice.
    """
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        if node is None:
            return {}, Spots()
        if not isinstance(node, yaml.MappingNode):
            raise NotYaml("expected 'name: value' lines", *_spot(node))
        spots = _spots(node)
        return loader.construct_document(node), spots
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(error.problem, mark.line + 1, mark.column + 1) from None
    except yaml.reader.ReaderError as error:
        raise NotYaml("a character that is no text", *_position(text, error.position)
                      ) from None
    except RecursionError:
        raise NotYaml("brackets in brackets, too deep", 1, None) from None


def read_what_can_be(text):
    """Return (data, Spots, errors): one NotYaml for each entry that cannot be read, and
    the data of the others."""
    try:
        return *read_yaml(text), []
    except NotYaml as error:
        whole = error
    data, spots, errors, line = {}, Spots(), [], 0
    for entry in NAME_BEGINS.split(text):
        try:
            own, found = read_yaml(entry)
            data |= own
            spots.keys |= found.moved(line).keys
            spots.values |= found.moved(line).values
        except NotYaml as error:
            errors.append(NotYaml(str(error), error.line + line, error.column))
        line += entry.count("\n")
    return data, spots, errors or [whole]


def _spots(node):
    """Return where each name and each item stands, and its value."""
    spots, waiting = Spots(), [("", node)]
    while waiting:
        before, parent = waiting.pop()
        for name, marked, child in _children(parent):
            if before + name in spots.keys:
                raise NotYaml(f"'{name}' stands twice", *_spot(marked))
            spots.keys[before + name] = _spot(marked)
            spots.values[before + name] = _spot(child)
            waiting.append((f"{before}{name}.", child))
    return spots


def _children(node):
    """Return (name, node that stands at its place, node of its value) of each."""
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), key, value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(str(index), item, item) for index, item in enumerate(node.value)]
    return []


def _spot(node):
    return node.start_mark.line + 1, node.start_mark.column + 1


def _position(text, offset):
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")
