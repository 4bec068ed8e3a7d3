"""Files beside an article may have any name that a file can have."""

import os

import pytest

NAMES = {   # the name, and how a link says it
    "data.json": "data.json", "my data.json": "<my data.json>",
    "注意.csv": "注意.csv", "näme.txt": "n%C3%A4me.txt",
    "a#b.txt": "a%23b.txt", "a%20b.txt": "a%2520b.txt",
    "below/it.txt": "below/it.txt", "b&amp;.txt": "b%26amp%3B.txt"}


def test_files_of_any_name_are_published_and_found(site):
    for name in NAMES:
        site.add(f"articles/a/{name}", name)
    links = "\n\n".join(f"[{n}]({link})" for n, link in enumerate(NAMES.values()))
    snippet = ("/// snippet\n```python\nimport os\n"
               "read = [open(n, encoding='utf-8').read() == n for n in os.listdir()"
               " if n != 'below']\nassert all(read)\n```\n///\n\n[[value run:read]]\n")
    site.article(links + "\n\n" + snippet)
    files = site.build()
    for name in NAMES:
        assert files[f"a/{name}"] == name
        assert (site.output / "a" / name).read_text("utf-8") == name


def test_a_name_that_is_no_text_is_published(site):
    name = os.fsdecode(b"caf\xe9.txt")
    (site.add("articles/a/plain.txt", "x").parent / name).write_text("x")
    assert "Text." in site.page("Text.\n")
    assert (site.output / "a" / name).read_text() == "x"


@pytest.mark.parametrize(("name", "other"), [
    ("INDEX.html", "index.html"), ("data.json", "Data.JSON"),
    ("e\u0301.txt", "\u00e9.txt"), ("maße.txt", "MASSE.txt")])
def test_names_that_some_computers_take_for_one_are_refused(site, name, other):
    for each in {name, other} - {"index.html"}:
        site.add(f"articles/a/{each}", "x")
    site.article("Text.\n")
    (problem,) = site.failure()
    assert problem.message.startswith("many computers take '")
    assert f"'{name}'" in problem.message and f"'{other}'" in problem.message
