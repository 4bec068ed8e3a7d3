"""What a build depends on: names, and digests of what they stood for when it began.

    content/articles/a/index.md    a file below the content folder's parent
    content/articles/a/            a folder there: the names of all files below it
    tools/*                        … of what is in it
    generator:templates/page.html  a file of ours, or generator:sitegen/, a folder
    /elsewhere/data.json           another file
    package:markdown, python       versions
    env:SOURCE_DATE_EPOCH          a variable of the environment
    code                           the generator's own modules and schemas
    content folder                 its name: a project may have several
    ./the data.csv                 a file that would be taken for another of these
    the trace demo, the settings … what the build itself has found out

Standard library alone: what finds that nothing changed imports this and little more.
"""

import hashlib
import json
import os
import re
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS, PACKAGE, ENV, FOUND = "generator:", "package:", "env:", "the "
CONTENT = "content folder"
TAKEN = re.compile(rf"{OURS}|{PACKAGE}|{ENV}|{FOUND}|(?:code|python|{CONTENT})$")
FOLDER = ("/", "/*")
ABOVE = "./*"       # the project's own folder, in which builds make others
# A file that changed this shortly before it was read may change again within one tick
# of its clock: its stat is not trusted later on (git calls such an entry racy).
TICK_NS = 2_000_000_000
CLOCK_NS = 20_000_000       # how far the clock of a file system lags behind the other
WRITTEN = ".written-by-build-py"    # in what a build wrote: that is no input
NO_CODE = ("commands/", "view.py")      # what makes no page of a site
DISTRIBUTION = re.compile(r"(.+?)-([^-]+)\.(?:dist|egg)-info")


def digest_of(data):
    """Return the SHA-256 of bytes, of a text, or of plain data as JSON writes it."""
    if not isinstance(data, (bytes, str)):
        data = json.dumps(data, sort_keys=True, separators=(",", ":"))
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def stat_of(path):
    """Return what tells that a file was written since: size, times, number."""
    found = os.stat(path)
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def installed():
    """Return distribution (lower case, with '-') → version of what can be imported."""
    versions = {}
    for folder in reversed(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for found in filter(None, map(DISTRIBUTION.fullmatch, names)):
            versions[plain_name(found[1])] = found[2]
    return versions


def plain_name(distribution):
    """Return a distribution's name as it is compared: lower case, with '-'."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


class Inputs:
    """Digests by name, each looked up once; `stats` of the files among them.

    content  the content folder; below its parent, the project, files have short names
    before   name → [digest, *stat] of the last build's files: what has the same stat
             is not read again
    finders  beginning of a name → function of its rest, for what only some pages ask
    """

    def __init__(self, content, before=None):
        self.project, name = os.path.split(os.path.realpath(content))
        self.before, self.digests = before or {}, {CONTENT: name}
        self.stats, self.because = {}, {}
        self.versions, self.racy, self.finders = None, set(), {}
        self.began = time.time_ns() - CLOCK_NS

    def digest(self, name):
        """Return the digest of an input, None where there is no such thing."""
        if name not in self.digests:
            self.digests[name] = self._look_up(name)
        return self.digests[name]

    def found(self, name, digest, because=None):
        """Say what the build itself found out, by its digest, and why it changed."""
        self.digests[name] = digest
        if because:
            self.because[name] = because

    def reason(self, name, before):
        """Return why an input makes a thing be built again: 'site.toml changed'."""
        now = self.digest(name)
        verb = "is new" if before is None else "is gone" if now is None else "changed"
        return " since ".join(filter(None, [f"{name} {verb}", self.because.get(name)]))

    def name_of(self, path):
        """Return the name of a file or folder by its path; a link there keeps its own,
        since it may be turned."""
        for way in (os.path.abspath(path), os.path.realpath(path)):
            for before, folder in (("", self.project), (OURS, ROOT)):
                if f"{way}{os.sep}".startswith(folder + os.sep):
                    name = os.path.relpath(way, folder).replace(os.sep, "/")
                    return before + ("./" if TAKEN.match(name) else "") + name
        return os.path.abspath(path)

    def names_of(self, reads):
        """Return the names of what a program read outside its working folder."""
        return [*map(self.name_of, sorted(reads.files)),
                *(self.name_of(folder) + "/*" for folder in sorted(reads.folders)),
                *(PACKAGE + plain_name(name) for name in sorted(reads.packages)),
                *(ENV + name for name in sorted(reads.variables))]

    def path_of(self, name):
        """Return the path of the file or folder that a name stands for."""
        if name.startswith(OURS):
            return os.path.join(ROOT, name.removeprefix(OURS))
        return os.path.join(self.project, name.removesuffix("*"))

    def changed(self):
        """Return the names of what was written since the build began: nobody knows
        whether what was made is of the old or of the new."""
        changed = {name for name, stat in self.stats.items()
                   if stat != self._stat(name) or (stat and self._is_late(stat))}
        changed |= {name for name in self.digests if name.endswith(FOLDER)
                    and self._folder(name) != self.digests[name]}
        changed |= {name for name in self.digests if name.endswith("/*")
                    and name != ABOVE and self._is_late(self._stat(name) or [0, 0])}
        is_code = changed and changed.intersection(self._code())
        return changed | {"code"} if is_code else changed

    def record(self):
        """Return what the next build needs to know of these inputs; plain data."""
        return {name: [digest, *(self.stats.get(name) or () if name not in self.racy
                                 else ())]
                for name, digest in self.digests.items()
                if not name.startswith(FOUND)}

    def _look_up(self, name):
        if name.startswith(FOUND):
            return next((find(name.removeprefix(before))
                         for before, find in self.finders.items()
                         if name.startswith(before)), None)
        if name == "python":
            return digest_of(sys.version)
        if name == "code":
            return digest_of({name: self.digest(name) for name in self._code()})
        if name.startswith(PACKAGE):
            self.versions = installed() if self.versions is None else self.versions
            return self.versions.get(name.removeprefix(PACKAGE))
        if name.startswith(ENV):
            value = os.environ.get(name.removeprefix(ENV))
            return None if value is None else digest_of(value)  # it may be a secret
        if name.endswith(FOLDER):
            return self._folder(name)
        return self._file(name)

    def _is_late(self, stat):
        return max(stat[1:3]) > self.began

    def _stat(self, name):
        try:
            return stat_of(self.path_of(name))
        except OSError:
            return None

    def _folder(self, name):
        folder = self.path_of(name)
        if not os.path.isdir(folder):
            return None
        return digest_of(names_in(folder) if name.endswith("*")
                         else listing_of(folder))

    def _file(self, name):
        now = time.time_ns()
        stat = self.stats[name] = self._stat(name)
        if stat is None:
            return None
        known = self.before.get(name)
        if known and known[1:] == stat:
            return known[0]
        try:
            with open(self.path_of(name), "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
        except OSError:
            return None
        if max(stat[1:3]) > now - TICK_NS:
            self.racy.add(name)
        return digest

    def _code(self):
        for folder, ending in (("sitegen/", ".py"), ("static/schema/", ".json")):
            for name in names_below(os.path.join(ROOT, folder)):
                if name.endswith(ending) and not name.startswith(NO_CODE):
                    yield f"{OURS}{folder}{name}"


def names_below(folder):
    """Return 'name' and 'below/name' of each file in a folder, sorted; what begins with
    a dot is left out."""
    return sorted(name for name, _ in entries_below(folder))


def entries_below(folder, before=""):
    """Yield (name as above, os.DirEntry) of each file in a folder; a link to a folder
    counts as a file."""
    try:
        entries = [*os.scandir(folder)]
    except OSError:
        return
    for entry in filter(lambda entry: _is_seen(entry.name), entries):
        if entry.is_dir(follow_symlinks=False):
            yield from entries_below(entry.path, f"{before}{entry.name}/")
        else:
            yield before + entry.name, entry


def listing_of(folder):
    """Return the names of files in a folder, each link with what it leads to."""
    return sorted(f"{name} → {os.readlink(entry.path)}" if entry.is_symlink() else name
                  for name, entry in entries_below(folder))


def names_in(folder):
    """Return the names of what is in a folder, sorted, without what builds write."""
    return sorted(name for name in os.listdir(folder) if _is_seen(name)
                  and not os.path.exists(os.path.join(folder, name, WRITTEN)))


def _is_seen(name):
    return not name.startswith(".") and name != "__pycache__"
