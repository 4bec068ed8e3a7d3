"""Measure this project beside its peers; print a table and write peers.json.

    python -m bench.peers [--keep FOLDER] [PEER …]

Each peer is installed in an environment of its own, in a temporary folder or in the
one that is named, where a later run finds it.  A peer that cannot be installed, or
fails, is a row that says why.  The dated file is written only when all are measured.
"""

import argparse
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import sync_playwright

from bench.peers import results
from bench.peers.costs import ARTICLES, measure_all
from bench.peers.defects import FLAWED, try_defects
from bench.peers.environments import NotInstalled, install, without_folders
from bench.peers.kept_cells import try_changes
from bench.peers.peer import ORDER, read_peer
from bench.peers.projects import new_project
from bench.peers.views import accessibility, first_view, from_disk
from tests.browser.harness import CHROMIUM_ARGUMENTS
from tests.tools.browsers import CHROMIUM, find_or_install

SMALL = 2   # articles beside the one with a defect


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("peers", nargs="*", choices=[[], *ORDER], metavar="PEER",
                        help=f"of {', '.join(ORDER)} (default: all)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER",
                        help="where the peers are installed and stay")
    options = parser.parse_args(arguments)
    peers = [read_peer(name) for name in options.peers or ORDER]
    with tempfile.TemporaryDirectory() as folder:
        records, bare, notes = measure(peers, Path(folder), options.keep)
    print(results.table_of(records))
    if len(peers) == len(ORDER):
        path = results.write_peers(records, bare.best("cold"), notes)
        print(f"\nwritten: {path.relative_to(Path.cwd())}")
    return 0


def measure(peers, folder, keep):
    """Return (records, Measured of the bare loop, versions) of the peers, in order."""
    bins, failed = install_all(peers, keep or folder / "installed")
    projects = {peer.id: new_project(peer, bins[peer.id], folder / peer.id, ARTICLES)
                for peer in peers if peer.id in bins}
    bare, costs = measure_all(projects, folder / "bare")
    failed |= {name: one.failed for name, one in costs.items() if one.failed}
    working = {name: project for name, project in projects.items()
               if name not in failed}
    views, version = see_all(working)
    smalls = [new_project(peer, bins[peer.id], folder / f"{peer.id}-small", SMALL,
                          [FLAWED]) for peer in peers if peer.id in working]
    with ThreadPoolExecutor(os.cpu_count()) as pool:    # nothing here is timed
        spoiled = dict(zip(working, pool.map(spoil, smalls), strict=True))
    records = []
    for peer in peers:
        record = {"id": peer.id, "name": peer.name, "version": peer.version,
                  "notes": peer.notes, "command": peer.build, "strict": peer.strict,
                  "failed": failed.get(peer.id)}
        if peer.id in working:
            record |= results.costs_record(costs[peer.id], bare)
            record |= views[peer.id] | spoiled[peer.id]
        records.append(record)
    return records, bare, {"chromium": version}


def install_all(peers, folder):
    """Return (id → folder of commands, id → why it is not installed)."""
    bins, failed = {}, {}
    for peer in peers:
        print(f"install: {peer.id}", flush=True)
        try:
            bins[peer.id] = install(peer, folder)
        except NotInstalled as why:
            failed[peer.id] = f"not installed here: {why}"
    return bins, failed


def see_all(projects):
    """Return (id → what was seen of an article, Chromium's version)."""
    seen = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_or_install(CHROMIUM).executable,
            args=CHROMIUM_ARGUMENTS,
        )
        for name, project in projects.items():
            print(f"look at: {name}", flush=True)
            seen[name] = results.views_record(
                first_view(chromium, project.site),
                from_disk(chromium, project.site, project.peer.search),
                accessibility(chromium, project.site))
        version = chromium.version
        chromium.close()
    return seen, version


def spoil(project):
    """Return what a tool makes of the planted defects, and of what it kept."""
    peer = project.peer
    print(f"spoil: {peer.id}", flush=True)
    try:
        strict = try_defects(project, strict=True) if peer.strict else None
        record = results.defects_record(try_defects(project), strict)
        record["notices"] = try_changes(project) if peer.execution else None
    except ValueError as why:
        return {"failed": without_folders(str(why))}
    return record


if __name__ == "__main__":
    sys.exit(main())
