"""A name that somebody typed reaches no file that it may not, on any system."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.safe_paths import fault_of_name, has_file, is_below, leads_out
from tests.site_builder import SETTINGS

OUT = ["/etc/passwd", "../outside", "content/../../outside", "Content/../x", "..\\x",
       "a\\..\\..\\x", "\\x", "C:\\x", "c:x", "//host/x", "\\\\host\\x", ".."]
NO_FILES = ["a" * 300, "a/" * 3000 + "b", "a\0b", "", ".", "\ud800"]


@pytest.mark.parametrize("name", OUT)
def test_a_name_that_leads_out_is_told(name, tmp_path):
    assert leads_out(tmp_path, name)
    assert not is_below(tmp_path, name)


@pytest.mark.parametrize("name", NO_FILES)
def test_a_name_of_no_file_is_no_file(name, tmp_path):
    assert not has_file(tmp_path, name)


@given(st.text(max_size=30))
def test_any_name_has_an_answer(name):
    assert fault_of_name(name) is None or len(fault_of_name(name)) > 5


def test_a_link_out_leads_out_and_a_plain_file_does_not(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "x.py").write_text("x")
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")
    assert is_below(folder, "x.py")
    assert leads_out(folder, "link")
    assert not is_below(folder, "link")


@pytest.mark.parametrize("name", ["CON", "nul.txt", "sub/LPT1", "com1.py", "x.", "y ",
                                  "a?b", "a|b", 'a"b', "sub./x", "é" * 130])
def test_a_name_that_not_every_disk_holds_is_told(name):
    assert fault_of_name(name)


@pytest.mark.parametrize("name", ["x.py", "sub/naïve name.txt", "console",
                                  "nullable.py", ".x", "注.md", "a..b"])
def test_an_ordinary_name_is_none_of_them(name):
    assert fault_of_name(name) is None


@pytest.mark.parametrize("name", [*OUT, *NO_FILES[:2], "nul.py"])
def test_nothing_of_the_kind_is_published(site, name):
    (site.folder.parent / "outside").write_text("x")
    (site.folder / "nul.py").write_text("x")
    site.article("Text.\n")
    site.add("site.toml", f"{SETTINGS}publish = {json.dumps([name])}\n")
    assert all(problem.message.startswith("publish: ") for problem in site.failure())


@pytest.mark.parametrize("name", [*OUT, *NO_FILES[:3]])
def test_nothing_of_the_kind_is_run(site, name):
    site.article(f"/// snippet\n    file: {json.dumps(name)}\n\nx\n///\n")
    assert "no script" in site.failure()[0].message


@pytest.mark.parametrize("name", ["CON.txt", "x."])
def test_no_file_beside_an_article_has_such_a_name(site, name):
    site.article("Text.\n")
    site.add(f"articles/a/{name}", "x")
    assert site.failure()[0].todo == "rename the file"
