"""What is spoiled, and how: one kind of input for each file that a build reads."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from sitegen.cache import BUILD, ENTRY, seal, unseal
from sitegen.inputs import digest_of
from tests.fuzz.folder import (
    ARTICLE,
    CACHE,
    FRONT,
    ROOT,
    Folder,
    png,
    sound_files,
    trace,
)
from tests.fuzz.mutations import MARKUP, NASTY, VALUES, spoiled_bytes, spoiled_json
from tests.synthetic_trace import synthetic_trace

ARTICLE_PATH = "content/articles/a/index.md"
CACHED = {"last build": (f"{CACHE}last-build", BUILD),
          "cached page": (f"{CACHE}entries/page/{digest_of('a')[:32]}", ENTRY)}
SECTION = re.compile(r"\n(?=## )")
LONGEST_SECTION = 4000


@dataclass(frozen=True)
class Kind:
    """Inputs of one file.

    path      where it stands, from the content folder's parent
    articles  which of the folder's articles there are: those that draw it
    sound     the inputs of which others are made
    inputs    a strategy of bytes
    share     how many of a thousand inputs are of this kind
    """

    name: str
    path: str
    articles: tuple[str, ...]
    sound: list
    inputs: st.SearchStrategy
    share: int


def spoiled(sound, spoil=spoiled_bytes):
    """Return a strategy of sound inputs, spoiled."""
    return st.builds(spoil, st.sampled_from(sound),
                     st.randoms(use_true_random=False, note_method_calls=False))


def pieces(before="", after=""):
    """Return a strategy of texts made of what is read in a special way, and others."""
    parts = st.sampled_from([*NASTY, *MARKUP]) | st.text(max_size=6)
    return st.lists(parts, max_size=25).map(lambda parts: (
        before + "".join(parts) + after).encode("utf-8", "surrogatepass"))


@cache
def sections():
    """Return the sections of the project's own articles, each as a small article."""
    texts = [file.read_text("utf-8").partition("\n---\n")[2]
             for file in sorted(ROOT.glob("content/articles/*/index.md"))]
    found = [section for text in texts for section in SECTION.split(text)
             if len(section) <= LONGEST_SECTION]
    return [ARTICLE.encode(), *((FRONT + section).encode() for section in found)]


def kinds():
    """Return every Kind."""
    files = sound_files()
    recorded = [json.loads(trace()), synthetic_trace(4, 1, 2, 1),
                synthetic_trace(5, 1, 2, 1, packed=True)]
    settings = files["content/site.toml"].replace(b'["a", "b"]', b'["a"]')
    bare = [FRONT.encode() + b"text\n"]
    return [
        _of_bytes("article", ARTICLE_PATH, sections(), 380),
        _of_bytes("text", ARTICLE_PATH, bare, 230, pieces(FRONT)),
        _of_bytes("front matter", ARTICLE_PATH, bare, 120,
                  pieces("---\ntitle: ", "\n---\ntext\n") | spoiled(bare)),
        _of_bytes("site.toml", "content/site.toml", [settings], 60),
        _of_bytes("traces.toml", "content/traces.toml", [files["content/traces.toml"]],
                  30),
        _of_bytes("references.bib", "content/references.bib",
                  _entries(files["content/references.bib"]), 40),
        _of_bytes("picture", "content/articles/a/p.png", [png()], 55),
        _of_bytes("walk.toml", "content/walk.toml", [files["content/walk.toml"]], 15,
                  articles=("b",)),
        _of_json("trace", "demo.json", recorded, 40),
        *(_of_json(name, f"content/{name}", [json.loads(files[f"content/{name}"])], 15)
          for name in ("changes.json", "configurations.json")),
        *(_of_cache(name, *file) for name, file in CACHED.items())]


def _of_bytes(name, path, sound, share, inputs=None, articles=("a",)):
    return Kind(name, path, articles, sound,
                spoiled(sound) if inputs is None else inputs, share)


def _of_json(name, path, sound, share):
    texts = [json.dumps(data).encode() for data in sound]
    inputs = spoiled(sound, spoiled_json) | spoiled(texts)
    return Kind(name, path, ("b",), texts, inputs, share)


def _of_cache(name, path, parts):
    """Return the Kind of a file of the cache: damaged, or sealed by somebody else."""
    with TemporaryDirectory() as place:
        folder = Folder(place, ("a",))
        folder.build_with(path, use_cache=True)
        sound, data = Path(place, path).read_bytes(), unseal(Path(place, path), parts)
    inputs = spoiled([sound]) | spoiled([data], _foreign)
    return Kind(name, path, ("a",), [sound], inputs, 10)


def _foreign(data, random):
    """Return a whole file of which one part is not what it should be, or is not there;
    what a result is made of, only the code that its seal covers can know."""
    data, key = dict(data), random.choice(list(data))
    if key == "result" or random.random() < 0.3:
        del data[key]
    else:
        data[key] = random.choice(VALUES)
    return seal(data).encode("utf-8", "surrogatepass")


def _entries(bibtex):
    """Return the entries of a BibTeX text, a few together."""
    entries = re.split(rb"\n(?=@)", bibtex)
    return [b"\n".join(entries[n:n + 3]) for n in range(0, len(entries), 3)]


