"""A peer's project in a folder of its own: written, changed, built."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.articles import Author, slug
from bench.peers.conversion import write_project
from bench.peers.peer import Peer
from bench.processes import cost_of

ROOT = Path(__file__).parents[2]
PATIENCE_S = 120


@dataclass(frozen=True)
class Ended:
    """How a command ended, and all that it printed."""

    status: int
    printed: str


@dataclass(frozen=True)
class Project:
    """A peer's project below a folder; bin has the peer's commands."""

    peer: Peer
    bin: Path
    folder: Path

    @property
    def site(self):
        """Return where a build puts the pages."""
        return self.folder / self.peer.site

    def text(self, article):
        """Return the Path of an article's text."""
        return self.folder / self.peer.dialect.path.format(slug=article)

    def command(self, strict=False):
        """Return the command line of a build."""
        fill = {"bin": str(self.bin), "python": sys.executable, "root": str(ROOT)}
        arguments = self.peer.build + (self.peer.strict if strict else [])
        return [argument.format(**fill) for argument in arguments]

    def clear(self):
        """Remove what a build leaves, its caches too."""
        for name in self.peer.made:
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def measure(self):
        """Build; return the Cost.  Raises CalledProcessError if it fails."""
        return cost_of(self.command(), self.folder)

    def build(self, strict=False):
        """Build; return how that Ended, 124 where it took too long."""
        try:
            ended = subprocess.run(
                self.command(strict), cwd=self.folder, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=PATIENCE_S, check=False)
        except subprocess.TimeoutExpired as error:
            return Ended(124, self.said(error.stdout or b""))
        return Ended(ended.returncode, self.said(ended.stdout))

    def said(self, printed):
        """Return what a build printed, with paths from the project's folder."""
        text = printed.decode("utf-8", "replace")
        return text.replace(f"{self.folder.resolve()}{os.sep}", "")


def new_project(peer, bin_folder, folder, count, more=()):
    """Return the Project of a peer with so many generated articles.

    more  articles besides, which the caller writes
    """
    project = Project(peer, bin_folder, Path(folder))
    texts = {slug(number): Author(number, count).article() for number in range(count)}
    shutil.copytree(peer.folder / "project", project.folder)
    for path in project.folder.rglob("*.toml"):
        listed = json.dumps([*texts, *more])
        text = path.read_text("utf-8").replace("@articles@", listed)
        path.write_text(text, "utf-8")
    if peer.install == "npm":
        (project.folder / "node_modules").symlink_to(bin_folder.parent)
    write_project(project.folder, texts, peer.dialect)
    return project
