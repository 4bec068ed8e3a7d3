"""Edits of a ChangingSite's generator, and of what earlier builds left; as in edits.py.
"""

import json
import os
import re
import shutil

DAMAGES = (lambda data: data[:len(data) // 2], lambda data: b"",
           lambda data: b"foreign\n" + data, lambda data: data[:-1] + b"\0",
           lambda data: bytes([data[0] ^ 1]) + data[1:] if data else b"\xff",
           lambda data: b'{"format":1}', lambda data: b"\xff\xfe" * 9)


# ------------------------------------------------------------------------ the generator
def template(site, chance):
    number = site.fresh()
    path = chance.choice(site.paths("generator/templates/*.html",
                                    "generator/templates/widgets/*.html"))
    text = site.read(path)
    if "{%- extends" not in text and "<main" not in text and chance.random() < 0.5:
        site.write(path, f"{text}<!-- {number} -->")
    elif "</main>" in text:
        site.replace(path, "</main>", f"<p>{number}</p></main>")
    else:
        site.append(path, f"{{# {number} #}}")


def words(site, chance):
    path = "generator/templates/words.toml"
    lines = re.findall(r'^\w+ = "[^"{}]+"$', site.read(path), re.M)
    old = chance.choice(lines)
    site.replace(path, old, f'{old[:-1]} {site.fresh()}"')


def style(site, chance):
    number = site.fresh()
    if chance.random() < 0.8:
        path = chance.choice(site.paths("generator/static/css/**/*.css"))
        site.append(path, f"\n.n{number} {{ color: inherit; }}\n")
    else:
        site.write(f"generator/static/css/bundles/new-{number}/attention-heatmap.css",
                   ".new { color: inherit; }\n")


def script(site, chance):
    path = chance.choice(site.paths("generator/static/js/**/*.js",
                                    "generator/static/vendor/**/*"))
    site.append(path, f"\n// {site.fresh()}\n" if chance.random() < 0.5 or "lib" not in
                path else f"\nexport function unused{site.fresh()}() {{}}\n")


def schema(site, chance):
    path = chance.choice(site.paths("generator/static/schema/*.json"))
    site.write(path, json.dumps({**json.loads(site.read(path)),
                                 "$comment": site.fresh()}))


def generator_module(site, chance):
    number = site.fresh()
    path = "generator/sitegen/article_page.py"
    if chance.random() < 0.3:
        site.write(path, re.sub(r"WORDS_A_MINUTE = \d+", f"WORDS_A_MINUTE = {number}",
                                site.read(path)))
    else:
        path = chance.choice(site.paths("generator/sitegen/**/*.py"))
        site.append(path, f"\n# {number}\n")


# ------------------------------------------------------------ what earlier builds left
def touch(site, chance):
    path = chance.choice(site.paths(
        "project/content/**/*", "project/*/*.*", "generator/templates/**/*",
        "generator/sitegen/*.py"))
    os.utime(site.folder / path)


def output(site, chance):
    """The output goes, or one of its files goes, changes, or gets company."""
    what = chance.randrange(5)
    files = [path for path in site.paths("project/_site/**/*")
             if not path.endswith("/.written-by-build-py")]
    if what == 0 or not files:
        shutil.rmtree(site.output, ignore_errors=True)
    elif what == 1:
        (site.folder / chance.choice(files)).unlink()
    elif what == 2:
        (site.output / f"foreign-{site.fresh()}.txt").write_text("foreign", "utf-8")
    else:
        damage(site.folder / chance.choice(files), chance)


def cache(site, chance):
    """The cache goes, or one of its files is damaged, or two change places."""
    folder = site.output.with_name("._site-cache")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    what = chance.randrange(7)
    if what == 0 or not files:
        shutil.rmtree(folder, ignore_errors=True)
    elif what == 1:
        one, other = chance.choice(files), chance.choice(files)
        data = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(data)
    elif what == 2:
        victim = chance.choice(files)
        victim.unlink()
        victim.mkdir()
    else:
        damage(chance.choice(files), chance)


def damage(file, chance):
    """Change what a file holds, in its place: other names of it see that too."""
    file.write_bytes(chance.choice(DAMAGES)(file.read_bytes()))


def killed(site, chance):
    site.kill(chance.uniform(0.05, 4))


KINDS = [template, words, style, script, schema, generator_module, touch, output, cache,
         killed]
