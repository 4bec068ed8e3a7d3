"""The server of `build.py serve`: the built site, on this machine alone, and the news
of each build for the pages that are open."""

import errno
import html
import json
import os
import re
import socketserver
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sitegen.commands.served import (
    PAGE,
    file_of,
    from_root,
    is_folder,
    type_of,
    version_of,
    with_script,
)
from sitegen.errors import BuildFailed, Place, Problem

ROOT = Path(__file__).parents[2]
HOST = "127.0.0.1"
PORTS_TRIED = 100
# A page of another site can have its name lead here; it cannot say one of these.
OUR_NAMES = re.compile(r"(localhost|127\.0\.0\.1)(:\d+)?")
METHODS = ("GET", "HEAD")
OWN_FILES = {"/-/serve.js": ROOT / "static/js/serve/serve.js",
             "/-/serve.css": ROOT / "static/css/pages/serve.css"}
EVENTS = "/-/events"
STILL_HERE_SECONDS = 15     # between two lines that show whether a page still listens
BARE_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src data:">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<title>{0}</title></head><body><h1>{0}</h1><p>{1}</p></body></html>
"""  # noqa: E501


class News:
    """What became of the last build; whoever waits for the next one is told."""

    def __init__(self):
        self._changed = threading.Condition()
        self._number, self._problems = 0, []

    def tell(self, problems):
        """Say that a build has ended, with these problems or none."""
        with self._changed:
            self._number += 1
            self._problems = problems
            self._changed.notify_all()

    def after(self, number, seconds):
        """Return (number, problems) of the last build: at once where its number is not
        the given one, else when there is another, or the seconds have passed."""
        with self._changed:
            self._changed.wait_for(lambda: self._number != number, seconds)
            return self._number, self._problems


class Server(ThreadingHTTPServer):
    """Serves an output folder at the first free port from the one that was asked for.

    Raises BuildFailed where there is none.
    """

    daemon_threads = True
    # Elsewhere it lets a second server take a port that has one.
    allow_reuse_address = os.name == "posix"

    def __init__(self, output, port):
        self.output, self.news = Path(output), News()
        for tried in range(port, min(port + PORTS_TRIED, 65536)):
            try:
                super().__init__((HOST, tried), Handler)
                return
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise _no_port(port, error.strerror) from None
        raise _no_port(port, "they are all taken")

    def server_bind(self):
        """Bind, without asking the network what this machine is called."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address

    def handle_error(self, request, client_address):
        """Say what went wrong, unless a page has only gone away."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self):
        return f"http://{HOST}:{self.server_port}/"


def _no_port(port, why):
    return BuildFailed([Problem(Place(f"--port {port}"), "no port from here on can be "
                                f"listened at: {why}", "name another one")])


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"
    timeout = 60        # seconds after which a silent connection is closed

    def parse_request(self):
        """Read a request; refuse what nobody who shows pages would ask."""
        if not super().parse_request():
            return False
        if self.command not in METHODS:
            self.refuse(HTTPStatus.METHOD_NOT_ALLOWED, "GET and HEAD only")
        elif not OUR_NAMES.fullmatch(self.headers.get("Host", "")):
            self.refuse(HTTPStatus.FORBIDDEN, "ask for localhost or 127.0.0.1")
        else:
            return True
        return False

    def do_GET(self):
        """Send what a path names."""
        path = self.path.partition("?")[0]
        if path == EVENTS:
            self.send_events()
        elif path in OWN_FILES:
            self.send_file(OWN_FILES[path])
        elif not self.server.output.is_dir():
            self.send_bare_page(HTTPStatus.SERVICE_UNAVAILABLE, "No page yet", "It is "
                                "being built, or there are problems, which are told "
                                "here.")
        elif file := file_of(self.server.output, path):
            self.send_file(file)
        elif is_folder(self.server.output, path):
            self.redirect(path + "/" + self.path[len(path):])
        else:
            self.send_not_found(path)

    do_HEAD = do_GET

    def send_file(self, file):
        """Send a file as it is, but for a page."""
        kind = type_of(file)
        if kind == PAGE:
            self.send_page(HTTPStatus.OK, file.read_text("utf-8", "replace"))
        else:
            self.send(HTTPStatus.OK, file.read_bytes(), kind)

    def send_not_found(self, path):
        """Send the site's own page for this, or a bare one."""
        file = file_of(self.server.output, "/404.html")
        if file is None:
            self.send_bare_page(HTTPStatus.NOT_FOUND, "No such page", path)
        else:
            self.send_page(HTTPStatus.NOT_FOUND, from_root(file.read_text("utf-8")))

    def send_bare_page(self, status, title, text):
        """Send a page that says one thing, and follows the builds."""
        self.send_page(status, BARE_PAGE.format(html.escape(title), html.escape(text)))

    def send_page(self, status, page):
        """Send a page, with the script that follows the builds."""
        version = version_of(self.server.output)
        self.send(status, with_script(page, version).encode(), PAGE)

    def redirect(self, path):
        self.send(HTTPStatus.MOVED_PERMANENTLY, b"", "text/plain", Location=path)

    def refuse(self, status, why):
        """Say why a request is not answered, and hang up."""
        self.close_connection = True
        self.send(status, f"{why}\n".encode(), "text/plain", Allow=", ".join(METHODS))

    def send(self, status, content, kind, **headers):
        """Send an answer as a whole."""
        self.begin(status, kind, {"Content-Length": str(len(content)), **headers})
        if self.command != "HEAD":
            self.wfile.write(content)

    def begin(self, status, kind, headers):
        """Send an answer's head: nothing of it may be stored, or read by others."""
        self.send_response(status)
        for name, value in {
                "Content-Type": kind, "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
                "Cross-Origin-Resource-Policy": "same-origin", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_events(self):
        """Tell a page of each build for as long as it listens."""
        self.close_connection = True
        self.begin(HTTPStatus.OK, "text/event-stream", {"Connection": "close"})
        number = None
        while self.command == "GET":
            last, problems = self.server.news.after(number, STILL_HERE_SECONDS)
            event = ": still here\n\n" if last == number else self.event(problems)
            number = last
            self.wfile.write(event.encode())

    def event(self, problems):
        """Return the event of a build: the site's version, and what is wrong."""
        shown = [dict(zip(("what", "more"), str(problem).partition("\n")[::2],
                          strict=True)) for problem in problems]
        data = {"version": version_of(self.server.output), "problems": shown}
        return f"data: {json.dumps(data)}\n\n"

    def log_message(self, *words):
        """Print nothing: the terminal tells of builds."""
