"""What builds of the same fifty articles cost, of all tools in turn."""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench.articles import slug, write_content
from bench.peers.environments import reason
from bench.peers.projects import ROOT
from bench.processes import cost_of

ARTICLES = 50
CHANGED = slug(ARTICLES // 2)
ROUNDS = 3
# A tool that has used this much is left out of further rounds.
ENOUGH_S = 40
STATES = ("cold", "unchanged", "changed")


@dataclass
class Measured:
    """The costs of one tool: state → a Cost for each round.

    stale   whether a build after a change left the page as it was
    failed  why it could not be measured, or None
    """

    costs: dict = field(default_factory=lambda: {state: [] for state in STATES})
    stale: bool = False
    failed: str | None = None

    @property
    def runs(self):
        """Return how many rounds it took part in."""
        return len(self.costs["cold"])

    @property
    def spent_seconds(self):
        """Return the processor time of all its builds."""
        return sum(cost.cpu_seconds for costs in self.costs.values() for cost in costs)

    def best(self, state):
        """Return the seconds of the cheapest build: what disturbs one only adds."""
        return min(cost.cpu_seconds for cost in self.costs[state])

    @property
    def peak_bytes(self):
        """Return the least of the cold builds' peaks."""
        return min(cost.peak_bytes for cost in self.costs["cold"])


def measure_all(projects, folder, say=print):
    """Return (Measured of the bare loop, id → Measured), taken in turn, round by round.

    projects  id → Project of ARTICLES articles
    folder    an empty one, for the bare loop
    """
    bare, measured = Measured(), {name: Measured() for name in projects}
    loop = bare_loop(Path(folder))
    for number in range(ROUNDS):
        say(f"round {number + 1} of {ROUNDS}: the bare loop", flush=True)
        bare.costs["cold"].append(cost_of(loop, ROOT))
        for name, project in projects.items():
            one = measured[name]
            if one.failed is None and one.spent_seconds < ENOUGH_S:
                say(f"round {number + 1} of {ROUNDS}: {name}", flush=True)
                measure_round(project, one, number)
    return bare, measured


def bare_loop(folder):
    """Return the command of bench/yardstick.py over the same texts."""
    texts = write_content(folder / "content", ARTICLES)
    return [sys.executable, str(ROOT / "bench" / "yardstick.py"),
            str(folder / "pages"), *map(str, texts)]


def measure_round(project, measured, number):
    """Build cold, again, and with one article changed; put the costs into Measured."""
    project.clear()
    try:
        cold, unchanged = project.measure(), project.measure()
        word = change(project.text(CHANGED), number)
        changed = project.measure()
    except subprocess.CalledProcessError as error:
        measured.failed = reason(error.output.decode("utf-8", "replace"))
        return
    measured.stale |= not shows(project.site, word)
    for state, cost in zip(STATES, (cold, unchanged, changed), strict=True):
        measured.costs[state].append(cost)


def change(path, number):
    """Add a sentence to a text; return the word by which it is found again."""
    word = f"changedinround{number}"
    text = path.read_text("utf-8")
    before_the_note = text.replace("\n[^aside]:", f"\nIt is {word}.\n\n[^aside]:")
    path.write_text(before_the_note, "utf-8")
    return word


def shows(site, word):
    """Return whether a page, or what it loads, has a word."""
    return any(word in path.read_text("utf-8", "replace")
               for path in site.rglob("*")
               if path.suffix in (".html", ".json", ".js"))
