"""The page's policy, over http, where browsers apply all of it."""

import functools
import http.server
import threading

import pytest

from tests.browser.test_site import ARTICLE

BREACHES = {
    "script-src": """() => {
      const script = document.createElement("script");
      script.textContent = "window.breached = true";
      document.head.append(script);
    }""",
    "style-src": """() => document.body.setAttribute("style", "opacity: 0.5")""",
    "connect-src": """() => { fetch("../index.html").then(
      () => { window.breached = true; }, () => {}); }""",
    "worker-src": """() => {
      const script = new Blob(["postMessage(1)"], { type: "text/javascript" });
      try {
        const worker = new Worker(URL.createObjectURL(script));
        worker.onmessage = () => { window.breached = true; };
        worker.onerror = (event) => event.preventDefault();
      } catch { /* blocked at once */ }
    }""",
    "frame-src": """() => {
      const frame = document.createElement("iframe");
      frame.src = "../index.html";
      document.body.append(frame);
    }""",
}


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def http_address(site_dir):
    """Serve the site on this machine; return its address."""
    handler = functools.partial(_QuietHandler, directory=site_dir)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_policy_blocks_every_breach(reader, http_address):
    page = reader.blank_page(offline=False)
    page.goto(f"{http_address}/{ARTICLE}")
    heard = reader.problems()
    assert all(text.startswith(f"request: {http_address}/") for text in heard), heard
    for directive, breach in BREACHES.items():
        page.evaluate(breach)
        assert f"policy: {directive}" in listen(page, reader, f"policy: {directive}")
    listen(page, reader)
    assert not page.evaluate("Boolean(window.breached)")


def listen(page, reader, wanted=None):
    """Return what is heard until something wanted is, for a second at most: a violation
    is reported after the act."""
    heard = []
    for _ in range(10):
        page.wait_for_timeout(100)
        heard += reader.problems()
        if wanted and any(wanted in text for text in heard):
            break
    return "\n".join(heard)
