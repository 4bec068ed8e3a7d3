"""The traces that traces.toml names: programs to run, files to read."""

from copy import copy

from sitegen.audited import Reads
from sitegen.content import read_toml, shown
from sitegen.errors import Place, Problem
from sitegen.inputs import digest_of
from sitegen.programs import LIMITS, run_trace
from sitegen.safe_paths import is_below
from sitegen.strict_json import read_json
from sitegen.traces import Trace, parse_trace

TRACE_INPUTS = ("code", "python", "package:numpy", "package:jsonschema")


class KeptTrace(Trace):
    """A trace that was checked in an earlier build: it is read when it is asked for."""

    def __init__(self, trace_id, path, publish, content):
        self.id, self.path, self.publish, self.arrays = trace_id, path, publish, {}
        self.content = content      # anything with read_bytes()

    def __getattr__(self, name):
        if name == "text":
            self.text = self.content.read_bytes().decode("utf-8")
            return self.text
        if name == "data":
            self.data = read_json(self.text)
            return self.data
        raise AttributeError(name)


def read_traces(folder, store, run=True):
    """Return (id → Trace, or None where it has problems; problems) of traces.toml.

    store  cache.Store; `the trace <id>` becomes an input of what is made of it
    run    False takes what a program printed in an earlier build, or says a problem
    """
    settings, problems = read_toml(folder, "traces.toml", "traces.schema.json")
    if settings is None or problems:
        return {}, problems
    traces = {}
    choices = {name: how for name, how in settings.items() if "first" in how}
    for trace_id, how in settings.items():
        if trace_id not in choices and not _is_absent(folder, how, store.inputs):
            traces[trace_id], more = _read_trace(folder, trace_id, how, store, run)
            problems += more
    for trace_id, how in choices.items():
        problems += _choose(folder, trace_id, how, traces, store.inputs)
    return traces, problems


def input_name(trace_id):
    """Return what a trace is called among a build's inputs."""
    return f"the trace {trace_id}"


def _is_absent(folder, how, inputs):
    """Return whether an optional recording has not been made."""
    return how.get("optional", False) and inputs.digest(inputs.name_of(
        folder.resolve().parent / how["file"])) is None


def _choose(folder, trace_id, how, traces, inputs):
    """Give the first of several traces that exists a second id; yield a Problem."""
    found = next((name for name in how["first"] if name in traces), None)
    if found is None:
        yield Problem(Place(shown(folder, folder / "traces.toml")),
                      f"{trace_id}: none of {', '.join(how['first'])} exists",
                      "record one of them")
    trace = traces[trace_id] = copy(traces.get(found))
    if trace:
        trace.id, trace.publish = trace_id, how.get("publish")
        inputs.found(input_name(trace_id), digest_of(
            [found, inputs.digest(input_name(found)), trace.publish]))


def _read_trace(folder, trace_id, how, store, run):
    """Return (Trace or None, problems) of one trace, checked now or before."""
    inputs, name = store.inputs, input_name(trace_id)
    asked = f"{name}'s entry in traces.toml"
    inputs.found(asked, digest_of(how))
    kept = store.take("trace", trace_id)
    if kept:
        content = (folder.resolve().parent / how["file"] if "file" in how
                   else store.blob(kept["text"]))
        trace = KeptTrace(trace_id, kept["path"], how.get("publish"), content)
        inputs.found(name, digest_of([kept["text"], trace.publish]))
        return trace, []
    reason = store.why["trace", trace_id]
    if "run" in how and not run:
        return None, [Problem(
            Place(shown(folder, folder / "traces.toml")),
            f"{trace_id}: has to be run ({reason})", "build without --no-run")]
    path, text, problems, reads = _produce(folder, trace_id, how)
    trace, more = (None, []) if problems else parse_trace(trace_id, path, text,
                                                          how.get("publish"))
    if trace and reads.unseen:
        store.leave("trace", trace_id, reads.unseen)
    elif trace:
        blobs = [store.keep_blob(text)] if "run" in how else []
        store.keep("trace", trace_id, [asked, *TRACE_INPUTS, *inputs.names_of(reads)],
                   {"path": path, "text": digest_of(text)}, blobs)
    inputs.found(name, trace and digest_of([digest_of(text), trace.publish]), reason)
    return trace, problems + more


def _produce(folder, trace_id, how):
    """Return (path for messages, text, problems, Reads) of a run or a file."""
    if "run" in how:
        return run_trace(folder, trace_id, how["run"],
                         LIMITS.raised(how.get("limits", {})))
    file = folder.resolve().parent / how["file"]
    path, reads = shown(folder, file), Reads(frozenset([str(file)]))
    if not is_below(folder.resolve().parent, how["file"]):
        return path, "", [Problem(Place(shown(folder, folder / "traces.toml")),
                                  f"{trace_id}: no file '{how['file']}'",
                                  "paths start at the content folder's parent")], reads
    try:
        return path, file.read_bytes().decode("utf-8"), [], reads
    except (OSError, UnicodeDecodeError) as error:
        return path, "", [Problem(Place(path), f"cannot be read: {error}",
                                  "record it again")], reads
