"""The notes, and the messages that they have to describe, read from the code."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTES = ROOT / "content" / "notes"
GUIDE = "authoring.md"
# Functions and classes that are given a message, first of their texts, and functions
# that are named after giving one back.
TOLD = {"Problem", "problem", "problems", "problems_of_address", "wrong"}
NAMED_AFTER = re.compile(r"fault|message|problems?$")
MADE = {"message", "faults", "BROKEN"}      # variables that hold messages
ELSEWHERE = {"message", "error", "fault", "why"}  # made somewhere else
NO_MESSAGE = {"AttributeError", "StopIteration"}
# Two words, or one beside a quoted name or a colon.
WORDS = re.compile(r"[A-Za-z]{2}.* [A-Za-z]|[':=].* [a-z]{2}|[a-z]{2}(: | ')", re.S)
PLAIN = {"rstrip", "removesuffix", "removeprefix", "strip", "format"}


@cache
def note(name):
    """Return the text of a note."""
    return (NOTES / name).read_text("utf-8")


def read_tree(file):
    """Return a module's syntax tree, its constants that are texts put in."""
    tree = ast.parse(file.read_text("utf-8"))
    constants = {node.targets[0].id: node.value for node in tree.body
                 if isinstance(node, ast.Assign) and texts_of(node.value)
                 and isinstance(node.value, ast.Constant)}

    class Constants(ast.NodeTransformer):
        def visit_FormattedValue(self, node):
            return constants.get(name_of(node.value), node)

    return Constants().visit(tree)


@cache
def all_messages():
    """Return every message that build.py can tell."""
    files = [ROOT / "build.py", *sorted((ROOT / "sitegen").rglob("*.py"))]
    return set().union(*(messages_of(read_tree(file)) for file in files))


def texts_of(node):
    """Return the texts that an expression can be, '…' where something varies."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return ["".join(part.value if isinstance(part, ast.Constant) else "…"
                        for part in node.values)]
    if isinstance(node, ast.IfExp):
        return texts_of(node.body) + texts_of(node.orelse)
    if isinstance(node, ast.BoolOp):
        last = texts_of(node.values[-1])
        return [text for text in last if " " in text]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = texts_of(node.left), texts_of(node.right)
        return [a + b for a in left or "…" for b in right or "…"] if left else right
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in PLAIN:
        return texts_of(node.func.value)
    return []


def first_texts(nodes):
    """Return the texts of the first of some expressions that is a text."""
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in ELSEWHERE:
            return []
        if any(found := texts_of(node)):
            return [" ".join(text.split()) for text in found if WORDS.search(text)]
    return []


def flat(nodes):
    """Yield some expressions, of tuples and lists their members."""
    for node in nodes:
        if isinstance(node, ast.ListComp):
            yield from flat([node.elt])
        elif isinstance(node, ast.Tuple | ast.List):
            yield from flat(node.elts)
        else:
            yield node


def messages_of(tree):
    """Return the messages that a module's code can tell, as a set of texts."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and NAMED_AFTER.search(node.name):
            found.update(text for inner in ast.walk(node) for part in parts_of(inner)
                         for text in first_texts(part))
        for part in told_by(node):
            found.update(first_texts(part))
    return found


def told_by(node):
    """Yield the expressions among which a statement or call has a message."""
    if isinstance(node, ast.Call) and (name_of(node.func) in TOLD or is_printed(node)):
        yield node.args
    if isinstance(node, ast.Call) and is_collected(node):
        yield flat(node.args)
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and (
            name_of(node.exc.func) not in NO_MESSAGE):
        yield node.exc.args
    if isinstance(node, ast.Yield | ast.Return) and isinstance(node.value, ast.Tuple):
        yield flat(node.value.elts)
    if isinstance(node, ast.Yield) and node.value is not None:
        yield [node.value]
    if isinstance(node, ast.Assign) and name_of(node.targets[0]) in MADE:
        yield from (flat([value]) for value in values_of(node.value))


def is_printed(call):
    """Tell whether a call prints to standard error."""
    return name_of(call.func) == "print" and any(
        keyword.arg == "file" and name_of(keyword.value) == "stderr"
        for keyword in call.keywords)


def is_collected(call):
    """Tell whether a call adds to a list of faults."""
    return name_of(call.func) == "append" and "fault" in name_of(call.func.value)


def parts_of(node):
    """Yield what a function that is named after a message can give back."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield getattr(node.value, "elts", [node.value])
    if isinstance(node, ast.Dict):
        yield from ([value] for value in node.values)


def values_of(node):
    """Return an expression, or of a dict the first of each value's members."""
    if not isinstance(node, ast.Dict):
        return [node]
    return [getattr(value, "elts", [value])[0] for value in node.values]


def name_of(node):
    """Return the last name of a dotted name, '' of another expression."""
    return getattr(node, "id", None) or getattr(node, "attr", "")
