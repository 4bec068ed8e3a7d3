"""What is known of each peer beforehand: read from <peer>/peer.toml.

Beside that file stand what is installed (requirements.txt or package.json) and the
folder `project`, its configuration in full view.
"""

import json
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from bench.peers.conversion import Dialect

FOLDER = Path(__file__).parent
ORDER = ["ours", "pelican", "mkdocs-material", "sphinx", "jupyter-book", "mystmd",
         "quarto", "framework"]


@dataclass(frozen=True)
class Search:
    """Where a peer's search is: a page of the site ("": the article's own), the field
    that is typed into, and what a result looks like, as selectors."""

    field: str
    result: str
    page: str = ""


@dataclass(frozen=True)
class Execution:
    """An article that imports helper.py and reads data.txt, and where those belong."""

    files: str
    cell: str


@dataclass(frozen=True)
class Peer:
    """One tool.

    package    whose version is told; None for this project
    install    "pip", "npm" or "" (nothing to install)
    build      the command; {bin}, {python} and {root} are filled in
    strict     arguments that are added to be stricter
    site       where the project's folder has the pages after a build
    made       what a build leaves: removed before a cold one
    defects    name → an article with this one mistake; a lacking one cannot be planted
    """

    id: str
    name: str
    dialect: Dialect
    build: list[str]
    site: str
    made: list[str]
    package: str | None = None
    install: str = ""
    notes: str = ""
    strict: list[str] = field(default_factory=list)
    search: Search | None = None
    defects: dict[str, str] = field(default_factory=dict)
    execution: Execution | None = None

    @property
    def folder(self):
        """Return the folder of what is committed of this peer."""
        return FOLDER / self.id

    @property
    def wanted(self):
        """Return the text of the file that says what is installed, "" without one."""
        names = {"pip": "requirements.txt", "npm": "package.json"}
        name = names.get(self.install)
        return (self.folder / name).read_text("utf-8") if name else ""

    @property
    def version(self):
        """Return the pinned version of the peer's package, None for this project."""
        if self.package is None:
            return None
        if self.install == "npm":
            return json.loads(self.wanted)["dependencies"][self.package]
        pinned = rf"^{re.escape(self.package)}==(\S+)"
        return re.search(pinned, self.wanted, re.MULTILINE)[1]


def read_peer(name):
    """Return a Peer by the name of its folder."""
    data = tomllib.loads((FOLDER / name / "peer.toml").read_text("utf-8"))
    return Peer(
        id=name,
        dialect=Dialect(**data.pop("dialect")),
        search=Search(**data.pop("search")) if "search" in data else None,
        execution=Execution(**data.pop("execution")) if "execution" in data else None,
        **data,
    )
