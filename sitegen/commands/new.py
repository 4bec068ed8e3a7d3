"""`build.py new SLUG`: begin an article that builds, and list it in site.toml."""

import datetime
import os
import re
import shlex
import shutil
import tempfile
import tomllib
import unicodedata
from pathlib import Path

import tomlkit
import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from tomlkit.exceptions import TOMLKitError

from sitegen.content import NO_TEXT, read_toml, shown
from sitegen.errors import BuildFailed, Place, Problem, stop_if
from sitegen.references import read_references
from sitegen.schemas import schema_errors

TEMPLATES = Path(__file__).parents[2] / "templates"
WELL_FORMED = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")  # no folder's name on Windows
BYTE_ORDER_MARK = "\ufeff"
DEMO = "demo"


def run(options):
    """Make the article and list it; return the exit status.

    Ends with status 2 where the slug or the title cannot be one.  Raises BuildFailed
    where the article is there already, or site.toml cannot be read or written.
    """
    content, slug = Path(options.content), options.slug
    title = " ".join((options.title or slug.replace("-", " ").capitalize()).split())
    if wrong := slug_fault(slug, title) or title_fault(title):
        options.wrong(wrong)
    settings = read_settings(content)
    stop_if(taken(content, slug, settings))
    make(content, slug, article_text(content, title))
    print(next_steps(content, slug))
    return 0


def slug_fault(slug, title):
    """Return why no article can have this slug, and a slug that is right; or None."""
    if not WELL_FORMED.fullmatch(slug):
        better = slug_of(slug) or slug_of(title) or "my-article"
        return (f"SLUG '{slug}' becomes a folder and an address: small letters a to z "
                f"and digits, words joined by '-', such as '{better}'")
    refused = schema_errors("site.schema.json", {"title": "x", "description": "x",
                                                 "articles": [slug]})
    if DEVICE.fullmatch(slug) or list(refused):
        return f"SLUG '{slug}' is reserved; take another, such as 'about-{slug}'"
    return None


def slug_of(text):
    """Return the slug that a text suggests; '' where it has no letter of a to z."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower()))


def title_fault(title):
    """Return why a text is no title, or None."""
    if not title or NO_TEXT.search(title):
        return "--title is one line of text"
    return None


def read_settings(content):
    """Return what site.toml says.  Raises BuildFailed where it cannot be used."""
    settings, problems = read_toml(content, "site.toml", "site.schema.json")
    stop_if(problems)
    if settings is None:
        raise _failed(content / "site.toml", "no such file", "begin it with: title = "
                      '"…", description = "…", articles = []')
    return settings


def taken(content, slug, settings):
    """Yield a Problem where there is such an article, or a folder of its name."""
    folder = content / "articles" / slug
    if os.path.lexists(folder):
        yield Problem(Place(shown(content, folder)), "is there already",
                      "choose another slug, or edit this article")
    elif slug in (*settings["articles"], *settings.get("about", [])):
        yield Problem(Place(shown(content, content / "site.toml")),
                      f"lists '{slug}' already, which has no folder",
                      "choose another slug, or take this one out")


def article_text(content, title):
    """Return the text of a new article, which shows what an article can hold."""
    traces, problems = read_toml(content, "traces.toml", "traces.schema.json")
    stop_if(problems)
    has_demo = DEMO in (traces or {})
    references = read_references(content)[0]
    front = {"title": title, "description": "One sentence: what this article promises.",
             "published": datetime.date.today(),
             **({"trace": DEMO} if has_demo else {})}
    # A heading's {#id} would begin a comment of Jinja's.
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True,
        keep_trailing_newline=True, comment_start_string="{##")
    return environment.get_template("new-article.md").render(
        front=front_lines(front), has_demo=has_demo,
        reference=references[0].key if references else None)


def front_lines(front):
    """Return the lines of front matter, one a key; every text is quoted as it needs."""
    return yaml.safe_dump(front, allow_unicode=True, sort_keys=False,
                          width=float("inf"))


def make(content, slug, text):
    """Write the article's folder and its line in site.toml: both, or neither.

    Raises BuildFailed.
    """
    settings, folder = (content / "site.toml").resolve(), content / "articles" / slug
    listed = with_article(settings, slug)
    made = []
    try:
        folder.parent.mkdir(exist_ok=True)
        made.append(Path(tempfile.mkdtemp(prefix=f".{slug}-", dir=folder.parent)))
        (made[0] / "index.md").write_bytes(text.encode("utf-8"))
        made[0].chmod(0o755)
        os.rename(made[0], folder)
        made.append(folder)
        replace_file(settings, listed)
    except BaseException as error:
        for path in made:
            shutil.rmtree(path, ignore_errors=True)
        if isinstance(error, OSError):
            raise _failed(content, f"cannot be written: {error.strerror}") from None
        raise


def with_article(file, slug):
    """Return the bytes of site.toml with one more article, all else as it was."""
    text = file.read_bytes().decode("utf-8")
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    try:
        document = tomlkit.parse(text.removeprefix(mark))
    except TOMLKitError as error:
        raise _failed(file, f"cannot be edited: {error}") from None
    document["articles"].append(slug)
    edited = tomlkit.dumps(document)
    # tomlkit 0.15 forgets a comma where a comment stands below the last article.
    if not is_toml(edited):
        raise _failed(file, f"'{slug}' does not fit into its articles",
                      "end its last article with a comma")
    return (mark + edited).encode("utf-8")


def is_toml(text):
    """Tell whether a text is TOML."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def replace_file(file, content):
    """Replace a file by bytes: whole, or not at all.  Raises OSError."""
    handle, fresh = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    try:
        with open(handle, "wb") as opened:
            opened.write(content)
        shutil.copymode(file, fresh)
        os.replace(fresh, file)
    finally:
        Path(fresh).unlink(missing_ok=True)


def next_steps(content, slug):
    """Return the lines that say what was made, and what to do now."""
    serve = "make serve" if content == Path("content") else (
        f"python build.py serve --content {shlex.quote(str(content))}")
    return (f"{content / 'articles' / slug / 'index.md'}: write here\n"
            f"{content / 'site.toml'}: '{slug}' comes last in the order of reading\n"
            f"{serve}: shows it, and follows what you save")


def _failed(path, message, todo=""):
    return BuildFailed([Problem(Place(path.name), message, todo)])
