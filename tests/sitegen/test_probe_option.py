"""build.py --probe runs `make probe` first, with what it was given, and no build
follows a probe that failed."""

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.site_builder import snapshot
from tests.sitegen.test_command_line import run

ROOT = Path(__file__).parents[2]
STAND_IN = """#!/usr/bin/env python3
import json, os, sys
seen = {name: os.environ.get(name) for name in ("DEVICE", "MODEL")}
open(os.environ["SEEN"], "w").write(json.dumps([sys.argv[1:], seen]))
print("recording")
print("probe_pretrained.py: device: no", file=sys.stderr)
sys.exit(int(os.environ["STATUS"]))
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Put a program in make's place; return a function that tells what it was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "make").write_text(STAND_IN)
    (folder / "make").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    monkeypatch.setenv("STATUS", "0")
    return lambda: json.loads((tmp_path / "seen").read_text())


@pytest.mark.parametrize(("options", "expected"), [
    (["--probe", "cuda:0"], {"DEVICE": "cuda:0", "MODEL": ""}),
    (["--probe", "cpu", "--probe-model", "owner/model"],
     {"DEVICE": "cpu", "MODEL": "owner/model"}),
    (["--probe", "$(shell x); y", "--probe-model", "a b$c"],
     {"DEVICE": "$(shell x); y", "MODEL": "a b$c"})])
def test_the_probe_runs_before_the_build(site, stand_in, options, expected):
    site.article("Text.\n")
    status, out, _ = run(site, *options)
    assert status == 0 and "pages, " in out
    assert stand_in() == [["--silent", "--directory", str(ROOT), "probe"], expected]


def test_a_model_s_file_is_looked_for_where_we_are(site, stand_in, monkeypatch):
    site.article("Text.\n")
    model = site.add("small.gguf", b"")
    monkeypatch.chdir(model.parent)
    run(site, "--probe", "cpu", "--probe-model", "small.gguf")
    assert stand_in()[1]["MODEL"] == str(model)


def test_a_probe_that_fails_stops_the_build(site, stand_in, monkeypatch, capfd):
    site.article("Text.\n")
    run(site)
    before = snapshot(site.output)
    site.article("Other text.\n")
    monkeypatch.setenv("STATUS", "2")
    status, out, err = run(site, "--probe", "cuda:99")
    assert (status, out) == (1, "")
    assert err.splitlines()[0] == "--probe cuda:99: make probe ended with status 2"
    passed_on = capfd.readouterr()
    assert passed_on.out == ""
    assert sorted(passed_on.err.splitlines()) == [
        "probe_pretrained.py: device: no", "recording"]
    assert snapshot(site.output) == before


@pytest.mark.parametrize(("device", "why"), [
    ("cpu", "make cannot be run"), ("c\0pu", "null byte")])
def test_a_probe_that_cannot_begin_is_one_problem(site, monkeypatch, device, why):
    site.article("Text.\n")
    monkeypatch.setenv("PATH", str(site.folder))
    status, _, err = run(site, "--probe", device)
    assert status == 1 and why in err.splitlines()[0] and "Traceback" not in err
    assert not site.output.exists()


def test_without_the_option_no_probe_runs(site, stand_in):
    site.article("Text.\n")
    assert run(site)[0] == 0
    with pytest.raises(FileNotFoundError):
        stand_in()


def test_a_model_without_a_device_is_wrong_usage(site):
    status, _, err = run(site, "--probe-model", "x")
    assert status == 2 and "--probe-model needs --probe DEVICE" in err


@pytest.mark.parametrize(("device", "model", "expected"), [
    ("cpu", "", "--device|cpu|--output|probe/traces"),
    ("$(x) ;y", "a $b.gguf",
     "--device|$(x) ;y|--model|a $b.gguf|--output|probe/traces")])
def test_make_probe_gives_the_script_what_was_typed(device, model, expected):
    printed = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "probe"], cwd=ROOT,
        capture_output=True, text=True,
        env={**os.environ, "DEVICE": device, "MODEL": model, "ARGS": ""}, check=True)
    command = printed.stdout.replace("\\\n", " ").rstrip().split("\n")[-1]
    arguments = command.split("probe/probe_pretrained.py")[1]
    shell = subprocess.run(
        ["sh", "-c", f"printf '%s|' {arguments}"], capture_output=True, text=True,
        env={"DEVICE": device, "MODEL": model}, check=True)
    assert shell.stdout == f"{expected}|"
