"""Join ES modules into one classic script, for pages that are opened from disk.

`file://` refuses `type=module`, so the build links the sources itself.  It knows a
small part of the module grammar, and refuses the rest:

    import { a, b as c } from "./x.js";              at the head of a file
    export function | async function | class | const NAME

Every module becomes one closure that returns what it exports, dependencies first.
Comments stay in the sources, except those that begin with `/*!` (licences), and so
does white space that means nothing.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.compact_script import compact_script
from sitegen.errors import Place, Problem, known
from sitegen.javascript import Token, scan_javascript

IMPORT = re.compile(r"""import\s*\{([^{}]*)\}\s*from\s*(["'])(.*?)\2\s*;""")
IMPORTED = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?")
EXPORT = re.compile(r"(export\s+)(?:(?:async\s+)?function\b\s*\*?|class\b|const\b)"
                    r"\s*([A-Za-z_$][\w$]*)")
SHARED = "$modules"     # what late scripts find the first one's modules under
SUPPORTED = ('known: import { a, b as c } from "./x.js"; at the head, and '
             "export function, async function, class or const NAME")


@dataclass(frozen=True)
class Import:
    """One import statement: its names as (exported, local) pairs."""

    specifier: str
    names: tuple[tuple[str, str], ...]
    start: int
    end: int


@dataclass
class Module:
    """A source file, its statements of the module grammar, and what is wrong."""

    path: Path
    text: str
    tokens: list[Token] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    exports: dict[str, tuple[int, int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, start, message, todo=SUPPORTED):
        """Record what is wrong at an offset of the text."""
        line_start = self.text.rfind("\n", 0, start) + 1
        line = self.text.count("\n", 0, start) + 1
        excerpt = self.text[line_start:].split("\n", 1)[0]
        place = Place(str(self.path), line, start - line_start + 1)
        self.problems.append(Problem(place, message, todo, excerpt))


def link_scripts(entries):
    """Return (text of one classic script, problems) for the modules entries reach.

    entries  paths of ES modules, in the order in which they are to run; each module
             that they import runs once, before the first that imports it
    """
    script, _, problems = link_with_late(entries, {})
    return script, problems


def link_with_late(entries, late):
    """Return (script of the entries, name → script of each late bundle, problems).

    late  name → entries of a script that is loaded after the first one, and only where
          a page needs it. It has the modules that the first one lacks, and takes the
          others from it.
    """
    modules = _reached(entries, {})
    later = {name: _reached(paths, dict(modules)) for name, paths in late.items()}
    every = {path: module for found in (modules, *later.values())
             for path, module in found.items()}
    names = _closure_names(list(every))
    shared = sorted({names[_target(path, statement)]
                     for path, module in every.items() if path not in modules
                     for statement in module.imports
                     if _target(path, statement) in modules})
    given = f"globalThis.{SHARED} = {{ {', '.join(shared)} }};\n" if shared else ""
    taken = f"const {{ {', '.join(shared)} }} = globalThis.{SHARED};\n"
    scripts = {name: _script(found.keys() - modules.keys(), found, names, taken)
               for name, found in later.items()}
    problems = [p for module in every.values() for p in module.problems]
    return _script(modules, modules, names, "", given), scripts, problems


def _reached(entries, modules):
    """Return the modules with all that entries reach added, dependencies first."""
    for entry in entries:
        _visit(Path(os.path.normpath(entry)), modules, ())
    return modules


def read_module(path):
    """Return the Module of a file, with its imports, exports and problems."""
    module = Module(path, path.read_text(encoding="utf-8"))
    module.tokens, faults = scan_javascript(module.text)
    for start, message in faults:
        module.problem(start, message, "close it, or take it out")
    code = [token for token in module.tokens if token.kind not in ("space", "comment")]
    _find_imports(module, code)
    _find_exports(module, code)
    _check_await(module, code)
    _check_html_comments(module, code)
    return module


def _visit(path, modules, chain):
    if path in modules:
        return modules[path]
    module = read_module(path)
    for statement in module.imports:
        target = _target(path, statement)
        if target in (*chain, path):
            way = " → ".join(step.name for step in (*chain, path, target))
            module.problem(statement.start, f"the imports run in a circle: {way}",
                           "move what both need into a module of its own")
        elif not target.is_file():
            module.problem(statement.start, f"no module '{statement.specifier}'",
                           f"looked for {target}")
        else:
            _check_names(module, statement, _visit(target, modules, (*chain, path)))
    return modules.setdefault(path, module)


def _target(path, statement):
    return Path(os.path.normpath(path.parent / statement.specifier))


def _check_names(module, statement, imported):
    for name, _ in statement.names:
        if name not in imported.exports:
            module.problem(statement.start, f"{imported.path.name} exports no '{name}'",
                           known(imported.exports, name))


def _keywords(code, word):
    """Yield (index, token) for each use of a word that is not a property's name."""
    for index, token in enumerate(code):
        if token.text == word and token.kind == "word":
            before = code[index - 1].text if index else ""
            after = code[index + 1].text if index + 1 < len(code) else ""
            if before != "." and after != ":":
                yield index, token


def _find_imports(module, code):
    head = 0
    for index, token in _keywords(code, "import"):
        statement = _parse_import(module.text, token)
        if statement is None:
            module.problem(token.start, "an import that the linker does not know")
        elif not statement.specifier.startswith(("./", "../")):
            module.problem(token.start, f"'{statement.specifier}' is no relative path")
        else:
            between = code[index - 1].start >= head if index else False
            if between and not module.problems:
                module.problem(token.start, "an import below other code")
            _check_twice(module, statement)
            module.imports.append(statement)
            head = statement.end


def _parse_import(text, token):
    found = IMPORT.match(text, token.start)
    if token.depth or not found:
        return None
    names = [IMPORTED.fullmatch(name.strip())
             for name in found[1].rstrip(", \n").split(",")]
    if None in names:
        return None
    pairs = tuple((name[1], name[2] or name[1]) for name in names)
    return Import(found[3], pairs, token.start, found.end())


def _check_twice(module, statement):
    if any(other.specifier == statement.specifier for other in module.imports):
        module.problem(statement.start, f"'{statement.specifier}' is imported twice",
                       "take its names in one import")
    taken = [local for other in module.imports for _, local in other.names]
    for _, local in statement.names:
        if local in taken:
            module.problem(statement.start, f"'{local}' is imported twice",
                           f"name one of them: import {{ {local} as other }}")
        taken.append(local)


def _find_exports(module, code):
    for _, token in _keywords(code, "export"):
        found = EXPORT.match(module.text, token.start)
        if token.depth or not found:
            module.problem(token.start, "an export that the linker does not know")
        else:
            module.exports[found[2]] = found.span(1)


def _check_await(module, code):
    for index, token in _keywords(code, "await"):
        if not (token.inside or _in_async_arrow(code, index)):
            module.problem(token.start, "await outside of an async function")


def _in_async_arrow(code, index):
    """Return whether `async` stands earlier in the statement: async () => await x."""
    for token in reversed(code[:index]):
        if token.text == ";" and not token.depth:
            return False
        if token.text == "async":
            return True
    return False


def _check_html_comments(module, code):
    """Refuse what is code in a module and a comment in a classic script."""
    previous = 0
    for token in code:
        if _is_html_comment(module.text, token, previous):
            module.problem(token.start, "a classic script reads '<!--', and '-->' at "
                           "the start of a line, as comments", "put spaces into it")
        previous = token.start


def _is_html_comment(text, token, previous):
    if token.kind != "mark" or token.text not in ("<", "--"):
        return False
    starts_line = not previous or "\n" in text[previous:token.start]
    return (text.startswith("<!--", token.start)
            or (text.startswith("-->", token.start) and starts_line))


def _script(paths, modules, names, head, foot=""):
    """Return the script of some of the modules, in the modules' order."""
    parts = [_closure(module, names) for path, module in modules.items()
             if path in paths]
    return f"(() => {{\n\"use strict\";\n{head}{''.join(parts)}{foot}}})();\n"


def _closure_names(paths):
    """Return {path: identifier}: lib/copy-formats.js becomes $copy_formats."""
    names = {}
    for path in paths:
        name = "$" + re.sub(r"\W", "_", path.stem)
        while name in names.values():
            name += "_"
        names[path] = name
    return names


def _closure(module, names):
    taken = "".join(_destructuring(statement, names[_target(module.path, statement)])
                    for statement in module.imports
                    if _target(module.path, statement) in names)
    body = f"(()=>{{{taken}\n{_body(module)}\n"
    if not module.exports:
        return f"// {module.path.name}\n{body}}})();\n"
    given = f"return{{{','.join(module.exports)}}};\n"
    return f"const {names[module.path]}={body}{given}}})();\n"


def _destructuring(statement, closure):
    names = ",".join(exported if exported == local else f"{exported}:{local}"
                     for exported, local in statement.names)
    return f"const{{{names}}}={closure};"


def _body(module):
    """Return the module's text without comments, spare white space, imports and the
    word export."""
    gone = [(statement.start, statement.end) for statement in module.imports]
    gone += module.exports.values()
    return compact_script(
        token for token in module.tokens
        if not any(start <= token.start < end for start, end in gone))
