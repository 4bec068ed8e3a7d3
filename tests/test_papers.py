"""What exists is described in content/notes, and what is described exists.

Each check is tried on notes from which a line was taken, and on notes with a line that
was invented.  The links between all papers lead somewhere.
"""

import re

import pytest

from sitegen.children import SAME
from sitegen.commands.arguments import COMMANDS, STATUS
from sitegen.directives import MODULES
from sitegen.schemas import read_schema
from tests.described import GUIDE, NOTES, ROOT, all_messages, note

ERRORS, MAP = "errors.md", "architecture.md"
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PAPERS = sorted([*ROOT.glob("*.md"), *NOTES.rglob("*.md"), *ROOT.glob("*/README.md")])


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
