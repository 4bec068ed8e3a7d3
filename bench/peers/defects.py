"""The nine planted defects: which of them a build notices, and what it says."""

import re
from dataclasses import dataclass

from bench.peers.environments import without_folders

NAMES = {
    "formula": "a formula that does not parse",
    "cell": "a cell, snippet or data loader that raises",
    "include": "an included file that is missing",
    "page": "a link to a page that is missing",
    "anchor": "a link to an anchor that is missing",
    "image": "a picture that is missing",
    "front": "front matter that does not parse",
    "ids": "two equal ids",
    "fence": "a fence that is never closed",
}
FLAWED = "flawed"       # the article that has the mistake
TROUBLE = re.compile(r"(?i:\b(?:warning|error|critical|failed)\b)|\b[A-Z]\w+Error\b")
PLACE = re.compile(rf"{FLAWED}[^\s:]*:\d+|{FLAWED}.*\bline \d+|\bline \d+.*{FLAWED}")


@dataclass(frozen=True)
class Verdict:
    """What a build made of one defect.

    outcome  "stops" (an exit status other than 0), "warns", "silent", or "none": the
             tool has nothing that could be mistaken in this way
    names    what the message has: "file and line", "file" or ""
    message  the line that says most, "" without one
    """

    outcome: str
    names: str = ""
    message: str = ""


def try_defects(project, strict=False):
    """Return name → Verdict, each defect alone in a project that is right without it.

    Raises ValueError if the project fails without a defect.
    """
    plant(project, "Words.\n")
    project.clear()
    right = project.build(strict)
    if right.status:
        raise ValueError(f"fails without a defect: {without_folders(right.printed)}")
    return {name: try_defect(project, name, right, strict) for name in NAMES}


def try_defect(project, name, right, strict):
    """Return the Verdict on one defect."""
    if name not in project.peer.defects:
        return Verdict("none")
    plant(project, project.peer.defects[name].lstrip("\n"))
    project.clear()
    return judge(project.build(strict), right)


def plant(project, text):
    """Write the flawed article; one without front matter of its own gets the peer's."""
    path, peer = project.text(FLAWED), project.peer
    path.parent.mkdir(parents=True, exist_ok=True)
    title = peer.dialect.front.format(slug=FLAWED, title="Flawed")
    own = text.startswith(("---\n", "Title:", "# "))
    path.write_text(text if own else title + text, "utf-8")


def judge(ended, right):
    """Return the Verdict on a build with a defect, beside the same build without it."""
    said = new_lines(ended.printed, right.printed)
    telling = [line for line in said if TROUBLE.search(line) or PLACE.search(line)]
    about = sorted((line for line in telling if FLAWED in line),
                   key=lambda line: not PLACE.search(line))
    # A traceback says last what went wrong.
    message = without_folders((about or telling[-1:] or said[-1:] or [""])[0])
    if ended.status:
        return Verdict("stops", places("\n".join(said)), message)
    return Verdict("warns", places(message), message) if telling else Verdict("silent")


def new_lines(printed, before):
    """Return the lines that were not there before, whatever their numbers and times."""
    known = {re.sub(r"\d+", "0", line) for line in printed_lines(before)}
    return [line for line in printed_lines(printed)
            if re.sub(r"\d+", "0", line) not in known]


def printed_lines(printed):
    """Return the lines that say something, without colours and folders."""
    plain = re.sub(r"\x1b\[[\d;]*m", "", printed)
    return [line.strip() for line in plain.splitlines() if line.strip()]


def places(said):
    """Return how well the words that a build said name the mistake's place."""
    if PLACE.search(said):
        return "file and line"
    return "file" if FLAWED in said else ""
