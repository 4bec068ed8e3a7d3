"""Run an article's snippets in order, in one namespace; the child process's program.

    python snippet_child.py JOB ANSWER

JOB is JSON [[name, code], …].  ANSWER gets an empty line as each snippet begins, then
JSON {"problem": {...} or null, "values": {name: …}}.

A comment `# [1, 6, 32]` at the end of an assignment is checked against the shape of
what the line assigns, inside functions too. Standard library only.
"""

import ast
import contextlib
import io
import json
import os
import re
import sys
import tokenize
import traceback

SHAPE = re.compile(r"#\s*(\[\s*\d*(?:\s*,\s*\d+)*\s*,?\s*\])")
CHECK = "__check_shape__"
LONGEST_LIST = 1000
LONGEST_TEXT, LONGEST_INTEGER_BITS = 2000, 1000
LONGEST_MESSAGE = 500
SURROGATE = re.compile("[\ud800-\udfff]")    # UTF-8 cannot hold one
GUESS = re.compile(r"\. Did you([^\n]+\?)\s*\Z")
WORKING = os.path.join(os.getcwd(), "")


class WrongShape(Exception):
    """A shape comment that does not hold."""


class ShapeComments(ast.NodeTransformer):
    """Put a check behind each assignment whose line ends in a shape comment."""

    def __init__(self, shapes):
        self.shapes, self.used = shapes, set()

    def visit_assigned(self, node):
        self.generic_visit(node)
        _, shape = self.shapes.get(node.end_lineno, (None, None))
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
    """Return line → (column, shape text) of each comment that gives a shape."""
    shapes = {}
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        found = token.type == tokenize.COMMENT and SHAPE.match(token.string)
        if found and token.line[:token.start[1]].strip():
            shape = found[1].replace(" ", "").replace(",]", "]")
            shapes[token.start[0]] = token.start[1] + 1, shape
    return shapes


def run_snippet(name, code, namespace):
    """Run one snippet; return None, or the problem with its own line and column."""
    name, shapes = f"<snippet {name}>", {}
    try:
        tree = ast.parse(code, name)
        shapes = shape_comments(code)
        comments = ShapeComments(shapes)
        tree = comments.visit(tree)
        if unused := shapes.keys() - comments.used:
            raise WrongShape(min(unused), "a shape comment stands where nothing is "
                             "assigned: put it at the end of an assignment")
        exec(compile(tree, name, "exec"), namespace)
    except WrongShape as error:
        line, message = error.args
        return problem(line, shapes[line][0], message)
    except BaseException as error:  # whatever the author's code raises is reported
        return raised(error, name, code.split("\n"))
    return None


def problem(line, column, message, hints=(), missing=(None, None)):
    """Return a problem as JSON can hold it.

    line, column  in the snippet, in characters from 1; the column may be None
    missing       what was not there (module, file or memory) and its name
    """
    message = " ".join(message.split())
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "…"
    return {"line": line, "column": column, "message": message, "hints": [*hints],
            "missing": missing}


def raised(error, name, lines):
    """Return the problem that an exception is, at the place where it left a snippet."""
    if isinstance(error, SyntaxError) and error.filename == name:
        line, column = error.lineno or 1, error.offset or None
        if column and error.text is None:   # the compiler's columns count bytes
            column = character(lines[line - 1], column - 1)
        return problem(line, column, f"SyntaxError: {error.msg}")
    line, start = place_in(error.__traceback__, name)
    column = None if start is None else character(lines[line - 1], start)
    kind = MemoryError if isinstance(error, MemoryError) else type(error)
    return problem(line, column, f"{kind.__name__}: {text_of(error)}".rstrip(": "),
                   hints_of(error, name), missing_in(error))


def character(line, start):
    """Return the column, from 1, of the character that begins at a byte of a line."""
    return len(line.encode()[:start].decode("utf-8", "ignore")) + 1


def text_of(error):
    """Return what an exception says; an author's own may be unable to."""
    try:
        return str(error)
    except Exception:
        return ""


def place_in(trace, name):
    """Return (line from 1, byte from 0 or None) of the last step in a snippet."""
    found = 1, None
    while trace:
        code = trace.tb_frame.f_code
        if code.co_filename == name:
            step = trace.tb_lasti // 2
            found = trace.tb_lineno, [*code.co_positions()][step][2]
        trace = trace.tb_next
    return found


def hints_of(error, name):
    """Yield what Python guesses was meant, the exception's notes, and where outside
    of the snippet it was raised."""
    if isinstance(error, (NameError, AttributeError, ImportError)):
        yield from guesses(error)
    yield from (str(note) for note in getattr(error, "__notes__", ()))
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if frame.filename.startswith(WORKING):
        yield (f"raised in {frame.filename.removeprefix(WORKING)}, line "
               f"{frame.lineno}: {frame.line}")


def guesses(error):
    """Yield "did you mean 'x'?" where Python prints such a guess: only there it is."""
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        sys.__excepthook__(type(error), error, error.__traceback__)
    if found := GUESS.search(printed.getvalue()):
        yield f"did you{found[1].replace(':', '', 1)}"


def missing_in(error):
    """Return (module, file or memory; its name) of what was not there, else Nones."""
    if isinstance(error, ModuleNotFoundError):
        return "module", error.name
    if isinstance(error, FileNotFoundError) and isinstance(error.filename, str):
        return "file", error.filename
    return ("memory" if isinstance(error, MemoryError) else None), None


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
        whole = len(value) <= LONGEST_TEXT and not SURROGATE.search(value)
        return value if whole else None
    if isinstance(value, int):
        return value if value.bit_length() <= LONGEST_INTEGER_BITS else None
    return value if isinstance(value, float) else None


def main():
    sys.path[0] = ""    # the working folder, not the generator's
    with open(sys.argv[1], encoding="utf-8") as job:
        snippets = json.load(job)
    namespace, found = {"__name__": "__snippets__", CHECK: check_shape}, None
    with open(sys.argv[2], "w", encoding="utf-8") as answer:
        for index, (name, code) in enumerate(snippets):
            print(file=answer, flush=True)
            if found := run_snippet(name, code, namespace):
                found["snippet"] = index
                break
        values = {} if found else plain_values(namespace)
        json.dump({"problem": found, "values": values}, answer)


if __name__ == "__main__":
    main()
