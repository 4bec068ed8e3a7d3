"""`build.py check` finds what a build would find, and writes nothing; --external asks
web addresses, here of a host of the test's own."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sitegen.commands import external
from tests.site_builder import snapshot
from tests.sitegen.test_command_line import run

# Path → (status of HEAD, of GET, where it redirects to).
ANSWERS = {
    "/good": (200, 200, None), "/gone": (404, 404, None), "/broken": (500, 500, None),
    "/no-head": (405, 200, None), "/moved": (301, 301, "/good"),
    "/moved-twice": (308, 308, "/moved"), "/elsewhere": (302, 302, "/good"),
    "/moved-away": (301, 301, "/gone"), "/circle": (302, 302, "/circle"),
    "/to-a-file": (302, 302, "file:///etc/hostname"), "/%C3%BC": (200, 200, None)}


class Host(BaseHTTPRequestHandler):
    """Answers as ANSWERS says, and remembers what it was asked."""

    def do_HEAD(self):
        self.server.asked.append((self.command, self.path))
        head, get, location = ANSWERS[self.path]
        self.send_response(head if self.command == "HEAD" else get)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, *words):
        pass


@contextmanager
def listening(server):
    """Let a server answer in a thread of its own; yield its address."""
    server.asked = []
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def host(monkeypatch):
    """A host to ask, without the pauses that others are owed."""
    monkeypatch.setattr(external, "PAUSE_SECONDS", 0)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    with listening(server) as address:
        server.address = address
        yield server


def check(site, *arguments):
    """Return (status, standard output, standard error) of build.py check."""
    return run(site, *arguments, command=["check"])


def test_a_check_finds_what_a_build_finds_and_writes_nothing(site):
    site.article("Text.\n")
    before = snapshot(site.folder)
    status, out, err = check(site)
    assert (status, err) == (0, "") and "\nno problems: 4 pages, " in out
    assert snapshot(site.folder) == before
    site.article("[a](x.txt)\n\n\\( \\foo \\)\n")
    before = snapshot(site.folder)
    status, _, err = check(site)
    assert status == 1 and err.endswith("\n2 problems\n")
    assert snapshot(site.folder) == before
    assert run(site)[2] == err.replace(
        "2 problems", f"2 problems; {site.output} is as it was")


def test_no_address_is_asked_unless_that_is_wanted(site, host):
    site.article(f"[a]({host.address}/gone)\n")
    assert check(site)[0] == 0
    assert host.asked == []


def test_addresses_that_lead_somewhere_are_right(site, host):
    paths = ("good", "no-head", "elsewhere", "ü", "good#part")
    site.article("\n\n".join(f"[a]({host.address}/{path})" for path in paths))
    assert check(site, "--external")[::2] == (0, "")


WRONG = {
    "gone": "answers 404 Not Found", "broken": "answers 500 Internal Server Error",
    "moved": "has moved for good\n  write {}/good",
    "moved-twice": "has moved for good\n  write {}/good",
    "moved-away": "answers 404 Not Found", "circle": "answers 302 Found",
    "to-a-file": "it redirects to 'file:///etc/hostname'"}


@pytest.mark.parametrize("path", WRONG)
def test_an_address_that_leads_nowhere_is_told_with_its_place(site, host, path):
    site.article(f"Text.\n\n[a]({host.address}/{path})\n")
    status, _, err = check(site, "--external")
    assert status == 1
    assert err.startswith("content/articles/a/index.md:6:5: ")
    said = err.replace(f"    | [a]({host.address}/{path})\n    |     ^\n", "")
    assert WRONG[path].format(host.address) in said


@pytest.mark.parametrize("address", [
    "http://127.0.0.1:1/", "http://127.0.0.1:99999/", "http://[::1/", "http://x y.z/"])
def test_a_host_that_does_not_answer_is_told(site, monkeypatch, address):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert "no answer" in external.ask(address)[0]


def test_each_address_is_asked_once_with_a_pause_between_them(host, monkeypatch):
    pauses = []
    monkeypatch.setattr(external.time, "sleep", pauses.append)
    monkeypatch.setattr(external, "PAUSE_SECONDS", 0.5)
    links = [f"{host.address}/good", f"{host.address}/good#a", f"{host.address}/gone"]
    assert [address for address, _ in external.ask_all(links)] == links[2:]
    assert host.asked == [("HEAD", "/good"), ("HEAD", "/gone"), ("GET", "/gone")]
    assert pauses == [0, 0.5]


def test_a_reference_is_told_where_references_bib_has_it(site, host):
    site.add("references.bib", "@misc{a, author={B, C}, title={T},\n"
             f"  url = {{{host.address}/gone}}}}\n")
    site.article("[@a]\n")
    status, _, err = check(site, "--external")
    assert status == 1 and err.startswith("content/references.bib:2:10: ")
