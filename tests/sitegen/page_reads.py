"""Make each page of a site alone, and print what was opened for it but is no input.

    python -m tests.sitegen.page_reads CONTENT [FORGOTTEN SLUG]

It prints a line of JSON for each: its slug, and the names of files of the project or
the generator, its code aside.  With FORGOTTEN it is one page, of whose inputs this one
is left out.
"""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from sitegen import article_page, site_build
from sitegen.cache import Store
from sitegen.errors import BuildFailed
from sitegen.inputs import OURS, Inputs
from sitegen.snippets import run_snippets

PACKAGES = "/site-packages/"     # of an environment below the generator's folder
CODE = (f"{OURS}sitegen/", f"{OURS}static/schema/")      # the input "code"


class OnePage(site_build.SiteBuild):
    """A build that makes one article's page; `missing` is what it then lacks."""

    def __init__(self, content, slug):
        store = Store(None, Inputs(content))
        super().__init__(content, store, True, lambda stage: None)
        self.slug, self.opened, self.missing = slug, None, None
        sys.addaudithook(self.note)
        article_page.run_snippets = self.run_snippets

    def note(self, event, arguments):
        """Note a file that is opened while the page is made."""
        if event == "open" and self.opened is not None:
            path, mode, _ = arguments
            if isinstance(path, (str, bytes)) and "w" not in (mode or "r"):
                self.opened.add(os.fsdecode(path))

    def run_snippets(self, *arguments):
        """Run snippets as ever: what is copied for them alone is not read."""
        opened, self.opened = self.opened, None
        try:
            return run_snippets(*arguments)
        finally:
            self.opened = opened

    def article(self, slug, neighbours, workshop):
        """Make the page, if it is the one."""
        if slug != self.slug:
            return
        self.opened = opened = set()
        super().article(slug, neighbours, workshop)
        self.opened = None
        inputs = self.store.entry("page", slug)["inputs"]
        names = {name for name in map(self.store.inputs.name_of, opened)
                 if not name.startswith(("/", *CODE)) and PACKAGES not in name}
        self.missing = sorted(names - inputs.keys())


def missing_of(content, slug):
    """Return what the page of a slug lacks among its inputs."""
    build = OnePage(content, slug)
    with suppress(BuildFailed):     # its links lead to pages that were not made
        build.make(None)
    return build.missing


def forget(name):
    """Leave an input out of those that a page is said to have."""
    complete = article_page.page_inputs

    def incomplete(context, workshop):
        return [known for known in complete(context, workshop) if known != name]

    site_build.page_inputs = incomplete


def main(content, forgotten=None, *slugs):
    forget(forgotten)
    for slug in slugs or sorted(file.parent.name for file
                                in content.glob("articles/*/index.md")):
        sys.stdout.flush()
        process = os.fork()     # what one page has read, the next would find in memory
        if process == 0:
            print(json.dumps([slug, missing_of(content, slug)]), flush=True)
            os._exit(0)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
