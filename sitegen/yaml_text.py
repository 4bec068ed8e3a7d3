"""Read YAML as front matter and directives' options use it: names, each once."""

from typing import ClassVar

import yaml


class Loader(yaml.SafeLoader):
    """YAML in which a date is text: 2026-13-45 is for the schema to refuse."""

    yaml_implicit_resolvers: ClassVar = {
        first: [(tag, pattern) for tag, pattern in resolvers
                if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


class NotYaml(ValueError):
    """Text that cannot be read; line and column count from 1 in the text given."""

    def __init__(self, message, line, column):
        super().__init__(message)
        self.line, self.column = line, column


def read_yaml(text):
    """Return (data, dotted name → (line, column)); no text is no names.

    Raises NotYaml where the text is not YAML, not 'name: value' lines, or says a name
    twice.
    """
    try:
        node = yaml.compose(text, Loader=Loader)
        data = yaml.load(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(error.problem, mark.line + 1, mark.column + 1) from None
    except yaml.reader.ReaderError as error:
        raise NotYaml("a character that is no text", *_position(text, error.position)
                      ) from None
    except (ValueError, RecursionError) as error:  # such as '!!int x' and '[[[[[…'
        raise NotYaml(str(error), 1, 1) from None
    if node is None:
        return {}, {}
    if not isinstance(data, dict):
        raise NotYaml("expected 'name: value' lines", 1, 1)
    return data, _places(node)


def _places(node):
    """Return where each name and each item stands, once where YAML repeats it."""
    places, waiting, seen = {}, [("", node)], set()
    while waiting:
        before, parent = waiting.pop()
        if id(parent) in seen:
            continue
        seen.add(id(parent))
        for name, marked, child in _children(parent):
            place = (marked.start_mark.line + 1, marked.start_mark.column + 1)
            if before + name in places:
                raise NotYaml(f"'{name}' stands twice", *place)
            places[before + name] = place
            waiting.append((f"{before}{name}.", child))
    return places


def _children(node):
    """Return (name, node that stands at its place, node of its value) of each."""
    if isinstance(node, yaml.MappingNode):
        return [(str(key.value), key, value) for key, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(str(index), item, item) for index, item in enumerate(node.value)]
    return []


def _position(text, offset):
    before = text[:offset]
    return before.count("\n") + 1, offset - before.rfind("\n")
