"""`build.py view` says what it wrote, or what is wrong with the trace."""

import json

import pytest

from build import main
from tests.pretrained_trace import pretrained_trace
from tests.synthetic_trace import synthetic_trace


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *arguments):
    """Return (status, standard output, standard error) of build.py view."""
    try:
        status = main(["view", *arguments])
    except SystemExit as ended:
        status = ended.code
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_page_is_named_after_the_trace_and_lies_where_we_are(folder, capsys):
    (folder / "far").mkdir()
    (folder / "far/run.1.json").write_text(json.dumps(synthetic_trace()))
    status, out, err = run(capsys, "far/run.1.json")
    assert (status, err) == (0, "")
    size = (folder / "run.1.html").stat().st_size
    assert out == f"run.1.html: {size / 1000:.0f} KB in one file; open it\n"
    assert sorted(path.name for path in folder.iterdir()) == ["far", "run.1.html"]


def test_output_names_the_page(folder, capsys):
    (folder / "t.json").write_text(json.dumps(pretrained_trace(12)))
    assert run(capsys, "t.json", "--output", "page.html")[0] == 0
    assert (folder / "page.html").read_bytes().startswith(b"<!doctype html>")


def spoiled(change):
    """Return the text of a trace after a change of its data."""
    data = synthetic_trace()
    change(data)
    return json.dumps(data).encode()


BAD = {
    "no JSON": (b"{", "t.json: not JSON"),
    "no text": (b"\xff", "t.json: cannot be read: 'utf-8' codec"),
    "no trace": (b"[]", "t.json: trace: "),
    "empty": (b"", "t.json: not JSON"),
    "truncated": (spoiled(lambda data: None)[:900], "t.json: not JSON"),
    "newer": (b'{"format_major": 2}', "t.json: trace format 2 is newer"),
    "edited": (spoiled(lambda data: data["tensors"]["layers.1.weights"]["values"]
                       .__setitem__(0, 0.5)),
               "t.json: layers.1.weights: row [head 0, query 0] sums to 0.5"),
    "a key too few": (spoiled(lambda data: data.pop("input")), "t.json: trace: "),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_trace_is_told_and_nothing_is_written(folder, capsys, name):
    content, message = BAD[name]
    (folder / "t.json").write_bytes(content)
    status, out, err = run(capsys, "t.json")
    assert (status, out) == (1, "")
    assert err.startswith(message) and "Traceback" not in err
    assert err.endswith("t.html is as it was\n")
    assert [path.name for path in folder.iterdir()] == ["t.json"]


@pytest.mark.parametrize("name", ["absent.json", "", ".", "a\0b"])
def test_a_trace_that_is_no_file_is_told(folder, capsys, name):
    status, _, err = run(capsys, name)
    assert status == 1 and "cannot be read" in err.splitlines()[0]
    assert not list(folder.iterdir())


@pytest.mark.parametrize("arguments", [
    [], ["a.json", "b.json"], ["a.json", "--colour"], ["a.json", "--output"],
    ["a.json", "--content", "x"]])
def test_wrong_usage_has_status_two(folder, capsys, arguments):
    assert run(capsys, *arguments)[0] == 2


def test_view_does_not_mix_with_a_build_s_options(folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--content", "x", "view", "t.json"])
    assert ended.value.code == 2


def test_help_names_the_trace_and_the_page(folder, capsys):
    status, out, _ = run(capsys, "--help")
    assert status == 0 and "TRACE" in out and "--output FILE" in out
