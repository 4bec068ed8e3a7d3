"""What the cache keeps holds: damage, races and what nobody can know lead to no stale
page."""

import os
import shutil
import time
from unittest.mock import patch

import pytest

from sitegen import article_page, pipeline
from sitegen.cache import folder_of, nothing_changed
from sitegen.errors import BuildFailed
from sitegen.inputs import Inputs
from tests.site_builder import SETTINGS, snapshot

VALUE = "It is [[value run:x]].\n"
SNIPPET = "/// snippet\n```python\n{}\n```\n///\n\n" + VALUE
READS = SNIPPET.format('x = open("data.txt").read().strip()')


@pytest.fixture
def build(site):
    """Return a function that builds with the cache: a Report, where it succeeds."""
    site.add("articles/a/data.txt", "old\n")

    def build(**options):
        # The clock moves on: what was written before a build is older than it.
        time.sleep(0.03)
        return pipeline.build(site.content, site.output, **options)

    with patch("sitegen.assets.link_with_late", lambda *paths: ("", {}, [])):
        yield build


def built(report):
    """Return what was made → why."""
    return dict(report.built)


def inputs_of(project):
    """Return the Inputs of a build that begins now."""
    return Inputs(project / "content")


def page(site):
    return (site.output / "a/index.html").read_text("utf-8")


def problems(build, **options):
    """Return the messages of a build that must fail."""
    with pytest.raises(BuildFailed) as failed:
        build(**options)
    return [problem.message for problem in failed.value.problems]


# -------------------------------------------------------------------- what is not kept
@pytest.mark.parametrize("code, why", [
    ("import os\nx = os.system('true')", "starts a process"),
    ("import socket\nx = 1\ntry: socket.create_connection(('127.0.0.1', 1))\n"
     "except OSError: pass", "uses the network")])
def test_what_nobody_can_tell_the_reads_of_is_run_each_time(site, build, code, why):
    site.article(SNIPPET.format(code))
    for _ in range(2):
        made = built(build())
        assert why in made["run a"]
        assert "a/index.html" in made


def test_a_failure_is_never_kept(site, build):
    site.article(SNIPPET.format("x = 1 / 0"))
    for _ in range(2):
        assert problems(build)[0] == "ZeroDivisionError: division by zero"
    assert not list(folder_of(site.output).glob("entries/run/*"))
    assert not list(folder_of(site.output).glob("entries/page/*"))


# ------------------------------------------------------------ without running anything
def test_without_running_what_was_run_before_is_taken(site, build):
    site.article(READS)
    build()
    site.article(READS + "\nAnother sentence.\n")
    assert built(build(run=False)) == {
        "a/index.html": "content/articles/a/index.md changed"}
    assert "Another sentence" in page(site)


@pytest.mark.parametrize("edit, why", [
    (lambda site: site.add("articles/a/data.txt", "newer\n"),
     "content/articles/a/data.txt changed"),
    (lambda site: site.article(READS.replace("strip", "upper")),
     "the code of a changed")])
def test_without_running_what_has_to_be_run_is_one_problem(site, build, edit, why):
    site.article(READS)
    build()
    edit(site)
    assert problems(build, run=False) == [
        f"the article's snippets have to be run: {why}"]
    before = page(site)
    build()
    assert page(site) != before


# ----------------------------------------------------- what changes while a build runs
def test_a_file_that_a_snippet_read_and_that_changed_since_is_read_again(site, build):
    site.article(READS)
    run = article_page.run_snippets

    def run_and_edit(*arguments):
        answer = run(*arguments)
        site.add("articles/a/data.txt", "new\n")
        return answer

    with patch.object(article_page, "run_snippets", run_and_edit):
        build()
    assert "It is old" in page(site)
    assert built(build())
    assert "It is new" in page(site)


def test_a_text_that_changes_after_it_was_read_is_read_again(site, build):
    site.article("Old.\n")
    draw = article_page.page_record

    def draw_and_edit(*arguments):
        site.article("New.\n")
        return draw(*arguments)

    with patch.object(article_page, "page_record", draw_and_edit):
        build()
    assert "Old." in page(site)
    build()
    assert "New." in page(site)


def test_a_file_that_comes_while_an_article_is_read_is_not_forgotten(site, build):
    site.article("Text.\n")
    draw = article_page.page_record

    def draw_and_add(*arguments):
        site.add("articles/a/late.txt", "late\n")
        return draw(*arguments)

    with patch.object(article_page, "page_record", draw_and_add):
        build()
    build()
    assert (site.output / "a/late.txt").is_file()


def test_a_file_that_is_looked_up_only_after_it_changed_counts_as_changed(tmp_path):
    file = tmp_path / "file.txt"
    file.write_text("old", "utf-8")
    time.sleep(0.03)
    calm, moved = inputs_of(tmp_path), inputs_of(tmp_path)
    calm.digest("file.txt")
    assert calm.changed() == set()
    file.write_text("new", "utf-8")
    moved.digest("file.txt")
    assert moved.changed() == calm.changed() == {"file.txt"}


# --------------------------------------------------------------------- times and links
def test_other_content_of_the_same_size_and_time_is_noticed(site, build):
    file = site.add("articles/a/data.txt", "old\n")
    site.article(READS)
    os.utime(file, ns=(1, 10 ** 18))
    build()
    before = file.stat()
    site.add("articles/a/data.txt", "new\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    build()
    assert "It is new" in page(site)


def test_a_link_that_is_turned_is_another_file(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text(name, "utf-8")
    (tmp_path / "link").symlink_to("one")
    before = inputs_of(tmp_path)
    name = before.name_of(tmp_path / "link")
    before.digest(name)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("two")
    assert inputs_of(tmp_path).digest(name) != before.digest(name)


@pytest.mark.parametrize("change", [
    lambda link: link.symlink_to("folder"),
    lambda link: link.symlink_to("file.txt")])
def test_a_link_that_comes_beside_an_article_is_noticed(tmp_path, change):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    before = inputs_of(tmp_path.parent).digest(f"{tmp_path.name}/")
    (tmp_path / "link").unlink()
    change(tmp_path / "link")
    assert inputs_of(tmp_path.parent).digest(f"{tmp_path.name}/") != before


@pytest.mark.parametrize("path", [
    "code", "python", "content folder", "the data.txt", "the data/data.txt",
    "package:a", "env:HOME", "generator:sitegen/errors.py"])
def test_a_file_whose_name_means_something_else_is_a_file_all_the_same(tmp_path, path):
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("old", "utf-8")
    before = inputs_of(tmp_path)
    name = before.name_of(file)
    before.digest(name)
    file.write_text("newer", "utf-8")
    assert inputs_of(tmp_path).digest(name) != before.digest(name)


def test_what_a_build_wrote_is_no_input(tmp_path):
    (tmp_path / "script.py").touch()
    before = inputs_of(tmp_path).digest("./*")
    (tmp_path / "_site").mkdir()
    (tmp_path / "_site/.written-by-build-py").touch()
    assert inputs_of(tmp_path).digest("./*") == before
    (tmp_path / "module.py").touch()
    assert inputs_of(tmp_path).digest("./*") != before


# ------------------------------------------------------------------------------ damage
def test_a_cache_in_which_every_file_is_damaged_gives_the_same_site(site, build):
    site.article(READS)
    build()
    before = snapshot(site.output)
    for file in folder_of(site.output).rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[:-1] + b"\0")
    made = built(build())
    assert made["a/index.html"] == "not in the cache"
    assert snapshot(site.output) == before


def test_a_folder_in_an_entry_s_place_is_no_entry_and_goes(site, build):
    site.article("Text.\n")
    build()
    entry, = folder_of(site.output).glob("entries/page/*")
    entry.unlink()
    (entry / "below").mkdir(parents=True)
    assert built(build())["a/index.html"] == "not in the cache"
    assert built(build()) == {}


def test_a_cache_that_is_a_file_is_no_cache(site, build):
    site.article("Text.\n")
    folder_of(site.output).write_text("a file", "utf-8")
    build()
    assert "Text." in page(site)


# ------------------------------------------------------------------ what was asked for
def test_another_content_folder_of_the_project_is_another_site(site, build):
    site.article("Of the one.\n")
    build()
    other = shutil.copytree(site.content, site.folder / "other")
    text = other / "articles/a/index.md"
    text.write_text(text.read_text("utf-8").replace("one", "other"), "utf-8")
    assert nothing_changed(site.content, site.output, {"base_url": None})
    assert not nothing_changed(other, site.output, {"base_url": None})
    pipeline.build(other, site.output)
    assert "Of the other." in page(site)


def test_a_published_file_that_no_page_uses_is_missed_all_the_same(site, build):
    site.add("spare.txt", "spare\n")
    site.add("site.toml", SETTINGS + 'publish = ["content/spare.txt"]\n')
    site.article("Text.\n")
    build()
    assert nothing_changed(site.content, site.output, {"base_url": None})
    (site.content / "spare.txt").unlink()
    assert not nothing_changed(site.content, site.output, {"base_url": None})
    assert problems(build) == ["publish: no file 'content/spare.txt'"]
