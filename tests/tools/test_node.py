"""Node is the machine's if it is new enough, else the one of PyPI's wheel."""

import pytest

from tests.tools import node


@pytest.fixture
def machine_node(tmp_path, monkeypatch):
    """Return a function that puts a Node of some version, and npm, on PATH alone."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def install(version):
        for name in ("node", "npm"):
            (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
            (tmp_path / name).chmod(0o755)
        return tmp_path

    return install


def test_a_new_node_of_the_machine_is_taken(machine_node):
    assert node.find_machine_node() is None
    folder = machine_node("v20.11.0")
    assert node.find_machine_node() == folder
    assert node.main(["npm", "ci"]) == 0


def test_an_old_node_of_the_machine_is_not_taken(machine_node):
    machine_node("v18.20.4")
    assert node.find_machine_node() is None


def test_what_is_no_node_is_not_taken(machine_node):
    machine_node("command not found")
    assert node.find_machine_node() is None


def test_without_one_the_wheel_is_installed_once(machine_node, tmp_path, monkeypatch):
    wheels, installed = [None, tmp_path], []
    monkeypatch.setattr(node, "find_wheel_node", lambda: wheels.pop(0))
    monkeypatch.setattr(node, "install_wheel", lambda: installed.append("wheel"))
    assert node.node_folder() == tmp_path
    assert installed == ["wheel"]


def test_a_wheel_that_brings_no_node_is_an_error(machine_node, monkeypatch):
    monkeypatch.setattr(node, "find_wheel_node", lambda: None)
    monkeypatch.setattr(node, "install_wheel", lambda: None)
    with pytest.raises(FileNotFoundError, match="no Node 20"):
        node.node_folder()


def test_no_command_is_wrong_usage(capsys):
    assert node.main([]) == 2
    assert "npm ci" in capsys.readouterr().err


def test_an_unknown_command_is_an_error(machine_node, capsys):
    machine_node("v22.0.0")
    assert node.main(["nqm", "ci"]) == 1
    assert "nqm: not found" in capsys.readouterr().err
