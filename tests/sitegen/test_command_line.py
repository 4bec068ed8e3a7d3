"""build.py says what it did, or what is wrong and where, without a traceback."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout

import pytest

from build import main
from sitegen.commands.arguments import COMMANDS
from sitegen.schemas import schema_errors
from tests.site_builder import snapshot
from tests.synthetic_trace import synthetic_trace


def run(site, *arguments, command=()):
    """Return (status, standard output, standard error) of build.py in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = main([*command, "--content", str(site.content), "--output",
                           str(site.output), *arguments])
        except SystemExit as ended:
            status = ended.code
    return status, out.getvalue(), err.getvalue()


def test_a_build_says_what_to_open(site):
    site.article("Text.\n")
    status, out, err = run(site)
    assert (status, err) == (0, "")
    assert "4 pages" in out and "open " in out and "_site/index.html" in out


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


HEAD = "---\ntitle: x\n---\n"
WEIGHTS = "layers.0.weights"
# kind → (the article, how its message begins)
BAD = {
    "front matter that does not parse": ("---\ntitle: [\n---\nx\n", "index.md:2:9: "),
    "front matter without a title": ("---\nlang: en\n---\nx\n", "index.md:1:1: "
                                     "front matter: 'title' is missing"),
    "formula": (HEAD + "\\( \\foo \\)\n", "index.md:4:4: formula: "),
    "directive": (HEAD + "/// figur\n///\n", "index.md:4:5: unknown "),
    "option": (HEAD + "/// figure\n    wid: 1\n///\n",
               "index.md:5:5: figure: wid: unknown key"),
    "step": (HEAD + "[x](step:none)\n", "index.md:4:5: "),
    "value": (HEAD + "[[value t:none]]\n", "index.md:4:1: no trace 't'"),
    "label": (HEAD + "[](#none)\n", "index.md:4:4: "),
    "citation": (HEAD + "[@a]\n", "index.md:4:1: no reference 'a'"),
    "fence": (HEAD + "```\n", "index.md:4:1: fenced code is not closed"),
    "snippet": (HEAD + "/// snippet\n```python\n1/0\n```\n///\n",
                "index.md:6:1: ZeroDivisionError"),
    "wrong shape": (HEAD + "/// snippet\n```python\nimport numpy as np\n"
                    "a = np.ones(3)  # [4]\n```\n///\n", "index.md:7:17: the comment"),
    "missing file": (HEAD + "[x](x.txt)\n", "index.md:4:5: no file or page 'x.txt'"),
    "missing image": (HEAD + "![a view](x.png)\n", "index.md:4:11: no file or page"),
    "alternative text": (HEAD + "![](x)\n", "index.md:4:5: image without"),
    "missing page": (HEAD + "[x](../b/index.html)\n", "index.md:4:5: "),
    "missing anchor": (HEAD + "[x](#none)\n", "index.md:4:5: "),
    "equal ids": (HEAD + "## A {#a}\n\n## B {#a}\n",
                  "index.md:4:7: the id 'a' stands on lines 4 and 6"),
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
    assert "Traceback" not in err
    assert snapshot(site.output) == before
    assert sorted(path.name for path in site.folder.iterdir()) == [
        "._site-cache", "_site", "content"]


def spoilt(*path, value):
    """Return a trace with one value of its own replaced."""
    data = synthetic_trace()
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data)


BAD_TRACES = {
    "absent": (None, "content/traces.toml: t: no file 'content/t.json'"),
    "no JSON": ("{", "content/t.json: not JSON"),
    "schema": (spoilt("model", "vocab_size", value="many"),
               "content/t.json: model.vocab_size: "),
    "row": (spoilt("tensors", WEIGHTS, "values", 0, value=0.5),
            f"content/t.json: {WEIGHTS}: row [head 0, query 0] sums to 0.5"),
    "forbidden": (spoilt("tensors", WEIGHTS, "values", 1, value=1e-9),
                  f"content/t.json: {WEIGHTS}: [head 0, query 0, key 1] is forbidden"),
}


@pytest.mark.parametrize("name", BAD_TRACES)
def test_each_bad_trace_leaves_the_old_site_byte_for_byte(site, name):
    site.article("Text.\n")
    run(site)
    before = snapshot(site.output)
    text, expected = BAD_TRACES[name]
    site.add("traces.toml", '[t]\nfile = "content/t.json"\n')
    if text is not None:
        site.add("t.json", text)
    status, _, err = run(site)
    assert status == 1
    assert err.startswith(expected)
    assert "Traceback" not in err
    assert snapshot(site.output) == before


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
    assert status == 2 and "argument --base-url: it is an address like" in err
    assert not site.output.exists()


@pytest.mark.parametrize("arguments", [
    ["--colour"], ["extra"], ["--content"], ["--quie"], ["--port", "8000"]])
def test_wrong_usage_has_status_two(site, arguments):
    assert run(site, *arguments)[0] == 2


@pytest.mark.parametrize("argv", [
    ["biuld"], ["--content", "x", "check"], ["serve", "--port", "65536"],
    ["serve", "--port", "²"], ["new"], ["check", "--probe", "cpu"]])
def test_what_no_command_takes_is_wrong_usage(argv, capsys):
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert "usage: build.py" in capsys.readouterr().err


def printed_help(capsys, *argv):
    """Return what build.py prints when asked for help."""
    with pytest.raises(SystemExit) as ended:
        main(list(argv))
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_the_commands_and_says_that_a_build_runs_programs(capsys, option):
    out = printed_help(capsys, option)
    assert "runs the programs" in out
    assert all(f"\n    {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_each_help_says_what_the_exit_statuses_mean(capsys, command):
    out = " ".join(printed_help(capsys, *command, "-h").split())
    for status in ("0 done", "1 problems", "2 wrong usage", "130 stopped with Ctrl-C"):
        assert status in out


def test_build_is_what_is_done_where_no_command_is_named(site):
    site.article("Text.\n")
    assert run(site)[0] == 0
    unnamed = snapshot(site.output)
    assert run(site, command=["build"])[0] == 0
    assert snapshot(site.output) == unnamed


def test_everybody_may_read_what_was_built(site):
    site.article("Text.\n")
    run(site)
    pages = list(site.output.rglob("*.html"))
    assert pages and all(path.stat().st_mode & 0o777 == 0o644 for path in pages)


def test_quiet_prints_nothing_but_problems(site):
    site.article("Text.\n")
    assert run(site, "--quiet") == (0, "", "")
    site.article("[a](x.txt)\n")
    status, out, err = run(site, "--quiet")
    assert (status, out) == (1, "") and "no file or page 'x.txt'" in err


def document(site, *arguments, command=()):
    """Return the JSON document that build.py prints, held to its schema."""
    status, out, err = run(site, "--json", *arguments, command=command)
    printed = json.loads(out)
    assert list(schema_errors("report.schema.json", printed)) == []
    assert (printed["status"], err) == (status, "")
    return printed


@pytest.mark.parametrize("command", ["build", "check"])
def test_json_tells_programs_what_was_made(site, command):
    site.article("Text.\n")
    printed = document(site, command=[command])
    assert printed["status"] == 0 and printed["command"] == command
    assert printed["output"] == str(site.output) and printed["problems"] == []
    assert printed["files"] > 2


@pytest.mark.parametrize("command", ["build", "check"])
def test_json_tells_programs_what_is_wrong(site, command):
    site.article("Text.\n\n[a](“x”.txt)\n")
    printed = document(site, command=[command])
    (problem,) = printed["problems"]
    assert printed["status"] == 1
    assert problem["place"] == {"path": "content/articles/a/index.md", "line": 6,
                                "column": 5}
    assert problem["message"] == "no file or page '“x”.txt'"
    assert problem["excerpt"] == "[a](“x”.txt)" and problem["todo"]


@pytest.mark.parametrize("spoil", [
    lambda printed: printed.pop("problems"),
    lambda printed: printed.update(status=2),
    lambda printed: printed.update(extra=1),
    lambda printed: printed["problems"].append("text")])
def test_the_schema_of_the_document_notices(site, spoil):
    site.article("Text.\n")
    printed = document(site)
    spoil(printed)
    assert list(schema_errors("report.schema.json", printed))


def test_what_a_terminal_would_obey_is_not_printed(site):
    site.article("Text.\n")
    (site.content / "articles/a/\x1b[2Jx").symlink_to("nowhere")
    _, _, err = run(site)
    assert err.startswith("content/articles/a/\N{REPLACEMENT CHARACTER}[2Jx: a link")


def test_a_command_line_that_is_stopped_says_so(site, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("sitegen.commands.build.build", stopped)
    assert run(site) == (130, "", "stopped\n")
