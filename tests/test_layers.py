"""Who may import whom: the table in content/notes/architecture.md, held to.

Each rule is a function that yields problems, run over the tree and over a spoiled twin.
"""

import ast
import graphlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ARCHITECTURE = ROOT / "content" / "notes" / "architecture.md"
SITEGEN_FILES = sorted((ROOT / "sitegen").rglob("[!_]*.py"))
PRODUCERS = {
    "model/tiny_llama.py": {"numpy"},
    "probe/probe_pretrained.py": {"accelerate", "numpy", "safetensors", "torch",
                                  "tqdm", "transformers"},
    "probe/train_twin.py": {"numpy", "torch", "transformers"},
}


def module_of(path):
    """Return the name that stands in the table: a folder's modules share its name."""
    return path.stem if path.parent.name == "sitegen" else path.parent.name


def read_layers():
    """Return {module of sitegen: its layer}, from the architecture note's table."""
    rows = re.findall(r"^\| (\d) \| ([^|]+) \|", ARCHITECTURE.read_text("utf-8"), re.M)
    return {
        name.removesuffix("/*"): int(layer)
        for layer, names in rows
        for name in re.split(r",\s*", names.strip())
    }


def names_of(statement):
    """Return the dotted names of an import statement's modules."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    # What `from sitegen import` names is a module; elsewhere the package says enough.
    if statement.module == "sitegen":
        return [f"sitegen.{alias.name}" for alias in statement.names]
    return [statement.module or ""]


def imported_names(text):
    """Yield (dotted name, line, whether inside a function) for each import."""

    def visit(node, inside):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in names_of(node):
                yield name, node.lineno, inside
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    yield from visit(ast.parse(text), False)


def sitegen_modules(text):
    """Yield (module of sitegen, line) for each of them that a text imports."""
    for name, line, _ in imported_names(text):
        package, _, rest = name.partition(".")
        if package == "sitegen" and rest:
            yield rest.partition(".")[0], line


def upward_imports(module, text, layers):
    """Yield a sentence for each import of a higher layer."""
    for imported, line in sitegen_modules(text):
        if layers[imported] > layers[module]:
            yield f"{module}:{line}: imports {imported}, which is a layer above"


def inner_imports(name, text):
    """Yield a sentence for each import that stands inside a function."""
    for imported, line, inside in imported_names(text):
        if inside:
            yield f"{name}:{line}: imports {imported} inside a function"


def foreign_imports(name, text, allowed):
    """Yield a sentence for each import beyond the standard library and `allowed`."""
    for imported, line, _ in imported_names(text):
        package = imported.partition(".")[0]
        if package not in allowed | sys.stdlib_module_names:
            yield f"{name}:{line}: imports {imported}"


def script_imports(path, text):
    """Yield a sentence for each import that a script of static/js may not make.

    lib/ imports lib/; widgets/x.js imports lib/ and its own folder widgets/x/.
    """
    for target in re.findall(r"""from\s+["']([^"']+)["']""", text):
        resolved = (path.parent / target).resolve()
        folder, *rest = resolved.relative_to(ROOT / "static" / "js").parts
        own_folder, *own_rest = path.relative_to(ROOT / "static" / "js").parts
        own_widget = own_folder == "widgets" and Path(own_rest[0]).stem
        if folder != "lib" and not (own_widget and Path(rest[0]).stem == own_widget):
            yield f"{own_folder}/{'/'.join(own_rest)}: imports {target}"


def python_files():
    """Return the Python files that are not tests."""
    folders = ("sitegen", "model", "probe", "bench")
    inside = [path for name in folders for path in (ROOT / name).rglob("*.py")]
    return [ROOT / "build.py", *sorted(inside)]


def test_every_module_has_a_layer_and_every_layer_its_modules():
    assert set(read_layers()) == set(map(module_of, SITEGEN_FILES)), ARCHITECTURE


@pytest.mark.parametrize("path", SITEGEN_FILES, ids=lambda path: path.stem)
def test_no_module_imports_a_layer_above(path):
    text = path.read_text("utf-8")
    assert list(upward_imports(module_of(path), text, read_layers())) == []


def test_the_modules_import_each_other_without_a_circle():
    graph = {module_of(path): set() for path in SITEGEN_FILES}
    for path in SITEGEN_FILES:
        imported = {name for name, _ in sitegen_modules(path.read_text("utf-8"))}
        graph[module_of(path)] |= imported - {module_of(path)}
    graphlib.TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.name)
def test_no_import_stands_inside_a_function(path):
    assert list(inner_imports(path.name, path.read_text("utf-8"))) == []


@pytest.mark.parametrize("name", [name for name in PRODUCERS if (ROOT / name).exists()])
def test_a_producer_runs_alone(name):
    text = (ROOT / name).read_text("utf-8")
    assert list(foreign_imports(name, text, PRODUCERS[name])) == []


def test_the_generator_does_not_import_a_producer():
    for path in (ROOT / "build.py", *SITEGEN_FILES):
        imported = imported_names(path.read_text("utf-8"))
        packages = {name.partition(".")[0] for name, *_ in imported}
        producers = {"model", "probe", "tiny_llama", "probe_pretrained"}
        assert not packages & producers, path


def test_widgets_import_the_library_and_never_each_other():
    scripts = sorted((ROOT / "static" / "js").rglob("*.js"))
    assert scripts
    for path in scripts:
        assert list(script_imports(path, path.read_text("utf-8"))) == []


SPOILED = {
    "a layer above": upward_imports(
        "errors", "from sitegen.pipeline import build", {"errors": 0, "pipeline": 4}
    ),
    "a module by name": upward_imports(
        "errors", "from sitegen import pipeline", {"errors": 0, "pipeline": 4}
    ),
    "inside a function": inner_imports("x", "def f():\n    import json"),
    "inside a method": inner_imports("x", "class C:\n  def f(self):\n    import a"),
    "a library": foreign_imports("model", "import scipy.special", {"numpy"}),
    "one of ours": foreign_imports("model", "from sitegen.errors import x", {"numpy"}),
    "another widget": script_imports(
        ROOT / "static/js/widgets/a.js", 'import { b } from "./b.js";'
    ),
    "a widget from the library": script_imports(
        ROOT / "static/js/lib/a.js", 'import { b } from "../widgets/b.js";'
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_the_rules_notice(what):
    assert len(list(SPOILED[what])) == 1
