"""Ask each web address that an article links to whether it still leads somewhere."""

import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException, responses
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urldefrag, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sitegen.checks import parse
from sitegen.content import listed_slugs, read_article, read_settings, read_text, shown
from sitegen.directives import takes_code
from sitegen.errors import Place, Problem
from sitegen.policy import FOREIGN, LINKS, scheme
from sitegen.records import Page

SECONDS = 10        # that a host may take to answer
AT_ONCE = 4         # hosts that are asked at the same time, each of them alone
PAUSE_SECONDS = 0.5     # before the next address of a host is asked for
HOPS = 10           # redirects that are followed
PERMANENT = (301, 308)
REDIRECTS = (*PERMANENT, 302, 303, 307)
KEPT = "/:?#[]@!$&'()*+,;=%~"       # in an address; the rest is percent-encoded
AGENT = "Mozilla/5.0 (compatible; link check of a static site)"


class _Unfollowed(HTTPRedirectHandler):
    """Redirects are answers here, which say where a page has gone."""

    def redirect_request(self, *request):
        return None


OPENER = build_opener(_Unfollowed)


def check_external(content, files):
    """Yield a Problem for each web address that does not answer, or has moved for good.

    content  the content folder
    files    path → content of what was built, as a Report has them
    """
    content = Path(content)
    linked = external_links(content, files)
    for address, fault in ask_all(linked):
        for parsed in linked[address]:
            yield from problems_of(content, parsed, address, fault)


def external_links(content, files):
    """Return web address → the articles' pages, as Parsed, that link to it."""
    found = {}
    for slug in listed_slugs(read_settings(content)[0]):
        article, _ = read_article(content, slug, takes_code)
        path = f"{article.slug}/index.html"
        html = files[path].read_bytes().decode("utf-8")
        parsed = parse(Page(path, html, article.scan))
        addresses = [attributes.get("href") or "" for tag, attributes in parsed.elements
                     if tag in LINKS]
        for address in dict.fromkeys(addresses):
            if scheme(address) in FOREIGN:
                found.setdefault(address, []).append(parsed)
    return found


def problems_of(content, parsed, address, fault):
    """Return the Problems at each place where an address was written: the article, or
    else references.bib.

    fault  (message, what to do)
    """
    problems = list(parsed.problems_of_address(address, *fault))
    file = content / "references.bib"
    if problems[0].place.line or not file.is_file():
        return problems
    typed = {address, address.removeprefix("https://doi.org/")}
    path = shown(content, file)
    return [Problem(Place(path, number, line.index(way) + 1), *fault, line)
            for number, line in enumerate(read_text(file, path)[0].split("\n"), 1)
            for way in typed if way in line] or problems


def ask_all(addresses):
    """Yield (address, (message, what to do)) for each that is not right, in order.

    A host is asked for one address after another, with a pause.
    """
    hosts = {}
    for address in addresses:
        hosts.setdefault(urlsplit(address).netloc.lower(), []).append(address)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = {address: fault for answers in pool.map(_ask_host, hosts.values())
                  for address, fault in answers.items()}
    return [(address, faults[address]) for address in addresses if faults[address]]


def _ask_host(addresses):
    """Return address → (message, what to do), or None where it is right."""
    asked = {}          # without their fragments, which no host is told
    for address in addresses:
        page = urldefrag(address).url
        if page not in asked:
            time.sleep(PAUSE_SECONDS if asked else 0)
            asked[page] = ask(page)
    return {address: asked[urldefrag(address).url] for address in addresses}


def ask(address):
    """Return (message, what to do) where an address leads nowhere or has moved for
    good; None where it is right."""
    target = lasting = address
    try:
        for _ in range(HOPS):
            status, location = _answer(target)
            if status not in REDIRECTS or not location:
                break
            moved = urljoin(target, location)
            lasting = moved if status in PERMANENT and lasting == target else lasting
            target = moved
    except (OSError, HTTPException, ValueError) as error:
        return f"no answer from '{address}': {_why(error)}", "mend or drop the link"
    if status >= 300:
        return (f"'{address}' answers {status} {responses.get(status, '')}".rstrip(),
                "mend or drop the link")
    if lasting != address:
        return f"'{address}' has moved for good", f"write {lasting}"
    return None


def _answer(address):
    """Return (status, where it redirects to): of HEAD, or of GET where a host does not
    like HEAD.  Raises OSError, HTTPException, ValueError."""
    if scheme(address) not in FOREIGN:
        raise ValueError(f"it redirects to '{address}'")
    for method in ("HEAD", "GET"):
        request = Request(_encoded(address), method=method,
                          headers={"User-Agent": AGENT, "Accept": "*/*"})
        try:
            with OPENER.open(request, timeout=SECONDS) as answer:
                return answer.status, None
        except HTTPError as error:
            with error:
                status, location = error.code, error.headers.get("Location")
            if status in REDIRECTS:
                break
    return status, location


def _encoded(address):
    """Return an address in the letters that HTTP allows."""
    parts = urlsplit(address)
    host = parts.netloc.encode("idna").decode("ascii")
    return quote(parts._replace(netloc=host).geturl(), safe=KEPT)


def _why(error):
    reason = getattr(error, "reason", error)
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
