"""Run an article's snippets in order, in one namespace; the child process's program.

Standard input: JSON {"snippets": [{"id", "path", "line", "code"}]}.
The file named on the command line: an empty line as each snippet begins, then
JSON {"problem": {...} or null, "values": {name: …}}.

A comment `# [1, 6, 32]` at the end of an assignment is checked against the shape of
what the line assigns, inside functions too. Standard library only.
"""

import ast
import io
import json
import re
import sys
import tokenize
import traceback

SHAPE = re.compile(r"#\s*(\[\s*\d*(?:\s*,\s*\d+)*\s*,?\s*\])")
CHECK = "__check_shape__"
LONGEST_LIST = 1000
LONGEST_TEXT, LONGEST_INTEGER_BITS = 2000, 1000


class WrongShape(Exception):
    """A shape comment that does not hold."""


class ShapeComments(ast.NodeTransformer):
    """Put a check behind each assignment whose line ends in a shape comment."""

    def __init__(self, shapes):
        self.shapes, self.used = shapes, set()

    def visit_assigned(self, node):
        self.generic_visit(node)
        shape = self.shapes.get(node.end_lineno)
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if shape is None:
            return node
        self.used.add(node.end_lineno)
        read = ast.parse(ast.unparse(target), mode="eval").body
        check = ast.Expr(ast.Call(ast.Name(CHECK, ast.Load()), [
            read, ast.Constant(shape), ast.Constant(ast.unparse(target)),
            ast.Constant(node.end_lineno)], []))
        return [node, ast.fix_missing_locations(ast.copy_location(check, node))]

    visit_Assign = visit_AugAssign = visit_AnnAssign = visit_assigned


def check_shape(value, shape, target, line):
    """Raise WrongShape unless value (or each of a tuple's members) has the shape."""
    members = value if isinstance(value, tuple) else (value,)
    for member in members:
        found = list(getattr(member, "shape", ())) if hasattr(member, "shape") else None
        if found != json.loads(shape):
            raise WrongShape(line, f"the comment says shape {shape}, {target} has "
                             f"{found if found is not None else type(member).__name__}")


def shape_comments(code):
    """Return line → shape text for each comment that gives a shape."""
    shapes = {}
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        found = token.type == tokenize.COMMENT and SHAPE.match(token.string)
        if found and token.line[:token.start[1]].strip():
            shapes[token.start[0]] = found[1].replace(" ", "").replace(",]", "]")
    return shapes


def run_snippet(snippet, namespace):
    """Run one snippet; return None or {"line", "message"} with its own line."""
    code, name = snippet["code"], f"<snippet {snippet['id']}>"
    try:
        tree = ast.parse(code, name)
        comments = ShapeComments(shape_comments(code))
        tree = comments.visit(tree)
        unused = set(comments.shapes) - comments.used
        if unused:
            return {"line": min(unused), "message": "a shape comment stands where "
                    "nothing is assigned: put it at the end of an assignment"}
        exec(compile(tree, name, "exec"), namespace)
    except SyntaxError as error:
        return {"line": error.lineno or 1, "message": f"SyntaxError: {error.msg}"}
    except WrongShape as error:
        return {"line": error.args[0], "message": error.args[1]}
    except BaseException as error:  # whatever the author's code raises is reported
        return {"line": _line_in(error, name),
                "message": f"{type(error).__name__}: {error}".rstrip(": ")}
    return None


def _line_in(error, name):
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == name]
    return lines[-1] if lines else 1


def plain_values(namespace):
    """Return the variables that can be printed: numbers, short texts, flat lists."""
    values = {}
    for name, value in namespace.items():
        if not name.startswith("_"):
            try:
                plain = plain_value(value)
            except Exception:  # an author's object may answer anything when looked at
                continue
            if plain is not None:
                values[name] = plain
    return values


def plain_value(value):
    """Return value as JSON can hold it, or None where it is no number, text or list."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, (list, tuple)):
        items = [plain_value(item) for item in value]
        flat = all(isinstance(item, (int, float, str)) for item in items)
        return items if flat and len(items) <= LONGEST_LIST else None
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else None
    if isinstance(value, int):
        return value if value.bit_length() <= LONGEST_INTEGER_BITS else None
    return value if isinstance(value, float) else None


def main():
    sys.path[0] = ""    # the working folder, not the generator's
    job = json.load(sys.stdin)
    namespace, problem = {"__name__": "__snippets__", CHECK: check_shape}, None
    with open(sys.argv[1], "w", encoding="utf-8") as answer:
        for index, snippet in enumerate(job["snippets"]):
            print(file=answer, flush=True)
            if problem := run_snippet(snippet, namespace):
                problem["snippet"] = index
                break
        values = {} if problem else plain_values(namespace)
        json.dump({"problem": problem, "values": values}, answer)


if __name__ == "__main__":
    main()
