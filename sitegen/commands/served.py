"""Which file of the built site a request names, and what of it a page is given.

A request comes from anywhere: whatever does not plainly name a file inside the output
names none.  The files on disk stay as they were built.
"""

import mimetypes
import re
from urllib.parse import unquote_to_bytes

# In a request's path these are refused however they are written: as they are, or
# percent-encoded.  A colon would name a drive on Windows.
NOT_IN_NAMES = re.compile(r"[\0-\x1f\x7f\\:]")
ENCODED_SEPARATOR = re.compile(r"%(2f|5c)", re.I)
SCRIPT = '<script type="module" src="/-/serve.js?version={}"></script>'
POLICY = re.compile('<meta http-equiv="Content-Security-Policy" content="[^"]*')
RELATIVE = re.compile(r'(\s(?:href|src)=")(?![a-z]+:|[/#])')
PAGE = "text/html; charset=utf-8"
TYPES = mimetypes.MimeTypes()       # Python's own: a machine's may call scripts text
for suffix, kind in {".js": "text/javascript", ".woff2": "font/woff2",
                     ".md": "text/plain", ".py": "text/plain", ".toml": "text/plain",
                     ".npz": "application/octet-stream"}.items():
    TYPES.add_type(kind, suffix)


def file_of(folder, path):
    """Return the file below a folder that the path of a request names, or None.

    A folder's path ends with '/', and names its index.html.
    """
    names = names_of(path)
    if names is None:
        return None
    file = folder.joinpath(*names)
    if path.endswith("/"):
        file /= "index.html"
    try:
        real = file.resolve(strict=True)
    except OSError:
        return None
    inside = real.is_relative_to(folder.resolve())
    return real if inside and real.is_file() else None


def is_folder(folder, path):
    """Tell whether a path without its last '/' names a folder with a page."""
    return not path.endswith("/") and file_of(folder, f"{path}/") is not None


def names_of(path):
    """Return the names of which the path of a request is made, or None where one of
    them is no name of a file that is served: '..', hidden, empty, with a separator."""
    if ENCODED_SEPARATOR.search(path) or not path.startswith("/"):
        return None
    try:
        names = unquote_to_bytes(path).decode("utf-8").split("/")[1:]
    except UnicodeDecodeError:
        return None
    if names[-1] == "":
        del names[-1]
    refused = (not name or name.startswith(".") or NOT_IN_NAMES.search(name)
               for name in names)
    return None if any(refused) else names


def type_of(file):
    """Return the content type of a file, by its name."""
    kind = TYPES.guess_type(file.name)[0] or "application/octet-stream"
    is_text = kind.startswith("text/") or kind in ("application/json",
                                                   "application/xml", "image/svg+xml")
    return f"{kind}; charset=utf-8" if is_text else kind


def with_script(html, version):
    """Return a page with the script that follows the builds, which may connect to us.

    version  of the site that the page is part of
    """
    html = POLICY.sub(r"\g<0>; connect-src 'self'", html, count=1)
    before, head, after = html.partition("</head>")
    return f"{before}{SCRIPT.format(version)}{head}{after}"


def from_root(html):
    """Return a page that stands at the root as it can be sent for any other address."""
    return RELATIVE.sub(r"\1/", html)


def version_of(folder):
    """Return what tells the built site apart from the one before: a build puts another
    folder in its place.  '' where there is none."""
    try:
        found = folder.stat()
    except OSError:
        return ""
    return f"{found.st_ino:x}-{found.st_mtime_ns:x}"
