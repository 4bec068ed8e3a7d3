"""Fixtures of the tests that need PyTorch."""

import json

import pytest

from tests.probe.scripts import probe
from tests.probe.small_models import save_small_model


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory):
    """Return a function: the name of a small model → the folder it is saved in."""
    made = {}

    def folder(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("models") / name
            save_small_model(name, made[name])
        return made[name]

    return folder


@pytest.fixture
def record(tmp_path, capfd):
    """Return a function: arguments → (status, trace or None, standard error)."""
    def run(*arguments, output="trace.json"):
        path = tmp_path / output
        status = probe.main([*map(str, arguments), "--output", str(path)])
        text = path.read_text("utf-8") if path.exists() else None
        return status, text and json.loads(text), capfd.readouterr().err
    return run
