"""A browser is found, or installed, or missed aloud."""

import pytest

from tests.tools import browsers
from tests.tools.browsers import CHROMIUM, FIREFOX, Browser, find_or_install


@pytest.fixture
def path_with(tmp_path, monkeypatch):
    """Return a function that makes PATH a folder with these commands alone."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def make(*commands):
        for name in commands:
            (tmp_path / name).touch(mode=0o755)
        return tmp_path

    return make


def test_the_machine_s_browser_is_found_best_first(path_with):
    folder = path_with("chromium", "google-chrome", "firefox-esr")
    assert browsers.find_stock(CHROMIUM) == Browser(CHROMIUM, folder / "google-chrome")
    assert browsers.find_stock(FIREFOX) == Browser(FIREFOX, folder / "firefox-esr")


def test_what_is_not_there_is_not_found(path_with):
    path_with("netscape")
    assert browsers.find_stock(FIREFOX) is None


def test_a_browser_that_is_there_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(browsers, "install_commands", lambda kind: [["false"]])
    there = Browser(CHROMIUM, tmp_path)
    assert find_or_install(CHROMIUM, find=lambda kind: there) is there


def test_installing_stops_with_the_first_command_that_brings_one(
    tmp_path, monkeypatch
):
    traces = [tmp_path / name for name in ("first", "second", "third")]
    commands = [["false"], ["touch", traces[1]], ["touch", traces[2]]]
    monkeypatch.setattr(
        browsers,
        "install_commands",
        lambda kind: [list(map(str, command)) for command in commands],
    )

    def find(kind):
        return Browser(kind, traces[1], True) if traces[1].exists() else None

    assert find_or_install(FIREFOX, find=find).is_playwright_build
    assert not traces[2].exists()


def test_a_browser_that_cannot_be_had_is_named_with_what_to_do(monkeypatch, capsys):
    monkeypatch.setattr(browsers, "install_commands", lambda kind: [["false"]])
    monkeypatch.setattr(browsers, "find_or_install", lambda kind: find_or_install(
        kind, find=lambda kind: None
    ))
    assert browsers.main() == 1
    said = capsys.readouterr().err
    assert "no chromium was found" in said and "apt-get install chromium" in said


def test_playwright_s_download_is_tried_before_the_system_s_package(monkeypatch):
    monkeypatch.setattr(browsers.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(browsers.os, "geteuid", lambda: 0)
    first, second = browsers.install_commands(FIREFOX)
    assert first[1:] == ["-m", "playwright", "install", "firefox"]
    assert second[0] == "apt-get" and second[-1] == "firefox-esr"
