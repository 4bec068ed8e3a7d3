"""The linker's script does what the modules do, and refuses what it cannot carry."""

import re
import shutil
import subprocess

import pytest

from sitegen.linker import link_scripts

NODE = shutil.which("node")

MODULES = {
    "lib/words.js": r'''
        /* import { x } from "./none.js"; in a comment */
        export const NAME = "a";   // export const HIDDEN = 1;
        const text = `
        import { y } from "./none.js";
        export const z = ${NAME + `${"}"}`.length} \` `;
        export function shout(word) { return /* { */ word + "!"; }
        export async function later() { await null; return text; }
        export class Half { static slash = /[/"'`]\/{/g; of(x) { return x / 2 / 1; } }
    ''',
    "lib/pair.js": '''
        import {
          NAME as name,
          shout,
        } from "./words.js";
        console.log("pair runs");
        export const pair = shout(name + name);
        const hidden = 1;
    ''',
    "widgets/one.js": r'''
        import { pair } from "../lib/pair.js";
        import { later, Half } from "../lib/words.js";
        const wait = async () => await later();
        const options = { import: 1, export: 2, await: 3 };
        let i = 4;
        console.log(pair, options.import, options.export, options.await, i++ / 2 / 1);
        console.log(String(Half.slash), new Half().of(3), /x/.test("x"), (i) / 2);
        if (i) /y/.test("y") && console.log("regex after a condition");
        wait().then((text) => console.log(JSON.stringify(text)));
    ''',
    "widgets/two.js": '''
        import { pair as same } from "../lib/pair.js";
        console.log("two", same);
    ''',
}


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def run_node(*arguments, cwd):
    done = subprocess.run([NODE, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def link(folder, *names):
    return link_scripts([folder / name for name in names])


def test_linked_script_prints_what_the_modules_print(tmp_path):
    write(tmp_path, MODULES | {"package.json": '{"type": "module"}'})
    write(tmp_path, {"all.js": 'import "./widgets/one.js"; import "./widgets/two.js";'})
    text, problems = link(tmp_path, "widgets/one.js", "widgets/two.js")
    assert problems == []
    (tmp_path / "app.cjs").write_text(text, encoding="utf-8")
    linked = run_node("app.cjs", cwd=tmp_path)
    assert linked == run_node("all.js", cwd=tmp_path)
    assert linked.count("pair runs") == 1


def test_linked_script_leaves_no_global_name(tmp_path):
    write(tmp_path, MODULES)
    text, _ = link(tmp_path, "widgets/two.js")
    (tmp_path / "app.cjs").write_text(
        "const before = Object.keys(globalThis).length;\n" + text
        + "console.log(Object.keys(globalThis).length - before, typeof pair);\n",
        encoding="utf-8")
    assert run_node("app.cjs", cwd=tmp_path).endswith("0 undefined\n")


def test_strict_mode_stands_once_and_comments_stay_behind(tmp_path):
    write(tmp_path, MODULES | {"lib/free.js": "/*! MIT */\n// gone\nconst a = 1;"})
    text, _ = link(tmp_path, "widgets/one.js", "widgets/two.js", "lib/free.js")
    assert text.count('"use strict"') == 1
    assert "/*! MIT */" in text
    assert "HIDDEN" not in text and "gone" not in text


def test_dependencies_come_first_and_only_once(tmp_path):
    write(tmp_path, MODULES)
    text, _ = link(tmp_path, "widgets/two.js", "widgets/one.js")
    order = re.findall(r"^(?:const \$|// )(\w+)", text, re.MULTILINE)
    assert order == ["words", "pair", "two", "one"]


def test_files_of_one_name_get_closures_of_their_own(tmp_path):
    write(tmp_path, {"lib/x.js": "export const x = 1;",
                     "more/x.js": "export const x = 2;",
                     "lib/a-b.js": "export const y = 3;",
                     "lib/a_b.js": "export const y = 4;",
                     "go.js": 'import { x } from "./lib/x.js";\n'
                              'import { x as z } from "./more/x.js";\n'
                              'import { y } from "./lib/a-b.js";\n'
                              'import { y as w } from "./lib/a_b.js";\n'
                              "console.log(x, z, y, w);"})
    text, problems = link(tmp_path, "go.js")
    (tmp_path / "app.cjs").write_text(text, encoding="utf-8")
    assert (problems, run_node("app.cjs", cwd=tmp_path)) == ([], "1 2 3 4\n")


@pytest.mark.parametrize("text, line, column, message", [
    ("export default 1;", 1, 1, "an export that the linker does not know"),
    ("const a = 1;\nexport { a };", 2, 1, "an export that the linker does not know"),
    ("export * from './b.js';", 1, 1, "an export that the linker does not know"),
    ("export let a = 1;", 1, 1, "an export that the linker does not know"),
    ("export const { a } = {};", 1, 1, "an export that the linker does not know"),
    ("import b from './b.js';", 1, 1, "an import that the linker does not know"),
    ("import './b.js';", 1, 1, "an import that the linker does not know"),
    ("import * as b from './b.js';", 1, 1, "an import that the linker does not know"),
    ("import { b } from 'b';", 1, 1, "'b' is no relative path"),
    ("f(() => {\n  import('./b.js');\n});", 2, 3, "an import that the linker"),
    ("f(import.meta.url);", 1, 3, "an import that the linker does not know"),
    ("const a = 1;\nimport { b } from './b.js';", 2, 1, "an import below other code"),
    ("import { c } from './b.js';", 1, 1, "b.js exports no 'c'"),
    ("import { b } from './c.js';", 1, 1, "no module './c.js'"),
    ("import { b, b } from './b.js';", 1, 1, "'b' is imported twice"),
    ("import { b } from './b.js';\nimport { b as c } from './b.js';", 2, 1,
     "'./b.js' is imported twice"),
    ("const a = 1;\nawait a;", 2, 1, "await outside of an async function"),
    ("if (true) {\n  await a;\n}", 2, 3, "await outside of an async function"),
    ("for await (const a of b) f(a);", 1, 5, "await outside of an async function"),
    ("const a = b <!--c;", 1, 13, "a classic script reads '<!--'"),
    ("f();\n--> f();", 2, 1, "a classic script reads '<!--'"),
    ("const f = () => {\n", 1, 17, "'{' is never closed"),
    ("f());", 1, 4, "')' closes nothing"),
    ("const a = `b ${c} d;", 1, 17, "a template is never closed"),
    ("f('a);", 1, 3, "a string is not closed on its line"),
])
def test_what_the_linker_does_not_carry_is_a_problem(
        tmp_path, text, line, column, message):
    write(tmp_path, {"a.js": text, "b.js": "export const b = 1; const c = 2;"})
    _, problems = link(tmp_path, "a.js")
    first = min(problems, key=lambda problem: problem.place)
    assert (first.place.path, first.place.line, first.place.column) == (
        str(tmp_path / "a.js"), line, column)
    assert first.message.startswith(message)
    assert first.excerpt == text.splitlines()[line - 1] and first.todo


@pytest.mark.parametrize("text", [
    "let n = 3;\nwhile (n --> 0) f(n);",
    'f("<!--", `\n--> text`, /<!--/);',
    "class A { async b() { for (const c of d) { await c; } } }",
    "const f = async (a) => await a;",
    "a.import(b.export, { import: c });",
    "const half = (a + b) / 2, rest = c[0] / d / e;",
    "const t = `a ${f(`b ${{ c: 1 }.c} d`)} e`;",
    "// it's fine\n/* don't { worry */",
])
def test_ordinary_code_is_no_problem(tmp_path, text):
    write(tmp_path, {"a.js": text})
    assert link(tmp_path, "a.js")[1] == []


def test_a_circle_of_imports_is_a_problem_that_names_the_way(tmp_path):
    write(tmp_path, {"a.js": 'import { b } from "./b.js";\nexport const a = b;',
                     "b.js": 'import { a } from "./a.js";\nexport const b = a;'})
    _, problems = link(tmp_path, "a.js")
    assert [p.message for p in problems] == ["the imports run in a circle: "
                                             "a.js → b.js → a.js"]
    assert problems[0].place.path.endswith("b.js")


def test_a_misspelt_name_is_answered_with_the_nearest(tmp_path):
    write(tmp_path, {"a.js": 'import { raedTrace } from "./b.js";',
                     "b.js": "export const readTrace = 1;"})
    _, problems = link(tmp_path, "a.js")
    assert "did you mean 'readTrace'?" in problems[0].todo
