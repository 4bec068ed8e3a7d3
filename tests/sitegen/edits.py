"""Edits of a ChangingSite's project, each a function of the site and a random.Random.

The name of a function is the edit's kind.  An edit may make the site one that cannot
be built.
"""

import json
import os
import re

CONTENT = "project/content/"
SETTINGS, TRACES = CONTENT + "site.toml", CONTENT + "traces.toml"
ARTICLES = CONTENT + "articles/"
PACKAGES = ("markdown", "jinja2", "numpy", "pygments", "math_core", "bibtexparser")
MISTAKES = ("\n\\( \\frac{1 \\)\n", "\n[gone](../gone/index.html)\n", "\n[@nobody]\n",
            "\n/// unknown-thing\n///\n", "\n![A picture](gone.png)\n",
            "\n[[value run:nothing]]\n", "\n```python\n",
            "\n/// snippet\n```python\n1 / 0\n```\n///\n")


def texts(site):
    """Return the paths of the articles' texts."""
    return site.paths(f"{ARTICLES}[!.]*/index.md")


# --------------------------------------------------------------------------- articles
def sentence(site, chance):
    site.append(chance.choice(texts(site)), f"\nSentence {site.fresh()}.\n")


def heading(site, chance):
    path = chance.choice(texts(site))
    headings = re.findall(r"^## .+$", site.read(path), re.M)
    old = chance.choice(headings)
    if chance.random() < 0.5:
        site.append(path, f"\n## Part {site.fresh()}\n\nIts text.\n")
    else:
        site.replace(path, f"{old}\n", f"{old} {site.fresh()}\n")


def front_matter(site, chance):
    path, number = chance.choice(texts(site)), site.fresh()
    key, value = chance.choice([
        ("title", f"Title {number}"), ("description", f"About {number}."),
        ("needs", f"patience {number}"),
        ("revised", f"2026-11-{10 + int(number) % 20}"),
        ("authors", f"[Author {number}]"), ("lang", chance.choice(["en", "de"])),
        ("trace", chance.choice(["demo", "printed", "either"]))])
    _, front, text = site.read(path).split("---\n", 2)
    front = re.sub(rf"^{key}: .*\n", "", front, flags=re.M) + f"{key}: {value}\n"
    site.write(path, f"---\n{front}---\n{text}")


def mistake(site, chance):
    site.append(chance.choice(texts(site)), chance.choice(MISTAKES))


def beside(site, chance):
    """A file beside an article comes, gets another name, or goes."""
    folder = chance.choice([ARTICLES + "numbers/parts/", ARTICLES + "code/",
                            f"{ARTICLES}weights/", f"{ARTICLES}numbers/parts/deep/"])
    files = [path for path in site.paths(f"{folder}*") if not path.endswith(".md")]
    if files and chance.random() < 0.6:
        old = chance.choice(files)
        content = (site.folder / old).read_bytes()
        site.write(old, None)
        if chance.random() < 0.5:
            return
        site.write(f"{folder}renamed-{site.fresh()}.txt", content)
    else:
        site.write(f"{folder}new-{site.fresh()}.txt", "new\n")


# --------------------------------------------------------------------------- settings
def listed(site):
    """Return the slugs in site.toml's reading order."""
    return json.loads(re.search(r"^articles = (.*)$", site.read(SETTINGS), re.M)[1])


def set_line(site, path, key, value):
    """Set a key of a TOML file's head, None takes it out."""
    text = re.sub(rf"^{key} = .*\n", "", site.read(path), flags=re.M)
    line = "" if value is None else f"{key} = {json.dumps(value)}\n"
    site.write(path, line + text)


def settings(site, chance):
    number = site.fresh()
    key, value = chance.choice([
        ("title", f"Site {number}"), ("description", f"About {number}."),
        ("lang", chance.choice(["en", "de"])), ("holder", f"Holder {number}"),
        ("authors", [f"Author {number}"])])
    set_line(site, SETTINGS, key, value)


def order(site, chance):
    slugs = listed(site)
    chance.shuffle(slugs)
    set_line(site, SETTINGS, "articles", slugs)


def article_out_or_in(site, chance):
    slugs, hidden = listed(site), site.paths(f"{ARTICLES}.*/index.md")
    if hidden and chance.random() < 0.7:
        slug = hidden[0].split("/")[-2].removeprefix(".")
        move(site, f"{ARTICLES}.{slug}", f"{ARTICLES}{slug}")
        slugs.insert(chance.randrange(len(slugs) + 1), slug)
    elif len(slugs) > 2:
        slug = slugs.pop(chance.randrange(len(slugs)))
        move(site, f"{ARTICLES}{slug}", f"{ARTICLES}.{slug}")
    set_line(site, SETTINGS, "articles", slugs)


def move(site, old, new):
    """Give all files of a folder another one."""
    for path in site.paths(f"{old}/**/*"):
        content = (site.folder / path).read_bytes()
        site.write(path, None)
        site.write(path.replace(old, new, 1), content)


def publish(site, chance):
    text = site.read(SETTINGS)
    names = json.loads(re.search(r"^publish = (.*)$", text, re.M)[1])
    extra = chance.choice(["tools/helper.py", "tools/number.txt", "model/tool.py"])
    names = [name for name in names if name != extra] if extra in names else [
        *names, extra]
    set_line(site, SETTINGS, "publish", names)


def base_url(site, chance):
    set_line(site, SETTINGS, "base-url", chance.choice([
        None, f"https://example.org/{site.fresh()}"]))


def address_option(site, chance):
    site.options = chance.choice([[], ["--base-url", "https://example.com/a"]])


def epoch(site, chance):
    site.environment["SOURCE_DATE_EPOCH"] = chance.choice(["0", "1700000000"])


def package(site, chance):
    """Another version of a package is what Python finds first."""
    for path in site.paths("packages/site-packages/*/METADATA"):
        site.write(path, None)
        (site.folder / path).parent.rmdir()
    name = f"{chance.choice(PACKAGES)}-{site.fresh()}.dist-info"
    site.write(f"packages/site-packages/{name}/METADATA", "")
    site.environment["PYTHONPATH"] = str(
        site.folder / "packages/site-packages")


# ----------------------------------------------------------------- traces, data, files
def traces_toml(site, chance):
    text, number = site.read(TRACES), site.fresh()
    site.write(TRACES, chance.choice([
        re.sub(r'"--factor", "\d+"', f'"--factor", "{number}"', text),
        re.sub(r'publish = "trace.*?"', 'publish = "trace.json"', text),
        text.replace('["later", "demo"]', '["demo", "later"]'),
        text.replace('["demo", "later"]', '["later", "demo"]'),
        f"{text}\n# {number}\n",
        f'{text}\n[spare-{number}]\nfile = "traces/demo.json"\n']))


def references(site, chance):
    path, number = f"{CONTENT}references.bib", site.fresh()
    text = site.read(path)
    site.write(path, chance.choice([
        re.sub(r"{(The \w+).*?}", rf"{{\1 {number}}}", text,
               count=chance.randrange(1, 4)),
        f"@misc{{new-{number}, title = {{New}}, author = {{A B}}, year = {{2000}}}}\n"
        + text, "".join(sorted(text.splitlines(True), reverse=True)),
        f"{text}% {number}\n"]))


def imported_module(site, chance):
    site.write("project/model/deep.py", re.sub(
        r"DEPTH = \d+", f"DEPTH = {site.fresh()}", site.read("project/model/deep.py")))


def importing_module(site, chance):
    site.append("project/model/tool.py", f"\n# {site.fresh()}\n")


def data_file(site, chance):
    site.append(chance.choice([
        f"{ARTICLES}numbers/table.csv", "project/bench/decode.json"]),
        f"{site.fresh()}\n" if chance.random() < 0.5 else "\n")


def same_size(site, chance):
    """A file gets other content of the same size, and its old time back."""
    path, old, new = chance.choice([
        (f"{ARTICLES}numbers/table.csv", "4", "7"), ("project/model/deep.py", "2", "3"),
        ("project/tools/number.txt", "3", "5"),
        (f"{ARTICLES}how/index.md", "It ", "So ")])
    file, text = site.folder / path, site.read(path)
    times = file.stat()
    swapped = str.maketrans(old + new, new + old) if len(old) == 1 else None
    site.write(path, text.translate(swapped) if swapped else text.replace(old, new))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def trace_program(site, chance):
    number = site.fresh()
    helper = "project/tools/helper.py"
    path, content = chance.choice([
        (helper, re.sub(r"UNIT = .*", f"UNIT = {number}e-9", site.read(helper))),
        ("project/tools/number.txt", f"{number}\n"),
        ("project/tools/print_trace.py",
         site.read("project/tools/print_trace.py") + f"# {number}\n")])
    site.write(path, content)


def recording(site, chance):
    name = chance.choice(["demo", "walked", "changed", "checked"])
    path = f"project/traces/{name}.json"
    trace = json.loads(site.read(path))
    trace["model"]["name"] = f"Model {site.fresh()}"
    site.write(path, json.dumps(trace))


def optional_recording(site, chance):
    path = "project/traces/later.json"
    there = (site.folder / path).exists()
    site.write(path, None if there else site.read("project/traces/demo.json"))


def walk_files(site, chance):
    number = site.fresh()
    name, old, new = chance.choice([
        ("walk.toml", r'title = "(\w+).*?"', rf'title = "\1 {number}"'),
        ("changes.json", r'"name": "(\w+).*?"', rf'"name": "\1 {number}"'),
        ("configurations.json", r'"name": "(\w+).*?"', rf'"name": "\1 {number}"')])
    site.write(CONTENT + name, re.sub(old, new, site.read(CONTENT + name), count=1))


KINDS = [sentence, heading, front_matter, mistake, beside, settings, order,
         article_out_or_in, publish, base_url, address_option, epoch, package,
         traces_toml, references, imported_module, importing_module, data_file,
         same_size, trace_program, recording, optional_recording, walk_files]
