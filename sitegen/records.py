"""The records that the parts of the generator hand to each other."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.errors import Place, Problem, known

CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def _blank(found):
    return " " * len(found[0])


@dataclass(frozen=True)
class Formula:
    """TeX between \\( \\) or \\[ \\]; a numbered one has an id, and perhaps a step."""

    tex: str
    display: bool
    place: Place
    tex_place: Place
    id: str | None = None
    step: str | None = None


@dataclass(frozen=True)
class Value:
    """`[[value NAME FORMAT]]`: a number that a run produced."""

    name: str
    format: str
    place: Place


@dataclass(frozen=True)
class Citation:
    """`[@key; @key]`."""

    keys: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Fence:
    """A fenced code block: its first info word, its exact text, its first text line."""

    language: str
    text: str
    place: Place


@dataclass(frozen=True)
class Directive:
    """`/// name | id` with its options; `fences` are the code blocks in its body.

    name_place    where its name stands
    keys, values  dotted name of an option → Place of the name, and of its value
    is_read       False where something of it has a problem of its own
    """

    name: str
    id: str
    options: dict
    place: Place
    fences: tuple[Fence, ...] = ()
    name_place: Place | None = None
    keys: dict = field(default_factory=dict)
    values: dict = field(default_factory=dict)
    is_read: bool = True

    def at(self, option=""):
        """Return the Place of an option's value; the directive's where it has none."""
        return self.values.get(option, self.place)


@dataclass
class Scan:
    """A text with its constructs cut out; construct n, sources[n] as it was typed,
    stands where mark n is."""

    text: str
    constructs: list
    sources: list[str]
    link_places: dict[str, list[Place]]
    raw: str
    path: str

    def of(self, kind):
        """Return the constructs of one kind, in the order of the text."""
        return [c for c in self.constructs if isinstance(c, kind)]

    def places_of(self, *patterns):
        """Return every place in the raw file, outside of code, where one of the regular
        expressions matches: where it begins, or its group `at`."""
        fenced = {number for fence in self.of(Fence) for number in range(
            fence.place.line, fence.place.line + fence.text.count("\n"))}
        return [Place(self.path, number, found.start("at" if "at" in found.groupdict()
                                                     else 0) + 1)
                for number, line in enumerate(self.raw.split("\n"), 1)
                if number not in fenced
                for pattern in patterns
                for found in re.finditer(pattern, CODE_SPAN.sub(_blank, line))]


@dataclass
class Article:
    """One article as it was read: front matter, scanned text, the files beside it."""

    slug: str
    folder: Path
    path: str
    front: dict
    scan: Scan
    places: dict[str, Place] = field(default_factory=dict)      # of front matter
    files: dict[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Listed:
    """An article that site.toml lists, with its front matter, as far as it can be
    read."""

    slug: str
    front: dict


@dataclass
class Site:
    """A content folder: its site.toml, the articles in reading order, those outside of
    it, and what it publishes."""

    settings: dict
    articles: list[Listed]
    about: list[Listed]
    publish: dict[str, Path]


@dataclass(frozen=True)
class Reference:
    """One entry of references.bib, as HTML that is safe to print."""

    key: str
    html: str


class Watched(Mapping):
    """A mapping that notes what was asked for: a page depends on that, not on the rest.

    asked  the keys, also those that it does not hold
    """

    def __init__(self, items, read=lambda item: item):
        self.items_by_name, self.read, self.asked = items, read, set()

    def __getitem__(self, name):
        self.asked.add(name)
        return self.read(self.items_by_name[name])

    def __contains__(self, name):
        self.asked.add(name)
        return name in self.items_by_name

    def __iter__(self):
        return iter(self.items_by_name)

    def __len__(self):
        return len(self.items_by_name)


@dataclass
class Label:
    """What an id is called: 'equation 2', 'figure 1' or a heading's title."""

    id: str
    kind: str
    number: int | None
    html: str


@dataclass
class Page:
    """A written page: where it stands, its HTML, and the article's text, if any."""

    path: str
    html: str
    scan: Scan | None = None
    root: str = ""      # what its own addresses begin with, where that is no folder


@dataclass
class ArticleContext:
    """What a directive may ask about, and tell to, the article around it."""

    article: Article
    traces: dict
    published: dict[str, Path]
    words: dict
    snippets: dict = field(default_factory=dict)
    needs: dict[str, set[str]] = field(default_factory=dict)
    extras: dict[str, dict] = field(default_factory=dict)   # beside a trace's own keys
    downloads: dict[str, Path | bytes] = field(default_factory=dict)
    step_mentions: dict[str, list] = field(default_factory=dict)
    steps: dict = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    broken: frozenset = frozenset()     # sources of values that have own problems
    computed: set[str] = field(default_factory=set)     # traces the page recomputes
    opened: set[Path] = field(default_factory=set)      # files of the content folder

    def content_folder(self, *names):
        """Return the content folder, of which the page reads the files of these
        names."""
        folder = self.article.folder.parent.parent
        self.opened.update(folder / name for name in names)
        return folder

    def need(self, trace_id, names):
        """Ask for tensors of a trace in the page's island."""
        self.needs.setdefault(trace_id, set()).update(names)

    def need_parameters(self, trace_id):
        """Ask for what the page's model needs of a trace, beside the page: parameters,
        and the whole recording to compare with.  Return whether the trace has them."""
        has = bool(self.traces[trace_id].data.get("parameters"))
        if has:
            self.need(trace_id, ())
            self.computed.add(trace_id)
        return has

    def tell(self, trace_id, key, value):
        """Put a value beside the trace's own keys in the page's island."""
        self.extras.setdefault(trace_id, {})[key] = value

    def named_trace(self, directive, option="trace"):
        """Return the trace that a directive, or else the article, names; None once a
        problem is recorded."""
        own, front = option in directive.options, self.article.front
        name = directive.options[option] if own else front.get("trace")
        told = name in self.broken or (not own and "trace" in front)
        if name not in self.traces and not told:
            message = f"no trace '{name}'" if name else "no trace is named"
            self.problem(directive.at(option), message, known(self.traces, name))
        return self.traces.get(name)

    def address_prefix(self, trace):
        """Return what stands before a trace's names in the page's address: nothing
        for the trace of the article's front matter, or where it names none."""
        own = self.article.front.get("trace", trace.id)
        return "" if trace.id == own else f"{trace.id}."

    def publish(self, name):
        """Put one of the published files beside the page; return whether it exists."""
        if name not in self.published:
            return False
        self.downloads[name] = self.published[name]
        return True

    def tell_faults(self, directive, faults):
        """Record (message, what to do) of each fault of a directive; a third names the
        option that has it."""
        for message, todo, *option in faults:
            self.problem(directive.at(*option), message, todo)

    def problem(self, place, message, todo=""):
        """Record a problem and go on."""
        excerpt = ""
        if place.path == self.article.path and place.line:
            lines = self.article.scan.raw.split("\n")
            excerpt = lines[place.line - 1] if place.line <= len(lines) else ""
        self.problems.append(Problem(place, message, todo, excerpt))
