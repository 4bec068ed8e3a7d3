"""A table of the files that stand beside the page."""

import hashlib
from urllib.parse import quote

from sitegen.errors import known

NAME = "downloads"
NUMBERED = False
OPTIONS = {"files": {"type": "object", "additionalProperties": {"type": "string"}}}
REQUIRED = ["files"]


def prepare(directive, article):
    """Return the template's variables; each file is published beside the page."""
    files = []
    for name, description in directive.options["files"].items():
        if article.publish(name):
            files.append(_record(name, description, article.downloads[name]))
        else:
            place = directive.keys.get(f"files.{name}", directive.place)
            article.problem(place, f"no file '{name}' to download",
                            known(article.published, name))
    return {"files": files}


def _record(name, description, content):
    data = content.encode() if isinstance(content, str) else content.read_bytes()
    return {"name": name, "href": quote(name), "description": description,
            "size": readable_size(len(data)),
            "sha256": hashlib.sha256(data).hexdigest()}


def readable_size(size_bytes):
    """Return a size as a reader wants it: '912 bytes', '24 KB', '1.3 MB'."""
    if size_bytes < 1000:
        return f"{size_bytes} bytes"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1000:.0f} KB"
    return f"{size_bytes / 1_000_000:.1f} MB"
