"""`build.py new` makes an article that builds, lists it, or leaves all as it was."""

import json
import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from build import main
from sitegen.commands import new
from sitegen.commands.new import front_lines, slug_of
from sitegen.yaml_text import read_yaml
from tests.site_builder import snapshot
from tests.synthetic_trace import synthetic_trace

BIB = "@misc{first2020, title={A}, author={B, C}, year={2020}}\n"


def run(site, capsys, *arguments):
    """Return (status, standard output, standard error) of build.py new."""
    try:
        status = main(["new", *arguments, "--content", str(site.content)])
    except SystemExit as ended:
        status = ended.code
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture
def empty(site):
    """A site without an article."""
    site.add("site.toml", 'title = "S"\ndescription = "D"\narticles = []\n')
    return site


def test_a_new_article_builds_and_shows_what_an_article_can_hold(empty, capsys):
    status, _, err = run(empty, capsys, "my-article")
    assert (status, err) == (0, "")
    page = empty.build()["my-article/index.html"]
    for shown in ("<h1>My article</h1>", 'id="eq-softmax"', 'id="snippet-softmax"',
                  '<data value="0.62'):
        assert shown in page
    assert "figure-weights" not in page and 'id="references"' not in page


def test_it_has_a_figure_and_a_reference_where_the_site_has_them(empty, capsys):
    empty.add("t.json", json.dumps(synthetic_trace()))
    empty.add("traces.toml", '[demo]\nfile = "content/t.json"\n')
    empty.add("references.bib", BIB)
    assert run(empty, capsys, "a")[0] == 0
    page = empty.build()["a/index.html"]
    assert 'id="figure-weights"' in page and 'id="references"' in page


def test_it_says_what_was_made_and_what_to_do_next(empty, capsys):
    _, out, _ = run(empty, capsys, "my-article")
    article = empty.content / "articles/my-article/index.md"
    assert out.startswith(f"{article}: write here\n") and article.is_file()
    assert out.endswith(f"python build.py serve --content {empty.content}: shows it, "
                        "and follows what you save\n")


LISTS = {
    'articles = ["a"]\n': 'articles = ["a", "b"]\n',
    "# first\narticles = [\n    'a', # kept\n]\n":
        "# first\narticles = [\n    'a', # kept\n    \"b\",\n]\n",
    'articles = [\n  "a",\n  # "later",\n]\nlang = "en" # end\n':
        'articles = [\n  "a",\n  # "later",\n  "b"\n]\nlang = "en" # end\n',
    'articles = [ "a" ]\r\n': 'articles = [ "a", "b" ]\r\n'}


@pytest.mark.parametrize("before", LISTS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_site_toml_keeps_its_comments_and_its_form(site, capsys, before, mark):
    head = mark + 'title = "S"   # of all\ndescription = "D"\n'
    file = site.add("site.toml", head + before)
    assert run(site, capsys, "b")[0] == 0
    assert file.read_bytes().decode() == head + LISTS[before]
    settings = tomllib.loads(file.read_text("utf-8-sig"))
    assert settings["articles"] == ["a", "b"]


@pytest.mark.parametrize("title", [
    'A "quoted": title # not a comment', "注意力 计算 什么", "- list", "yes", "'",
    "null", "2026-01-02", "{{ braces }} [[value]]", "\\( x \\) & <b>", "&a *b"])
def test_any_title_builds_and_is_shown(empty, capsys, title):
    assert run(empty, capsys, "a", "--title", title)[0] == 0
    file = empty.content / "articles/a/index.md"
    front, _ = read_yaml(file.read_text("utf-8").split("---\n")[1])
    assert front["title"] == title
    assert "a/index.html" in empty.build()


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1))
def test_front_matter_reads_back_what_was_written(title):
    assert read_yaml(front_lines({"title": title}))[0] == {"title": title}


@pytest.mark.parametrize(("slug", "better"), [
    ("Über Aufmerksamkeit", "'uber-aufmerksamkeit'"), ("a--b", "'a-b'"),
    ("../x", "'x'"), ("-a", ""), ("a/b", "'a-b'"), ("注意", "'my-article'"), ("", ""),
    ("static", "reserved"), ("con", "reserved"), ("com1", "reserved")])
def test_a_slug_that_cannot_be_one_is_wrong_usage(empty, capsys, slug, better):
    before = snapshot(empty.folder)
    status, out, err = run(empty, capsys, *(["--"] * slug.startswith("-")), slug)
    assert (status, out) == (2, "") and better in err
    assert snapshot(empty.folder) == before


@given(st.text())
def test_a_suggested_slug_is_well_formed(text):
    assert slug_of(text) == "" or new.WELL_FORMED.fullmatch(slug_of(text))


@pytest.mark.parametrize("title", [" ", "a\x07b", "\N{OBJECT REPLACEMENT CHARACTER}\0"])
def test_a_title_that_is_no_text_is_wrong_usage(empty, capsys, title):
    status, _, err = run(empty, capsys, "a", "--title", title)
    assert status == 2 and "--title is one line of text" in err


def test_an_article_that_is_there_is_left_alone(site, capsys):
    site.article("Text.\n")
    before = snapshot(site.folder)
    status, _, err = run(site, capsys, "a")
    assert status == 1
    assert err.startswith("content/articles/a: is there already\n")
    assert err.endswith("1 problem; nothing was made\n")
    assert snapshot(site.folder) == before


def test_a_listed_article_without_a_folder_is_told(site, capsys):
    status, _, err = run(site, capsys, "a")
    assert status == 1 and "lists 'a' already, which has no folder" in err


@pytest.mark.parametrize(("text", "message"), [
    (None, "site.toml: no such file"), ("articles = [", "not TOML"),
    ('title = "x"\n', "'description' is missing"),
    ('title = "x"\ndescription = "x"\narticles = [\n"a"\n# later\n]\n',
     "'b' does not fit into its articles\n  end its last article with a comma")])
def test_a_site_toml_that_cannot_be_used_is_told(site, capsys, text, message):
    (site.content / "site.toml").unlink()
    if text is not None:
        site.add("site.toml", text)
    status, _, err = run(site, capsys, "b")
    assert status == 1 and message in err
    assert not (site.content / "articles").exists()


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["rename", "replace"])
def test_whatever_stops_it_leaves_nothing_half_made(
        site, capsys, monkeypatch, error, call):
    site.article("Text.\n")
    before = snapshot(site.folder)

    def stopped(*paths):
        raise error

    monkeypatch.setattr(os, call, stopped)
    status, _, err = run(site, capsys, "b")
    assert status == (1 if isinstance(error, OSError) else 130)
    assert "Traceback" not in err and ("No space left" in err or "stopped" in err)
    assert snapshot(site.folder) == before
    assert [path.name for path in (site.content / "articles").iterdir()] == ["a"]
