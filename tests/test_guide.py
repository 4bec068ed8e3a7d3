"""The authoring guide's examples build, all of them in one small site.

What the guide quotes of a build's output is compared with what a build says.
"""

import re
import shutil
import textwrap
import time
from unittest.mock import patch

import pytest

from sitegen.commands.new import article_text
from sitegen.commands.reporting import reasons
from sitegen.directives import MODULES
from sitegen.errors import BuildFailed
from sitegen.inputs import CLOCK_NS
from sitegen.pipeline import build
from tests.described import GUIDE, ROOT, note

EXAMPLE = re.compile(r"^````markdown\n(.*?)^````$", re.M | re.S)
FILE = re.compile(r"^`(content/[^`]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
FRONT = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
QUOTED = re.compile(r"^ {4}```\n(    content/.*?)^ {4}```$", re.M | re.S)


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
    """Build the site with an article; return the Report.  The pages' scripts are left
    out: they have tests of their own."""
    file = site / "content/articles/my-article/index.md"
    file.write_text(f"---\n{front}---\n{text}", "utf-8")
    time.sleep(2 * CLOCK_NS / 1e9)      # nothing is kept of what is written meanwhile
    with patch("sitegen.assets.link_with_late", lambda *paths: ("", {}, [])):
        return build(site / "content", site / "_site")


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
    report = build_article(site, *examples())
    assert b"counted by hand" in report.files["my-article/index.html"].read_bytes()


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


def test_the_quoted_reason_is_what_a_build_says(site):
    front, text = examples()
    quoted = re.search(r"^```\n(.*: .* changed)\n```$", note(GUIDE), re.M)[1]
    build_article(site, front, text)
    assert reasons(build_article(site, front, f"{text}\nMore.\n")) == [quoted]
    assert reasons(build_article(site, front, f"{text}\nMore.\n"))[0] in note(GUIDE)
