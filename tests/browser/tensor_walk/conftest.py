"""A site with the walk of the demo, whole and in parts, and its model's trace."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.pipeline import build
from sitegen.traces import parse_trace
from tests.browser.tensor_walk.walk_pages import FOCUSED, FRONT, SMALL, TEXT, WALK
from tests.site_builder import SETTINGS, SmallSite

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def demo_text():
    """The demo's trace, as the model prints it."""
    command = [sys.executable, "model/tiny_llama.py", "--export-trace", "-"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture(scope="session")
def demo(demo_text):
    """The demo's trace, parsed."""
    trace, problems = parse_trace("demo", "demo.json", demo_text)
    assert problems == []
    return trace


def new_site(folder, trace_text):
    """Return the folder of a built site: a whole walk, and two small ones."""
    site = SmallSite(folder)
    site.add("site.toml", SETTINGS.replace('["a"]', '["a", "b"]'))
    site.add("traces.toml", '[demo]\nfile = "content/demo.json"\n')
    site.add("demo.json", trace_text)
    site.add("walk.toml", (ROOT / "content/walk.toml").read_bytes())
    for slug, text in (("a", TEXT), ("b", FOCUSED)):
        site.article(text, FRONT, slug)
        source = (ROOT / "model/tiny_llama.py").read_bytes()
        site.add(f"articles/{slug}/tiny_llama.py", source)
    build(site.content, site.output)    # with scripts, which SmallSite leaves out
    return site.output


@pytest.fixture(scope="session")
def walk_site(tmp_path_factory, demo_text):
    return new_site(tmp_path_factory.mktemp("walk"), demo_text)


@pytest.fixture(scope="session")
def wrong_site(tmp_path_factory, demo_text):
    """The same site, whose recording has one logit that the model does not compute."""
    data = json.loads(demo_text)
    data["tensors"]["logits"]["values"][5] += 0.001
    return new_site(tmp_path_factory.mktemp("wrong"), json.dumps(data))


@pytest.fixture
def walk_reader(reader_of, walk_site):
    """Return a function that opens a walk's page; nothing may be complained of."""
    def open_page(fragment="", path=WALK, site=walk_site, **switches):
        page = reader_of(site).open(path, fragment, **switches)
        if switches.get("scripts", True):
            first = "#one" if path == SMALL else "#walk"
            page.wait_for_selector(f"{first} .current :is(.tensor-table, .value-map)"
                                   "[role=grid]")
        return page

    return open_page
