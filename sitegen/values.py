"""Find the number that `[[value NAME FORMAT]]` names, and write it."""

import re

from markupsafe import Markup, escape

from sitegen.errors import known

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
SCIENTIFIC = re.compile(r"(-?[\d.,_]+)e([+-]?\d+)$")
TENSOR_CELL = re.compile(r"(?P<name>[\w.]+)\[(?P<index>[\d, -]+)\]$")
TENSOR_SHAPE = re.compile(r"(?P<name>[\w.]+)\.shape(?:\[(?P<axis>\d+)\])?$")


class NoSuchValue(LookupError):
    """A name that leads nowhere; `todo` lists what was known at that point."""

    def __init__(self, message, todo=""):
        super().__init__(message)
        self.todo = todo


def find_value(name, traces, run_values):
    """Return the value of 'trace-id:path' or 'run:variable'.

    traces      id → Trace
    run_values  name → number, text or flat list that the article's snippets left

    Raises NoSuchValue.
    """
    where, colon, path = name.partition(":")
    if not colon or not path:
        raise NoSuchValue(f"value '{name}' names no source",
                          "write 'trace-id:path' or 'run:variable'")
    if where == "run":
        return _variable(path, run_values)
    if where not in traces:
        raise NoSuchValue(f"no trace '{where}'", known([*traces, "run"], where))
    return _in_trace(path, traces[where])


def _variable(path, run_values):
    if path not in run_values:
        raise NoSuchValue(f"the snippets leave no value '{path}'",
                          known(run_values, path))
    return run_values[path]


def _in_trace(path, trace):
    tensors = trace.data["tensors"]
    if (found := TENSOR_CELL.match(path)) and found["name"] in tensors:
        return _cell(trace.tensor(found["name"]), found["name"], found["index"])
    if (found := TENSOR_SHAPE.match(path)) and found["name"] in tensors:
        return _shape(list(tensors[found["name"]]["shape"]), found["axis"], path)
    return _in_json(path, trace.data)


def _shape(shape, axis, path):
    if axis is None:
        return shape
    if int(axis) >= len(shape):
        raise NoSuchValue(f"'{path}': the tensor has {len(shape)} axes")
    return shape[int(axis)]


def _cell(array, name, index):
    numbers = [int(part) for part in index.split(",") if part.strip()]
    if len(numbers) != array.ndim:
        raise NoSuchValue(f"{name} has {array.ndim} axes, the index {len(numbers)}")
    try:
        return float(array[tuple(numbers)])
    except IndexError:
        raise NoSuchValue(f"{name}[{index}] is outside shape {list(array.shape)}"
                          ) from None


def _in_json(path, node):
    """Follow a dotted path with [n] indices; lists of records are found by their id."""
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif isinstance(node, list) and part.isdigit() and int(part) < len(node):
            node = node[int(part)]
        elif isinstance(node, list) and (found := _by_id(node, part)):
            node = found
        else:
            raise NoSuchValue(f"'{path}': nothing is called '{part}'",
                              known(_names(node), part))
    if isinstance(node, (dict, list)) and not _flat(node):
        raise NoSuchValue(f"'{path}' is no single value", known(_names(node)))
    return node


def _by_id(records, wanted):
    return next((r for r in records if isinstance(r, dict) and r.get("id") == wanted),
                None)


def _names(node):
    if isinstance(node, dict):
        return list(node)
    if isinstance(node, list):
        return [r["id"] for r in node if isinstance(r, dict) and "id" in r]
    return []


def _flat(node):
    return isinstance(node, list) and not any(isinstance(v, (dict, list)) for v in node)


def write_value(value, fmt):
    """Return a value as text; raises ValueError where the format does not fit it."""
    if re.search(r"\d{4}", fmt):
        raise ValueError(f"'{fmt}' is wider than 999")
    if isinstance(value, list):
        return "[" + ", ".join(format(item, fmt) for item in value) + "]"
    if isinstance(value, bool) or value is None:
        raise ValueError(f"{value!r} is not a number or a text")
    return format(value, fmt)


def typeset_value(value, text):
    """Return a written value as HTML: 3e-16 as 3 times a power of ten, a true minus."""
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, str) for part in parts):
        return escape(text)
    if found := SCIENTIFIC.match(text):
        return Markup("{}&nbsp;{}&nbsp;10<sup>{}</sup>").format(
            _minus(found[1]), TIMES, _minus(str(int(found[2]))))
    return escape(_minus(text))


def _minus(text):
    return text.replace("-", MINUS)
