"""What `build.py serve` answers: pages of the site, to this machine, nothing else."""

import http.client
import json
import socket
import threading
from pathlib import Path

import pytest

from sitegen.commands.served import names_of, version_of, with_script
from sitegen.commands.server import Server
from sitegen.errors import BuildFailed, Place, Problem
from tests.site_builder import snapshot

PAGE = """<!doctype html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'">
</head><body>text &lt;/head></body></html>"""
FILES = {
    "index.html": PAGE, "a/index.html": PAGE, "a/x y é.txt": "spaced",
    "a/trace.json": "{}", "static/app.js": "1", "static/site.css": "a{}",
    "static/f.woff2": "f", "a/w.npz": "n", "a/p.png": "p", "a/m.py": "m = 1",
    ".written-by-build-py": ""}


@pytest.fixture
def output(tmp_path):
    """A built site, and files beside it that are nobody's business."""
    folder = tmp_path / "_site"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "beyond").symlink_to(tmp_path)
    (folder / "in.txt").symlink_to(folder / "a/m.py")
    return folder


@pytest.fixture
def server(output):
    """A Server of the site, which answers."""
    with Server(output, 0) as served:
        threading.Thread(target=served.serve_forever, args=[0.01], daemon=True).start()
        yield served
        served.shutdown()


def ask(server, path, method="GET", host="localhost"):
    """Return (status, headers, body) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=9)
    connection.putrequest(method, path, skip_host=True)
    if host is not None:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    try:
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(("path", "kind", "body"), [
    ("/a/trace.json?x=1", "application/json; charset=utf-8", b"{}"),
    ("/a/x%20y%20%C3%A9.txt", "text/plain; charset=utf-8", b"spaced"),
    ("/static/app.js", "text/javascript; charset=utf-8", b"1"),
    ("/static/site.css", "text/css; charset=utf-8", b"a{}"),
    ("/static/f.woff2", "font/woff2", b"f"), ("/a/p.png", "image/png", b"p"),
    ("/a/w.npz", "application/octet-stream", b"n"),
    ("/a/m.py", "text/plain; charset=utf-8", b"m = 1"),
    ("/in.txt", "text/plain; charset=utf-8", b"m = 1")])
def test_a_file_is_sent_as_it_is_with_its_type(server, path, kind, body):
    status, headers, sent = ask(server, path)
    assert (status, headers["Content-Type"], sent) == (200, kind, body)
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/index.html", "/a/", "/a/index.html?q"])
def test_a_page_alone_gets_the_script_and_may_connect_to_us(server, output, path):
    before = snapshot(output)
    _, headers, sent = ask(server, path)
    source = f"/-/serve.js?version={version_of(output)}"
    tag = f'<script type="module" src="{source}"></script>'
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert sent.decode() == PAGE.replace("'self'\"", "'self'; connect-src 'self'\""
                                         ).replace("</head>", f"{tag}</head>", 1)
    assert snapshot(output) == before


def test_a_page_without_a_head_gets_the_script_too():
    assert with_script("text", "1").startswith("text<script ")


@pytest.mark.parametrize("path", [
    "/../secret.txt", "/a/../../secret.txt", "/%2e%2e/secret.txt", "/.%2e/secret.txt",
    "/..%2fsecret.txt", "/..%2Fsecret.txt", "/..%5csecret.txt", "/..\\secret.txt",
    "/%2e%2e%5csecret.txt", "//secret.txt", "/a//index.html", "/./index.html",
    "/out.txt", "/beyond/secret.txt", "/beyond/", "/.written-by-build-py",
    "/%2ewritten-by-build-py", "/a%00/index.html", "/%FF", "/c:/secret.txt", "/C%3A/x",
    "secret.txt", "http://localhost/index.html", "*", "/a/index.html/", "/a/m.py/x"])
def test_what_names_no_file_of_the_site_is_not_there(server, path):
    status, _, sent = ask(server, path)
    assert status == 404 and b"No such page" in sent


def test_names_are_read_as_they_were_written():
    assert names_of("/a/b%20c/") == ["a", "b c"]
    assert names_of("/") == []


@pytest.mark.parametrize(("path", "location"), [
    ("/a", "/a/"), ("/a?x=//y", "/a/?x=//y")])
def test_a_folder_leads_to_its_page(server, path, location):
    status, headers, _ = ask(server, path)
    assert (status, headers["Location"]) == (301, location)


@pytest.mark.parametrize("path", ["/static", "//evil.example/a", "/beyond"])
def test_what_is_no_folder_with_a_page_leads_nowhere(server, path):
    status, headers, _ = ask(server, path)
    assert (status, headers["Location"]) == (404, None)


@pytest.mark.parametrize("host", [
    None, "", "example.org", "127.0.0.1.example.org", "localhost.example.org", "[::1]",
    "evil@127.0.0.1", "127.0.0.1:80:80", "127.0.0.1 ", "127.0.0.2"])
def test_another_name_of_this_machine_is_refused(server, host):
    for path in ("/", "/-/events", "/-/serve.js"):
        status, _, sent = ask(server, path, host=host)
        assert (status, sent) == (403, b"ask for localhost or 127.0.0.1\n")


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "127.0.0.1:81"])
def test_the_names_of_this_machine_are_right(server, host):
    assert ask(server, "/", host=host)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"])
def test_only_get_and_head_are_answered(server, method):
    status, headers, _ = ask(server, "/", method)
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("path", ["/", "/a/m.py", "/none", "/-/events"])
def test_head_has_the_headers_of_get_and_no_body(server, path):
    status, headers, sent = ask(server, path, "HEAD")
    assert sent == b""
    if path != "/-/events":
        got, expected, _ = ask(server, path)
        assert got == status and headers["Content-Length"] == expected["Content-Length"]


def test_a_missing_page_is_the_site_s_own(server, output):
    assert b"No such page" in ask(server, "/<none>")[2]
    assert b"<none>" not in ask(server, "/<none>")[2]
    (output / "404.html").write_text('<a href="a/x"></a><a href="#b"></a><a href="/c">'
                                     '</a><a href="https://d/"></a><img src="e.png">')
    status, _, sent = ask(server, "/far/away")
    assert status == 404 and sent.startswith(
        b'<a href="/a/x"></a><a href="#b"></a><a href="/c"></a>'
        b'<a href="https://d/"></a><img src="/e.png"><script ')


def test_before_the_first_page_there_is_one_that_follows_the_builds(server, output):
    output.rename(output.with_name("elsewhere"))
    status, _, sent = ask(server, "/a/")
    assert status == 503 and b"No page yet" in sent
    assert b'src="/-/serve.js?version="' in sent and b"connect-src 'self'" in sent


@pytest.mark.parametrize("name", ["serve.js", "serve.css"])
def test_its_own_files_are_those_of_static(server, name):
    (file,) = Path(__file__).parents[2].glob(f"static/*/*/{name}")
    assert ask(server, f"/-/{name}?version=1")[2] == file.read_bytes()


def listen(server):
    """Return a function that waits for the next event of a page that listens."""
    connection = http.client.HTTPConnection("localhost", server.server_port, timeout=9)
    connection.request("GET", "/-/events")
    answer = connection.getresponse()
    assert answer.headers["Content-Type"] == "text/event-stream"

    def next_event():
        line = answer.readline()
        assert answer.readline() == b"\n"
        return json.loads(line.removeprefix(b"data: "))

    return next_event


def test_every_page_that_listens_is_told_of_each_build(server, output):
    pages = [listen(server) for _ in range(8)]
    good = {"version": version_of(output), "problems": []}
    assert [page() for page in pages] == [good] * 8
    server.news.tell([Problem(Place("a.md", 3, 2), "wrong", "mend it", "xyz")])
    told = {"what": "a.md:3:2: wrong", "more": "    | xyz\n    |  ^\n  mend it"}
    assert [page() for page in pages] == [{**good, "problems": [told]}] * 8
    assert listen(server)()["problems"] == [told]


def test_a_build_that_replaces_the_site_is_another_version(output):
    before = version_of(output)
    assert before == version_of(output) != ""
    output.rename(output.with_name("old"))
    assert version_of(output) == ""
    output.mkdir()
    assert version_of(output) not in ("", before)


def test_a_taken_port_moves_to_the_next_free_one(output):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with Server(output, port) as second, Server(output, port) as third:
            assert port < second.server_port < third.server_port
            assert second.address == f"http://127.0.0.1:{second.server_port}/"


def test_no_free_port_is_told(output):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 65535))
        taken.listen()
        with pytest.raises(BuildFailed) as failed:
            Server(output, 65535)
    assert str(failed.value.problems[0]).startswith(
        "--port 65535: no port from here on can be listened at: they are all taken")


def test_it_is_heard_on_this_machine_alone(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"
