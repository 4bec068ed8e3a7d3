"""Find the addresses within the site that lead nowhere."""

import posixpath
from urllib.parse import unquote

from sitegen.errors import known
from sitegen.policy import addresses_of, scheme

NAMES = ("href", "src", "srcset", "poster")


def addresses(parsed):
    """Return each address of a page that may lead to something of the site, once."""
    found = dict.fromkeys(
        address for _, attributes in parsed.elements for name in NAMES
        if name in attributes for address in addresses_of(name, attributes[name] or ""))
    return [address.removeprefix(parsed.page.root) for address in found
            if not scheme(address) and not address.startswith("//")]


def broken(address, page, pages, files):
    """Return (message, what to do) for an address that leads nowhere, or None.

    page   path of the page that has the address
    pages  path → Facts
    files  the paths of what else the site will hold
    """
    before, _, fragment = address.partition("#")
    path = unquote(before.partition("?")[0])
    target = page
    if path:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(target), path))
    if target not in pages and target not in files:
        return _no_file(address, page, target, pages, files)
    fragment = unquote(fragment)
    if fragment in ("", "top") or fragment.startswith("~") or target not in pages:
        return None
    ids = pages[target].ids
    if fragment in ids:
        return None
    return (f"no anchor '#{fragment}'" + (f" in {target}" if path else ""),
            known(ids, fragment))


def _no_file(address, page, target, pages, files):
    """Return (message, what to do) for an address of nothing, with names as an author
    of the page writes them: the pages', and those of files beside it."""
    if posixpath.normpath(posixpath.join(target, "index.html")) in pages:
        return (f"link to a folder: '{address}'",
                "name its page, '…/index.html': a folder does not open from disk")
    folder = posixpath.dirname(page)
    near = {folder, posixpath.dirname(target)}
    beside = [path for path in files if posixpath.dirname(path) in near]
    wanted, *names = (posixpath.relpath(path, folder or ".")
                      for path in (target, *{*pages, *beside}))
    return f"no file or page '{address}'", known(names, wanted)
