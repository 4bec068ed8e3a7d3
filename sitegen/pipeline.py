"""The whole build, in order: read, make and check, then write."""

from contextlib import suppress
from pathlib import Path

from sitegen.cache import Store, folder_of, forget_last, read_last, write_last
from sitegen.errors import BuildFailed, Place, Problem
from sitegen.inputs import Inputs
from sitegen.output import refuse_foreign, write_site
from sitegen.site_build import SiteBuild
from sitegen.swap import locked


def build(content, output, base_url=None, *, run=True, write=True, use_cache=True,
          progress=lambda stage: None):
    """Build the site of a content folder; return a Report.

    run        False runs nothing: what earlier builds ran is taken, or it is a problem
    write      False writes nothing: everything is read, made and checked
    use_cache  False neither takes nor keeps anything
    progress   is called with the name of each stage as it begins

    Raises BuildFailed with every problem found; the old output then stays as it was.
    """
    content, output = Path(content), Path(output)
    refuse_folders(content, output)
    folder = folder_of(output)
    if use_cache and write:
        with suppress(OSError):     # nothing is kept, then
            folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):            # one build would remove what the other keeps
        inputs = Inputs(content,
                        read_last(output).get("inputs") if use_cache else None)
        store = Store(folder if use_cache else None, inputs, write)
        site = SiteBuild(content, store, run, progress)
        try:
            site.make(base_url)
            if write:
                progress("write")
                forget_last(output)
                write_site(site.files, output)
        except BuildFailed:
            store.commit(finished=False)
            raise
        report = site.report()
        store.commit(finished=True)
        if store.writes and not store.not_kept and not inputs.changed():
            write_last(output, {"base_url": base_url}, inputs, report.summary())
    return report


def refuse_folders(content, output):
    """Raise BuildFailed unless there is content, and an output that may be written."""
    if not content.is_dir():
        raise BuildFailed([Problem(Place(str(content)), "no such folder",
                                   "name a content folder with --content")])
    refuse_foreign(output.resolve())
    if output.resolve().is_relative_to(content.resolve()):
        raise BuildFailed([Problem(Place(output.name), "is inside the content folder",
                                   "name another folder with --output")])
