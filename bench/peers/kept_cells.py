"""Whether what a tool keeps of executed code notices that something else changed."""

from bench.peers.costs import shows
from bench.peers.defects import FLAWED, plant

MODULE, DATA = 'VALUE = "{}"\n', "{}\n"


def try_changes(project):
    """Return {"module": noticed, "data": noticed}: of an imported module, a read file.

    Raises ValueError if the first build already fails or shows something else.
    """
    return {what: notices(project, what) for what in ("module", "data")}


def notices(project, what):
    """Return whether a second build shows the change of one of the two files."""
    write_files(project, "first", "one")
    project.clear()
    ended = project.build()
    if ended.status or not shows(project.site, "first-one"):
        raise ValueError(f"status {ended.status}: {ended.printed[-300:]}")
    module, data = ("second", "one") if what == "module" else ("first", "second")
    write_files(project, module, data)
    project.build()
    return shows(project.site, f"{module}-{data}")


def write_files(project, module, data):
    """Write the article that computes, and the two files beside it."""
    execution = project.peer.execution
    plant(project, execution.cell.lstrip("\n"))
    folder = project.folder / execution.files.format(slug=FLAWED)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "helper.py").write_text(MODULE.format(module), "utf-8")
    (folder / "data.txt").write_text(DATA.format(data), "utf-8")
