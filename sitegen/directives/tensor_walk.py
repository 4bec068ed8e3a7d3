"""The walk: every step of a decoder, with the tensors that it reads and makes.

Without scripts it is a list of steps, with the values of one layer as tables.
static/js/widgets/tensor-walk.js shows one step at a time and draws the values of the
page's run.  A walk with the option `steps` is a small one within the text: it has no
values until its script runs.
"""

import re

from sitegen.directives.attention_heatmap import SIGNED_STOPS, WEIGHT_STOPS
from sitegen.errors import known
from sitegen.highlight import highlight
from sitegen.recorded import token_labels
from sitegen.records import Directive
from sitegen.source import language_of, parse_steps, read_published
from sitegen.tensor_values import (
    likeliest_tokens,
    read_tensor,
    show_tensor,
    show_weight,
    source_of,
    with_values,
)
from sitegen.traces import describe_trace
from sitegen.walk import FILE as WALK_FILE
from sitegen.walk import layers_of, read_walk, resolve

NAME = "tensor-walk"
NUMBERED = True
OPTIONS = {
    "trace": {"type": "string"},
    "file": {"type": "string"},
    "steps": {"type": "array", "minItems": 1, "uniqueItems": True,
              "items": {"type": "string"}},
    "layer": {"type": "integer", "minimum": 0},
    "step": {"type": "string"},
    "open": {"type": "string"},
    "reader": {"type": "string"},
}
FILE = "tiny_llama.py"
LIKELIEST = 8       # next tokens that are listed
BETWEEN = ">"       # the cells of a trail
CELL = re.compile(r"(?P<name>[a-z_][\w.]*)(?P<weight>\*?)\[(?P<index>\d+(,\d+)*)\]")


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None:
        return None
    steps, problems = read_walk(article.content_folder(WALK_FILE))
    article.problems += problems
    if problems:
        return None
    faults = list(check_options(directive.options, trace, steps, article.published))
    article.tell_faults(directive, faults)
    if faults:
        return None
    article.need_parameters(trace.id)
    walk = Walk(directive.options, trace, steps)
    return {**walk.variables(article.published[walk.file]),
            "reader": reader_of(directive.options, article),
            "is_first": is_first(directive, article),
            "origin": describe_trace(trace, article.words),
            "address": article.address_prefix(trace)}


def check_options(options, trace, steps, published):
    """Yield (message, what was expected) for each option that does not fit."""
    layers = trace.data["model"]["num_hidden_layers"]
    file = options.get("file", FILE)
    shown = options.get("steps", list(steps))
    first = options.get("step", shown[0])
    unknown = [name for name in shown if name not in steps]
    walked = [steps[name] for name in shown if name in steps]
    if file not in published:
        yield f"no file '{file}' to take lines from", known(published, file), "file"
    else:
        yield from _unmarked(walked, file, published[file])
    for name in unknown:
        yield f"no step '{name}' in walk.toml", known(steps, name), "steps"
    if first not in shown:
        yield f"the first step, '{first}', is not shown", known(shown, first), "step"
    if options.get("layer", 0) >= layers:
        yield f"the model has no layer {options['layer']}", (
            f"expected layer 0 to {layers - 1}"), "layer"
    elif not unknown:
        yield from _missing(walked, trace)
    for text in filter(None, options.get("open", "").split(BETWEEN)):
        if not _is_cell(text, trace):
            yield f"no cell '{text}' to open", (
                "expected a tensor as in layers.0.scores[0,1,2,0], or a weight as in "
                "layers.0.wq*[3,8]"), "open"


def _unmarked(steps, file, source):
    """Yield a fault for each mark that a step names and the file does not have."""
    marks, _ = parse_steps(read_published(source), file)
    for name in {name: None for step in steps for name in step.source}:
        if name not in marks:
            yield f"no step '{name}' in {file}", known(marks, name)


def _is_cell(text, trace):
    """Return whether a text names a number of the trace's tensors or weights."""
    found = CELL.fullmatch(text)
    if not found:
        return False
    index = [int(number) for number in found["index"].split(",")]
    if found["weight"]:
        stored = trace.data["parameters"].get(found["name"])
        shape = stored["shape"] if stored else []
    elif source_of(found["name"]) in trace.data["tensors"]:
        shape = read_tensor(trace, found["name"])[1].shape
    else:
        shape = []
    return len(index) == len(shape) and all(
        at < length for at, length in zip(index, shape, strict=True))


def _missing(steps, trace):
    """Yield a fault for what the trace lacks: weights, or a tensor of the steps."""
    model, recorded = trace.data["model"], trace.data["tensors"]
    missing = [name for step in steps
               for name in _names(step, (*step.inputs, *step.outputs), model)
               if source_of(name) not in recorded]
    if parameters := trace.data.get("parameters"):
        missing += [name for step in steps
                    for name in _names(step, step.parameters, model)
                    if name not in parameters]
    else:
        yield "the trace has no parameters", (
            "the page's model computes the numbers of a walk from them")
    if missing:
        yield f"the trace has no {missing[0]}", "a walk needs every tensor of its steps"


def _names(step, names, model):
    """Return names of tensors as walk.toml has them, for each of a step's layers."""
    return [resolve(name, layer, model)
            for layer in layers_of(step, model["num_hidden_layers"]) for name in names]


def reader_of(options, article):
    """Return the address of the page with the source reader, '' for this page; None
    where there is none."""
    own = "#" if article.steps else None
    href = options.get("reader", own)
    return href and href.removesuffix("#")


def is_first(directive, article):
    """Return whether no walk stands before this one, which has what a page needs once.
    """
    walks = [found.place for found in article.article.scan.of(Directive)
             if found.name == NAME]
    return directive.place == walks[0]


class Walk:
    """What one directive shows of a trace, for checked options."""

    def __init__(self, options, trace, steps):
        self.options, self.trace = options, trace
        self.model = trace.data["model"]
        self.layers = self.model["num_hidden_layers"]
        self.layer = options.get("layer", 0)
        self.focused = "steps" in options
        self.steps = [steps[name] for name in options.get("steps", steps)]
        self.file = options.get("file", FILE)

    def variables(self, source):
        """Return the template's variables; source is the published file."""
        text = read_published(source)
        marks, _ = parse_steps(text, self.file)
        lines = highlight(text, language_of(self.file)).lines
        positions = len(self.trace.data["input"]["token_ids"][0])
        return {
            "trace": self.trace.id, "focused": self.focused, "file": self.file,
            "steps": [self.drawn(step, marks, lines) for step in self.steps],
            "first": self.options.get("step", self.steps[0].id),
            "layer": self.layer, "layers": self.layers,
            "heads": self.model["num_attention_heads"], "dtype": self.model["dtype"],
            "labels": token_labels(self.trace, positions),
            "sequence": self.sequence(), "other_layers": self.other_layers(),
            "open": self.options.get("open", ""),
            "weight_stops": WEIGHT_STOPS, "signed_stops": SIGNED_STOPS,
            "likeliest": likeliest_tokens(self.trace, LIKELIEST),
        }

    def sequence(self):
        """Return [(scope, layer or None, its steps)]: the walk's parts in order."""
        parts = [("before", None), *(("layer", n) for n in range(self.layers)),
                 ("after", None)]
        named = [(scope, layer, [step for step in self.steps if step.scope == scope])
                 for scope, layer in parts]
        return [part for part in named if part[2]]

    def drawn(self, step, marks, lines):
        """Return what is drawn of a step: its words, tensors and source lines.

        Each tensor stands beside its name as walk.toml has it, which is the same in
        every layer.
        """
        layers = layers_of(step, self.layers)
        layer = self.layer if step.scope == "layer" else layers[0]

        def named(names, show):
            found = [resolve(name, layer, self.model) for name in names]
            return [(name.replace("{head}", full), show(self.trace, full))
                    for name, full in zip(names, found, strict=True)]

        outputs = named(step.outputs, show_tensor)
        if not self.focused:
            outputs = [(name, with_values(self.trace, tensor))
                       for name, tensor in outputs]
        return {
            "words": step, "inputs": named(step.inputs, show_tensor),
            "parameters": named(step.parameters, show_weight), "outputs": outputs,
            "sources": [(marks[name], lines[marks[name].first - 1:marks[name].last])
                        for name in step.source]}

    def other_layers(self):
        """Return (layer, [(step, its outputs)]) for each layer that is not drawn."""
        steps = [step for step in self.steps if step.scope == "layer"]
        others = [n for n in range(self.layers) if n != self.layer]
        return [(layer, [
            (step, [show_tensor(self.trace, resolve(name, layer, self.model))
                    for name in step.outputs]) for step in steps])
            for layer in others if not self.focused]
