"""tiny_llama.py as a reader runs it: alone, in an empty folder."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.model.loading import PATH, SOURCE, load_model

TOO_MANY = ",".join(["1"] * 65)
BAD_INPUT = {
    "no tokens": (["--verify", "--tokens", ""], "--tokens"),
    "a token above": (["--verify", "--tokens", "1,32"], "token 32 is outside 0..31"),
    "a token below": (["--verify", "--tokens=1,-1"], "token -1 is outside 0..31"),
    "no number": (["--verify", "--tokens", "1,x"], "'1,x'"),
    "an empty place": (["--verify", "--tokens", "1,,2"], "'1,,2'"),
    "too many tokens": (["--verify", "--tokens", TOO_MANY], "1 x 65 tokens"),
    "a negative seed": (["--verify", "--seed", "-1"], "seed -1 is negative"),
    "a seed in words": (["--verify", "--seed", "x"], "'x'"),
    "an unknown dtype": (["--verify", "--dtype", "float16"], "'float16'"),
    "an unknown option": (["--verify", "--token", "1"], "--token"),
    "nothing to do": ([], "--verify or --export-trace"),
    "chunks short of the prompt": (["--verify", "--chunks", "3,2"], "together 6"),
    "chunks beyond the prompt": (["--verify", "--chunks", "3,4"], "together 6"),
    "an empty chunk": (["--verify", "--chunks", "3,0,3"], "sizes above 0"),
    "a negative chunk": (["--verify", "--chunks=-1,7"], "sizes above 0"),
    "no chunks": (["--verify", "--chunks", ""], "--chunks"),
    "generating less than nothing": (["--verify", "--generate", "-1"], "0..64"),
    "generating without end": (["--verify", "--generate", "1" * 12], "0..64"),
    "generating past the cache": (["--verify", "--generate", "59"],
                                  "1 x 1 tokens after 64"),
    "generating in words": (["--verify", "--generate", "x"], "'x'"),
    "no folder": (["--export-trace", "missing/t.json"], "missing/t.json: No such file"),
    "a folder": (["--export-trace", "."], ". is not a file"),
    "no path": (["--export-trace", ""], "is not a file"),
    "a device": (["--export-trace", os.devnull], f"{os.devnull} is not a file"),
    "a long name": (["--export-trace", "n" * 300], "File name too long"),
}


@pytest.fixture
def folder(tmp_path):
    shutil.copy(PATH, tmp_path)
    return tmp_path


def run(folder, *arguments, **options):
    """Return the finished process of tiny_llama.py with these arguments."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "tiny_llama.py", *arguments], cwd=folder,
                          env=environment, timeout=120,
                          **{"capture_output": True, **options})


def test_the_articles_command_passes_and_writes_the_same_bytes_twice(folder):
    first = run(folder, "--verify", "--export-trace", "trace.json")
    again = run(folder, "--verify", "--export-trace", "other.json")
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == again.stdout
    assert (folder / "trace.json").read_bytes() == (folder / "other.json").read_bytes()
    assert sorted(os.listdir(folder)) == ["other.json", "tiny_llama.py", "trace.json"]


def test_every_check_is_printed_with_what_was_measured_and_its_limit(folder, llama):
    lines = run(folder, "--verify").stdout.decode().splitlines()
    records = list(llama.run_checks(llama.SEED))
    assert lines[-1] == f"{len(records)} of {len(records)} checks passed"
    for line, record in zip(lines, records, strict=False):
        assert line.startswith(f"pass  {record['claim']}: ")
        assert f"limit {record['limit']:g} ({record['dtype']})" in line


def test_a_trace_on_standard_output_is_the_file_and_nothing_else(folder):
    printed = run(folder, "--verify", "--export-trace", "-")
    run(folder, "--export-trace", "trace.json")
    assert printed.stdout == (folder / "trace.json").read_bytes()
    assert b"checks passed" in printed.stderr


def test_arguments_of_a_trace_make_the_same_trace_again(folder):
    run(folder, "--tokens", "5,4", "--seed", "3", "--dtype", "float32",
        "--export-trace", "first.json")
    recorded = json.loads((folder / "first.json").read_text())["producer"]["arguments"]
    assert recorded == ["--tokens", "5,4", "--seed", "3", "--dtype", "float32"]
    run(folder, *recorded, "--export-trace", "again.json")
    assert (folder / "again.json").read_bytes() == (folder / "first.json").read_bytes()


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_line_and_status_2(folder, case):
    arguments, words = BAD_INPUT[case]
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    message = done.stderr.decode()
    assert message.startswith("tiny_llama.py: ") and message.count("\n") == 1
    assert words in message
    assert os.listdir(folder) == ["tiny_llama.py"]


def test_a_failed_check_is_printed_and_gives_status_1(folder):
    spoiled = SOURCE.replace("(mean_square + eps)", "(mean_square)")
    assert spoiled != SOURCE
    (folder / "tiny_llama.py").write_text(spoiled, "utf-8")
    done = run(folder, "--verify", "--export-trace", "trace.json")
    assert done.returncode == 1
    assert b"FAIL  every tensor equals loops over single numbers" in done.stdout
    checks = json.loads((folder / "trace.json").read_text())["checks"]
    assert {check["id"] for check in checks if not check["passed"]} == {
        "reference", "reference-float32"}
    assert run(folder, "--export-trace", "trace.json").returncode == 1


@pytest.mark.parametrize("arguments", [["--verify"], ["--export-trace", "-"]])
def test_a_full_standard_output_is_one_line_and_status_2(folder, arguments):
    with open("/dev/full", "wb") as full:
        done = run(folder, *arguments, capture_output=False, stdout=full,
                   stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "tiny_llama.py: [Errno 28] No space left on device"]


def test_an_old_file_stays_when_the_new_one_cannot_be_finished(tmp_path, monkeypatch):
    llama, old = load_model(), tmp_path / "trace.json"
    old.write_text("old")

    def full_disk(*_):
        raise OSError(28, "No space left on device")

    for broken in ("write_bytes", "replace"):
        with monkeypatch.context() as patch:
            owner = Path if broken == "write_bytes" else llama.os
            patch.setattr(owner, broken, full_disk)
            with pytest.raises(OSError, match=r"trace\.json: No space left on device"):
                llama.write_whole(old, b"new")
        assert old.read_text() == "old" and os.listdir(tmp_path) == ["trace.json"]
    llama.write_whole(old, b"new")
    assert old.read_text() == "new" and os.listdir(tmp_path) == ["trace.json"]


def test_a_link_is_followed_not_replaced(tmp_path, llama):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    llama.write_whole(link, b"new")
    assert link.is_symlink() and target.read_text() == "new"


@pytest.mark.parametrize("place", ["read-only folder", "read-only file"])
def test_an_unprivileged_user_cannot_write_and_leaves_nothing(place, llama):
    """Root may write anywhere, so a child gives up its rights and then tries."""
    with tempfile.TemporaryDirectory() as name:
        folder, old = Path(name), Path(name, "trace.json")
        old.write_text("old")
        old.chmod(0o444 if place == "read-only file" else 0o666)
        folder.chmod(0o777 if place == "read-only file" else 0o555)
        child = os.fork()
        if child == 0:
            status = 3
            try:
                if os.geteuid() == 0:
                    os.setuid(65534)
                llama.write_whole(old, b"new")
                status = 0
            except OSError:
                status = 2
            finally:
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        folder.chmod(0o755)
        assert os.waitstatus_to_exitcode(ended) == 2
        assert old.read_text() == "old" and os.listdir(folder) == ["trace.json"]
