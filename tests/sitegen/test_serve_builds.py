"""`build.py serve` builds when something is saved, says what is wrong, and ends."""

import signal
import socket
import time
from pathlib import Path

import pytest

from build import main
from sitegen.commands import watching
from sitegen.commands.rebuilding import read_document
from sitegen.commands.serve import saved_words
from sitegen.commands.watching import outside_files
from sitegen.errors import BuildFailed
from tests.serving import Serving, is_running
from tests.site_builder import SETTINGS, SmallSite, snapshot

QUIET_SECONDS = 0.6     # in which a save would have been noticed
SOON_SECONDS = 3        # 0.2 where nothing else runs; a build takes longer here


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small site below a folder with a space and other letters in its name."""
    small = SmallSite(tmp_path_factory.mktemp("ein Ort, 地方"))
    small.article("First text.\n")
    small.add("site.toml", 'title = "S"\ndescription = "D"\narticles = ["a"]\n'
              'publish = ["shared/data.txt"]\n')
    (small.folder / "shared").mkdir()
    (small.folder / "shared/data.txt").write_text("1")
    return small


@pytest.fixture(scope="module")
def serving(site):
    """The site, served; what follows are saves."""
    served = Serving(site)
    yield served
    served.close()


@pytest.fixture
def settled(serving):
    """The server once it has built all that was saved."""
    while serving.rest(QUIET_SECONDS):
        pass
    return serving


def test_a_page_is_there_and_files_on_disk_stay_as_built(site, serving):
    serving.wait_for("^built in ")
    assert "First text." in serving.read("a/") and "serve.js" in serving.read("a/")
    assert not any(b"/-/" in content for content in snapshot(site.output).values())


def test_a_burst_of_saves_is_built_once(site, settled):
    for number in range(5):
        site.article(f"Text {number}.\n")
    settled.wait_for("^content/articles/a/index.md saved$")
    settled.wait_for("^built in ")
    assert "Text 4." in settled.read("a/")
    assert settled.rest(QUIET_SECONDS) == ""


def test_a_file_that_is_published_from_outside_counts(site, settled):
    (site.folder / "shared/other.txt").write_text("nobody's")
    assert settled.rest(QUIET_SECONDS) == ""
    fresh = site.folder / "shared/fresh.txt"
    fresh.write_text("2")
    fresh.replace(site.folder / "shared/data.txt")      # as many editors save
    settled.wait_for("^shared/data.txt saved$")
    settled.wait_for("^built in ")


def test_a_mistake_is_told_and_the_last_good_page_stays(site, settled):
    site.article("[a](x.txt)\n")
    settled.wait_for(r"^content/articles/a/index.md:4:5: no file or page 'x.txt'$")
    settled.wait_for("^1 problem; the last good pages stay$")
    assert "Text 4." in settled.read("a/")
    site.article("Mended.\n")
    settled.wait_for("^built in ")
    assert "Mended." in settled.read("a/")


def test_nothing_is_built_where_nothing_was_saved(site, settled):
    (site.folder / "content/.hidden.swp").write_text("an editor's")
    (site.output / "own.txt").write_text("the output's")
    (site.folder / "unnamed.txt").write_text("nobody's")
    assert settled.rest(QUIET_SECONDS) == ""


def test_ctrl_c_ends_it_at_once_and_frees_the_port(serving):
    port = int(serving.address.rpartition(":")[2].rstrip("/"))
    status, seconds = serving.interrupt()
    assert (status, serving.rest(0.05)) == (130, "stopped\n")
    assert seconds < SOON_SECONDS
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))


def test_a_build_that_is_running_ends_too(tmp_path):
    site, told = SmallSite(tmp_path), tmp_path / "number"
    site.article("/// snippet\n```python\nimport os, time\n"
                 f"open({str(told)!r}, 'w').write(str(os.getpid()))\n"
                 "time.sleep(60)\n```\n///\n")
    served = Serving(site)
    while not (told.exists() and told.read_text()):
        time.sleep(0.02)
    status, seconds = served.interrupt()
    assert status == 130 and "Traceback" not in served.rest(0.05)
    assert seconds < SOON_SECONDS
    assert not is_running(int(told.read_text()))
    left = {path.name for path in tmp_path.iterdir()}
    assert left - {"._site-cache"} == {"content", "number"}


def test_a_site_that_was_never_good_says_so_until_it_is(tmp_path):
    site = SmallSite(tmp_path)
    served = Serving(site)
    served.wait_for("^1 problem; ")
    site.article("Text.\n")
    served.wait_for("^built in ")
    assert "Text." in served.read("a/")
    status, seconds = served.interrupt(signal.SIGTERM)
    assert status == 130 and seconds < SOON_SECONDS


def test_a_content_folder_that_is_not_there_is_told(tmp_path, capsys):
    assert main(["serve", "--content", str(tmp_path / "none"), "--no-open"]) == 1
    assert "none: no such folder" in capsys.readouterr().err


def test_a_generator_that_breaks_is_a_problem_like_another():
    said = "Traceback (most recent call last):\n  File x\nSyntaxError: invalid syntax\n"
    (problem,), built = read_document(b"", said)
    assert str(problem).startswith("build.py: SyntaxError: invalid syntax\n")
    assert "File x" in problem.todo and built == []
    assert read_document(b"", "")[0][0].message == "ended without a word"


def test_files_from_outside_are_those_that_the_settings_name(tmp_path):
    site = SmallSite(tmp_path)
    site.add("site.toml", SETTINGS + 'publish = ["b.txt", "../c.txt"]\n')
    site.add("traces.toml",
             '[t]\nrun = ["python", "model/m.py"]\n[u]\nfile = "u.json"\n')
    found = outside_files(site.content)
    assert {tmp_path / name for name in ("b.txt", "model/m.py", "u.json")} <= found
    site.add("site.toml", "publish = [")
    assert tmp_path / "b.txt" not in outside_files(site.content)


def test_a_watch_that_is_refused_is_told(tmp_path, monkeypatch):
    def refused(*paths, **options):
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(watching, "watch", refused)
    watcher = watching.Watcher(SmallSite(tmp_path).content, tmp_path / "_site")
    with pytest.raises(BuildFailed) as failed:
        next(watcher.saves())
    assert "OS file watch limit reached" in str(failed.value.problems[0])


def test_a_content_folder_that_is_replaced_is_watched_again(tmp_path):
    site = SmallSite(tmp_path)
    saves = watching.Watcher(site.content, site.output).saves()
    site.content.rename(tmp_path / "old")
    assert site.content in next(saves)
    (tmp_path / "old").rename(site.content)
    assert site.content in next(saves)
    time.sleep(0.1)
    saved = site.add("x.txt", "x")
    assert saved in next(saves)


def test_many_saves_are_counted():
    assert saved_words({Path("b.md"), Path("a.md")}) == "a.md, b.md"
    assert saved_words({Path(str(n)) for n in range(9)}) == "9 files"
