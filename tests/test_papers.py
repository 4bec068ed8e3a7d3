"""What exists is described in content/notes, and what is described exists.

The guide's examples are built, all of them in one small site; what it quotes of the
build's output is compared with what the build says.  Each check is tried on notes from
which a line was taken, and on notes with a line that was invented.
"""

import re
import shutil
import textwrap
from functools import cache
from unittest.mock import patch

import pytest

from sitegen.children import SAME
from sitegen.commands.arguments import COMMANDS, STATUS
from sitegen.commands.new import article_text
from sitegen.directives import MODULES
from sitegen.errors import BuildFailed
from sitegen.pipeline import build
from sitegen.schemas import read_schema
from tests.described import ROOT, all_messages

NOTES = ROOT / "content" / "notes"
GUIDE, ERRORS, MAP = "authoring.md", "errors.md", "architecture.md"
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PAPERS = sorted([*ROOT.glob("*.md"), *NOTES.rglob("*.md"), *ROOT.glob("*/README.md")])
EXAMPLE = re.compile(r"^````markdown\n(.*?)^````$", re.M | re.S)
FILE = re.compile(r"^`(content/[^`]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
FRONT = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
QUOTED = re.compile(r"^ {4}```\n(    content/.*?)^ {4}```$", re.M | re.S)


@cache
def note(name):
    """Return the text of a note."""
    return (NOTES / name).read_text("utf-8")


def section(text, heading):
    """Return what stands under a heading, up to the next of its level or above."""
    level = len(heading.partition(" ")[0])
    begin = text.index(f"\n{heading}\n") + len(heading) + 2
    following = re.compile(rf"^#{{1,{level}}} ", re.M).search(text, begin)
    return text[begin:following.start() if following else len(text)]


def rows(text):
    """Return the names in code of each table row's first cell."""
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def headings(text, level):
    """Return the headings of a level."""
    return set(re.findall(rf"^{'#' * level} (.+)$", text, re.M))


def keys_of(schema):
    """Yield a schema's keys; of what holds keys of its own, these: limits.seconds."""
    for name, value in schema["properties"].items():
        inner = value.get("properties")
        yield from (f"{name}.{key}" for key in inner) if inner else (name,)


def taken_by(command):
    """Return the options and arguments of a command, as they are typed."""
    names = set()
    COMMANDS[command][1](lambda name, **settings: names.add(settings["metavar"] if (
        not name.startswith("-")) else name))
    return names


def directives(text):
    part = section(text, "## Directives")
    return (set(MODULES), headings(part, 3))


def directive_options(text):
    part = section(text, "## Directives")
    return ({f"{name}: {option}" for name, module in MODULES.items()
             for option in module.OPTIONS},
            {f"{name}: {option}" for name in headings(part, 3)
             for option in rows(section(part, f"### {name}"))})


def front_matter_keys(text):
    return (set(keys_of(read_schema("front-matter.schema.json"))),
            rows(section(text, "## Front matter")))


def site_keys(text):
    return (set(keys_of(read_schema("site.schema.json"))),
            rows(section(text, "### site.toml")))


def trace_keys(text):
    schema = read_schema("traces.schema.json")["additionalProperties"]
    return set(keys_of(schema)), rows(section(text, "### traces.toml"))


def commands(text):
    return set(COMMANDS), headings(section(text, "## Commands"), 3) - {"make"}


def command_options(text):
    part = section(text, "## Commands")
    return ({f"{name}: {option}" for name in COMMANDS for option in taken_by(name)},
            {f"{name}: {option}" for name in headings(part, 3) - {"make"}
             for option in rows(section(part, f"### {name}"))})


def make_targets(text):
    part = section(text, "### make")
    return (set(re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.M)),
            {name[5:] for name in rows(part) if name.startswith("make ")})


def make_variables(text):
    used = set(re.findall(r"\$[$({]+(?:or \$\()?([A-Z]+)\b", MAKEFILE))
    set_here = set(re.findall(r"^([A-Z]+) :?= ", MAKEFILE, re.M))
    return used - set_here, {name for name in rows(section(text, "### make"))
                             if name.isupper()}


def environment_variables(text):
    read = {name for file in (ROOT / "sitegen").rglob("*.py") for name in re.findall(
        r"environ\.get\(\"(\w+)\"", file.read_text("utf-8"))}
    return {*read, *SAME}, rows(section(text, "## Environment"))


def exit_statuses(text):
    return (set(re.findall(r"\b\d+\b", STATUS)),
            set(re.findall(r"^\| (\d+) \|", section(text, "## Commands"), re.M)))


def messages(text):
    entries = re.findall(r"^- `(.+?)`\s+—", text, re.M | re.S)
    return all_messages(), {" ".join(entry.split()) for entry in entries}


def elements(text):
    scripts = (ROOT / "static" / "js").rglob("*.js")
    defined = {name for script in scripts for name in re.findall(
        r"customElements\.define\(\s*\"([\w-]+)\"", script.read_text("utf-8"))}
    return defined, rows(section(text, "### Elements"))


# What is described → the note, a name that it has, and that name's line in it.
KINDS = {
    directives: (GUIDE, "### side-note"),
    directive_options: (GUIDE, "| `compare` |"),
    front_matter_keys: (GUIDE, "| `needs` |"),
    site_keys: (GUIDE, "| `limits.seconds` | how long an article's"),
    trace_keys: (GUIDE, "| `optional` |"),
    commands: (GUIDE, "### view"),
    command_options: (GUIDE, "| `--external` |"),
    make_targets: (GUIDE, "| `make golden` |"),
    make_variables: (GUIDE, "| `SEED` |"),
    environment_variables: (GUIDE, "| `DISPLAY`, `WAYLAND_DISPLAY` |"),
    exit_statuses: (GUIDE, "| 130 |"),
    messages: (ERRORS, "- `no front matter` —"),
    elements: (MAP, "| `site-search` |"),
}
INVENTED = {"### side-note": "### invented", "| 130 |": "| 131 |",
            "### view": "### invented", "| `make golden` |": "| `make invented` |",
            "| `SEED` |": "| `INVENTED` |",
            "- `no front matter` —": "- `an invented message` —"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_exists_is_described_and_what_is_described_exists(kind):
    exists, described = kind(note(KINDS[kind][0]))
    assert exists
    assert sorted(exists - described) == [], "exists, and is not described"
    assert sorted(described - exists) == [], "is described, and does not exist"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_line_that_was_taken_out_is_noticed(kind):
    name, begin = KINDS[kind]
    line = re.compile(rf"^{re.escape(begin)}.*\n", re.M)
    assert line.search(note(name))
    exists, described = kind(line.sub("\n", note(name)))
    assert exists - described


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_line_that_was_invented_is_noticed(kind):
    name, begin = KINDS[kind]
    invented = INVENTED.get(begin, "| `invented` |")
    exists, described = kind(note(name).replace(begin, f"{invented} x |\n{begin}", 1))
    assert described - exists


# ------------------------------------------------------------------- the examples

@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of a small site of the guide's files, its traces in a cache."""
    folder = tmp_path_factory.mktemp("guide")
    for name in ("model/tiny_llama.py", "model/twin.npz", "content/configurations.json",
                 "content/walk.toml", "content/changes.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name, content in FILE.findall(note(GUIDE)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return folder


def build_article(site, front, text):
    """Build the site with an article; return its files.  The pages' scripts are left
    out: they have tests of their own."""
    file = site / "content/articles/my-article/index.md"
    file.write_text(f"---\n{front}---\n{text}", "utf-8")
    with patch("sitegen.assets.link_with_late", lambda *paths: ("", {}, [])):
        return build(site / "content", site / "_site").files


def examples():
    """Return the guide's front matter, and its examples as one article."""
    return FRONT.search(note(GUIDE))[1], "\n".join(EXAMPLE.findall(note(GUIDE)))


def unused(text):
    """Yield each directive, and each 'directive: option', that a text does not use."""
    for name, module in MODULES.items():
        used = re.findall(rf"^/// {name}\b.*\n((?:    .*\n)*)", text, re.M)
        if not used:
            yield name
        yield from (f"{name}: {option}" for option in module.OPTIONS
                    if not re.search(rf"^    {option}:", "".join(used), re.M))


def test_every_directive_and_option_has_an_example():
    assert list(unused(examples()[1])) == []


def test_an_option_without_an_example_is_noticed():
    text = examples()[1].replace("    strongest: induction\n", "")
    assert list(unused(text)) == ["attention-heatmap: strongest"]


def test_the_examples_build(site):
    page = build_article(site, *examples())["my-article/index.html"].read_bytes()
    assert b"counted by hand" in page


def test_an_example_that_does_not_build_is_noticed(site):
    front, text = examples()
    with pytest.raises(BuildFailed, match="1 problems"):
        build_article(site, front, text.replace("induction", "inductoin"))


def test_the_quoted_message_is_what_a_build_says(site):
    article = article_text(site / "content", "My article")
    _, front, text = article.split("---\n", 2)
    with pytest.raises(BuildFailed) as failed:
        build_article(site, front, text.replace("/// snippet", "/// snipet"))
    said = str(failed.value.problems[0]).splitlines()
    quoted = textwrap.dedent(QUOTED.search(note(GUIDE))[1]).splitlines()
    assert said[:-1] == quoted[:-1]
    assert said[-1].startswith(quoted[-1].removesuffix("…"))


# ----------------------------------------------------------------------- the links

def anchors(text):
    """Return the anchors that GitHub gives to a text's headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", text, re.M)}


def broken_links(paper, text):
    """Yield each address of a paper that leads to no file, or to no heading of it."""
    plain = re.sub(r"^(`{3,}).*?^\1$|``.*?``|`[^`\n]*`", "", text, flags=re.M | re.S)
    for address in re.findall(r"\]\((?!https?:)([^)\s]+)\)", plain):
        path, _, anchor = address.partition("#")
        file = paper.parent / path
        if not file.exists() or (anchor and anchor not in anchors(
                file.read_text("utf-8") if path else text)):
            yield address


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_the_links_of_a_paper_lead_somewhere(paper):
    assert list(broken_links(paper, paper.read_text("utf-8"))) == []


@pytest.mark.parametrize("address", ["gone.md", "errors.md#gone", "#gone"])
def test_a_link_that_leads_nowhere_is_noticed(address):
    text = note(GUIDE) + f"\n[x]({address})\n"
    assert list(broken_links(NOTES / GUIDE, text)) == [address]
