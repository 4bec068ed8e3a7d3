"""Golden pages: each folder of tests/golden is an article, its trace and its HTML.

`python -m tests.golden_pages` writes the HTML anew; read the difference before you
commit it.  The tests only compare.
"""

import sys
import tempfile
from pathlib import Path

from tests.site_builder import SmallSite

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = "expected.html"
DATA = ("configurations.json", "decode.json")   # beside the article; no traces


def cases():
    """Return the folders of tests/golden, one for each widget."""
    return sorted(folder for folder in GOLDEN.iterdir() if folder.is_dir())


def golden_html(case):
    """Return the HTML that the article of a case becomes, a tag's row a line."""
    with tempfile.TemporaryDirectory() as folder:
        site = SmallSite(folder)
        settings = {*case.glob("*.toml"), *case.glob("changes.json")}
        data = {case / name for name in DATA if (case / name).is_file()}
        traces = sorted({*case.glob("*.json")} - settings - data)
        site.add("traces.toml", "".join(
            f'[{trace.stem}]\nfile = "content/{trace.name}"\n' for trace in traces))
        for file in [*traces, *settings]:
            site.add(file.name, file.read_bytes())
        for file in [case / "index.md", *case.glob("*.py"), *data]:
            site.add(f"articles/a/{file.name}", file.read_bytes())
        html = site.build()["a/index.html"]
    start = html.index(">", html.index("<article")) + 1
    return html[start:html.index("</article>")].strip() + "\n"


def write_goldens():
    """Write the HTML of every case."""
    for case in cases():
        (case / EXPECTED).write_text(golden_html(case), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write_goldens())
