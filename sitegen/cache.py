"""What earlier builds made, kept beside the output by what it was made of.

    ._site-cache/entries/<kind>/<name>   what was made, and the digests of its inputs
    ._site-cache/blobs/<sha256>          large texts and bytes, by their content
    ._site-cache/last-build              what the last build read and wrote

Nothing in it is believed: an entry carries its own checksum, a blob is its own name.
What is damaged, cut short or foreign counts as absent, and is made again.  Nothing is
written before the build knows that what it read did not change meanwhile.  Standard
library alone.
"""

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from sitegen.inputs import CONTENT, Inputs, digest_of

FORMAT = 1
LAST = "last-build"
NOT_KEPT = "not in the cache"
# What the parts of a sealed file are: one that has others was not written here.
ENTRY = {"kind": str, "name": str, "inputs": dict, "blobs": list, "result": object}
BUILD = {"options": dict, "inputs": dict, "written": dict, "summary": dict}


class Stored:
    """Content by its digest: a file of the cache, or bytes where nothing is kept."""

    def __init__(self, digest, path, data=None):
        self.digest, self.path, self.data = digest, path, data

    @property
    def size(self):
        """Return the content's size in bytes."""
        return len(self.data) if self.path is None else self.path.stat().st_size

    def read_bytes(self):
        """Return the content."""
        return self.data if self.path is None else self.path.read_bytes()


def folder_of(output):
    """Return the cache's folder of an output folder."""
    output = Path(output).resolve()
    return output.parent / f".{output.name}-cache"


def seal(data):
    """Return plain data as a text that says whether it is whole."""
    text = json.dumps(data, separators=(",", ":"))
    return f"{digest_of(text)}\n{text}"


def unseal(path, parts):
    """Return the data of a sealed file, or None where it is absent, damaged or foreign.

    parts  name → type of what it has
    """
    try:
        seal_text, _, text = path.read_text("utf-8").partition("\n")
        if digest_of(text) != seal_text:
            return None
        data = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return None
    is_ours = (isinstance(data, dict) and data.get("format") == FORMAT
               and all(name in data and isinstance(data[name], kind)
                       for name, kind in parts.items()))
    return data if is_ours else None


def write_whole(path, content):
    """Write a file so that nobody ever sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.chmod(fresh, 0o644)      # the site has links to it, which servers read
        if path.is_dir():           # foreign: no entry is a folder
            shutil.rmtree(path)
        os.replace(fresh, path)
    except BaseException:
        os.unlink(fresh)
        raise


class Store:
    """The entries and blobs of one output folder.

    inputs  Inputs of this build
    folder  None keeps nothing and finds nothing
    writes  False finds what there is, and keeps nothing
    """

    def __init__(self, folder, inputs, writes=True):
        self.folder, self.inputs = folder, inputs
        self.writes = writes and folder is not None
        self.used, self.fresh, self.blobs, self.why = {}, {}, {}, {}
        self.not_kept = []

    def take(self, kind, name):
        """Return what was made of the same inputs before, or None; `why` then says
        what changed."""
        entry = self._entry(kind, name)
        reason = NOT_KEPT if entry is None else self._reason(entry)
        if reason:
            self.why[kind, name] = reason
            return None
        self.used[kind, name] = entry
        return entry["result"]

    def entry(self, kind, name):
        """Return the entry that this build took or made; {} with no inputs if none."""
        made = self.fresh.get((kind, name)) or self.used.get((kind, name))
        return made or {"inputs": {}}

    def retain(self, kind, name):
        """Keep an entry, if there is one, that something taken was made of."""
        if entry := self._entry(kind, name):
            self.used[kind, name] = entry

    def peek(self, kind, name, inputs):
        """Return an earlier result where just these of its inputs are as they were."""
        entry = self._entry(kind, name)
        if entry and all(entry["inputs"].get(key) == self.inputs.digest(key)
                         for key in inputs):
            return entry["result"]
        return None

    def keep(self, kind, name, inputs, result, blobs=()):
        """Keep a result, plain data, with the names of the inputs it was made of.

        blobs  digests of what the result refers to
        """
        self.fresh[kind, name] = {
            "format": FORMAT, "kind": kind, "name": name, "blobs": list(blobs),
            "inputs": {key: self.inputs.digest(key) for key in (CONTENT, *inputs)},
            "result": result}

    def leave(self, kind, name, why):
        """Keep nothing of a result, since nobody can tell when it is out of date."""
        self.not_kept.append((f"{kind} {name}", f"not kept: it {why}"))

    def keep_blob(self, content):
        """Return the digest of content, bytes or text, kept under it."""
        data = (content.encode("utf-8", "surrogatepass") if isinstance(content, str)
                else content)
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self.blobs:
            kept = self.writes and (
                self._is_whole(digest) or self._write(self._blob_path(digest), data))
            self.blobs[digest] = (Stored(digest, self._blob_path(digest)) if kept
                                  else Stored(digest, None, data))
        return digest

    def blob(self, digest):
        """Return the Stored content of a digest; KeyError where it is not whole."""
        if digest not in self.blobs:
            path = self._blob_path(digest)
            if not self._is_whole(digest):
                raise KeyError(digest)
            self.blobs[digest] = Stored(digest, path)
        return self.blobs[digest]

    def commit(self, finished):
        """Write what was kept of inputs that are still as they were.

        finished  True after a whole build: what it did not use is removed
        """
        changed = self.inputs.changed()
        for (kind, name), entry in self.fresh.items():
            if self.writes and changed.isdisjoint(entry["inputs"]):
                self._write(self._path(kind, name), seal(entry).encode())
        if finished and self.writes:
            self._sweep()

    def _reason(self, entry):
        for name, digest in entry["inputs"].items():
            if self.inputs.digest(name) != digest:
                return self.inputs.reason(name, digest)
        return None if all(map(self._has, entry["blobs"])) else "the cache is damaged"

    def _write(self, path, content):
        """Write a file; return whether it could be.  A cache that cannot be written is
        no failure of the build, which then keeps nothing more."""
        try:
            write_whole(path, content)
        except OSError:
            self.writes = False
        return self.writes

    def _has(self, digest):
        return digest in self.blobs or self._is_whole(digest)

    def _is_whole(self, digest):
        try:
            return hashlib.sha256(self._blob_path(digest).read_bytes()
                                  ).hexdigest() == digest
        except OSError:
            return False

    def _entry(self, kind, name):
        if self.folder is None:
            return None
        entry = unseal(self._path(kind, name), ENTRY)
        fits = (entry and (entry["kind"], entry["name"]) == (kind, name)
                and all(isinstance(digest, str) for digest in entry["blobs"]))
        return entry if fits else None

    def _path(self, kind, name):
        return self.folder / "entries" / kind / digest_of(name)[:32]

    def _blob_path(self, digest):
        return self.folder / "blobs" / digest

    def _sweep(self):
        entries = {**self.used, **self.fresh}
        kept = {self._path(kind, name) for kind, name in entries}
        kept |= set(map(self._blob_path, self.blobs))
        kept |= {self._blob_path(digest)
                 for entry in entries.values() for digest in entry["blobs"]}
        for path in [*self.folder.glob("entries/*/*"), *self.folder.glob("blobs/*")]:
            if path not in kept:
                with suppress(OSError):     # gone, or a folder: no entry in any case
                    path.unlink()


def read_last(output):
    """Return what the last build of an output folder read and wrote; {} if unknown."""
    return unseal(folder_of(output) / LAST, BUILD) or {}


def write_last(output, options, inputs, summary):
    """Note what a finished build read and wrote."""
    with suppress(OSError):     # the next build then looks at everything
        write_whole(folder_of(output) / LAST, seal({
            "format": FORMAT, "options": options, "inputs": inputs.record(),
            "written": written_files(output), "summary": summary}).encode())


def forget_last(output):
    """Forget the last build, since its output is about to be replaced."""
    with suppress(OSError):
        (folder_of(output) / LAST).unlink(missing_ok=True)


def written_files(output):
    """Return path → [size, time] of every file below the output folder; nothing where
    another build is just replacing it."""
    found = {}
    for place, _, files in os.walk(output):
        for name in files:
            try:
                stat = os.stat(os.path.join(place, name))
            except OSError:
                return {}
            path = os.path.relpath(os.path.join(place, name), output)
            found[path.replace(os.sep, "/")] = [stat.st_size, stat.st_mtime_ns]
    return found


def nothing_changed(content, output, options):
    """Return the last build's summary if a build would write what is there, else None.

    options  plain data: what else the build depends on
    """
    last = read_last(output)
    if last.get("options") != options or last["written"] != written_files(output):
        return None
    inputs = Inputs(content, last["inputs"])
    same = all(inputs.digest(name) == known[0]
               for name, known in last["inputs"].items())
    return last["summary"] if same else None
