"""build.py says what it did, or what is wrong and where, without a traceback."""

import io
from contextlib import redirect_stderr, redirect_stdout

import pytest

from build import main
from tests.site_builder import snapshot


def run(site, *arguments):
    """Return (status, standard output, standard error) of build.py in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(["--content", str(site.content), "--output", str(site.output),
                           *arguments])
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue(), err.getvalue()


def test_a_build_says_what_to_open(site):
    site.article("Text.\n")
    status, out, err = run(site)
    assert (status, err) == (0, "")
    assert "2 pages" in out and "open " in out and "_site/index.html" in out


def test_problems_are_printed_with_their_lines_and_the_old_site_stays(site):
    site.article("Text.\n")
    run(site)
    before = snapshot(site.output)
    site.article("[a](x.txt) and [[value t:x]]\n")
    status, out, err = run(site)
    assert (status, out) == (1, "")
    lines = err.split("\n")
    assert lines[:3] == [
        "content/articles/a/index.md:4:5: no file or page 'x.txt'",
        "    | [a](x.txt) and [[value t:x]]", "    |     ^"]
    assert "content/articles/a/index.md:4:16: no trace 't'" in lines
    assert lines[-2] == f"2 problems; {site.output} is as it was"
    assert "Traceback" not in err
    assert snapshot(site.output) == before


BAD = {
    "front matter": ("---\ntitle: [\n---\nx\n", "index.md:2:9: "),
    "formula": ("---\ntitle: x\n---\n\\( \\foo \\)\n", "index.md:4:4: formula: "),
    "directive": ("---\ntitle: x\n---\n/// figur\n///\n", "index.md:4:1: unknown "),
    "option": ("---\ntitle: x\n---\n/// figure\n    wid: 1\n///\n", "index.md:4:1: "
               "figure: wid: unknown key"),
    "citation": ("---\ntitle: x\n---\n[@a]\n", "index.md:4:1: no reference 'a'"),
    "fence": ("---\ntitle: x\n---\n```\n", "index.md:4:1: fenced code is not closed"),
    "snippet": ("---\ntitle: x\n---\n/// snippet\n```python\n1/0\n```\n///\n",
                "index.md:6: ZeroDivisionError"),
    "image": ("---\ntitle: x\n---\n![](x)\n", "index.md:4:5: image without"),
    "empty": ("", "index.md:1: the file is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_each_bad_input_leaves_the_old_site_byte_for_byte(site, name):
    site.article("Text.\n")
    run(site)
    before = snapshot(site.folder / "_site")
    text, expected = BAD[name]
    site.article(text, front="")
    status, _, err = run(site)
    assert status == 1
    assert err.startswith(f"content/articles/a/{expected}")
    assert snapshot(site.output) == before
    assert sorted(path.name for path in site.folder.iterdir()) == ["_site", "content"]


def test_a_base_url_makes_canonical_addresses(site):
    site.article("Text.\n")
    assert run(site, "--base-url", "https://example.org/articles/")[0] == 0
    files = snapshot(site.output)
    for path, address in (("index.html", ""), ("a/index.html", "a/")):
        assert (f'<link rel="canonical" href="https://example.org/articles/{address}">'
                in files[path].decode())


def test_without_a_base_url_no_page_names_one(site):
    site.article("Text.\n")
    run(site)
    assert not any(b"canonical" in content or b"og:url" in content
                   for content in snapshot(site.output).values())


@pytest.mark.parametrize("address", [
    "", "example.org", "ftp://example.org", "https://", "https://a b.org", "//x.org",
    "https://x.org/?q", "https://x.org/#f", 'https://x.org/"><script>', "javascript:x"])
def test_a_wrong_base_url_is_wrong_usage(site, address):
    site.article("Text.\n")
    status, _, err = run(site, "--base-url", address)
    assert status == 2 and "--base-url is an address like" in err
    assert not site.output.exists()


@pytest.mark.parametrize("arguments", [["--colour"], ["extra"], ["--content"]])
def test_wrong_usage_has_status_two(site, arguments):
    assert run(site, *arguments)[0] == 2


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_says_that_a_build_runs_programs(site, option):
    status, out, _ = run(site, option)
    assert status == 0
    assert "runs the programs" in out and "--base-url" in out and "exit status" in out
