"""The cache stepper: what each call of a generation reads, writes, never reads again.

Without scripts it is a table of the recorded calls, and the weights that one of them
made.  static/js/widgets/cache-stepper.js cuts the sequence as the reader wishes, and
runs the model over a cache.

Axes: T new positions of a call, S positions so far, stored and new.
"""

import json
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from sitegen.costs import cache_bytes, multiply_adds
from sitegen.directives.run_controls import check_computed, run_variables
from sitegen.errors import known
from sitegen.islands import LARGE
from sitegen.notation import fixed, power_of_ten, weight_class
from sitegen.recorded import recorded_layers
from sitegen.sizes import grouped
from sitegen.traces import describe_trace

NAME = "cache-stepper"
NUMBERED = True
OPTIONS = {
    "trace": {"type": "string"},
    "cached": {"type": "string"},       # a run's variable, [calls]: multiply-adds
    "full": {"type": "string"},         # the same without a cache
    "bytes": {"type": "string"},        # of the cache after each call
    "call": {"type": "integer", "minimum": 0},
    "layer": {"type": "integer", "minimum": 0},
    "head": {"type": "integer", "minimum": 0},
}
REQUIRED = ["cached", "full", "bytes"]

DIGITS = 2


@dataclass(frozen=True)
class Call:
    """One call as the table shows it; its new positions are stored … end - 1.

    next, probability  the likeliest token after its last one
    adds, full         multiply-adds, of one call over all positions so far too
    bytes              of the cache after it
    """

    stored: int
    end: int
    next: str
    probability: str
    adds: int
    full: int
    bytes: int

    @property
    def new(self):
        """How many positions it takes."""
        return self.end - self.stored


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None or "run" in article.broken:
        return None
    options = {"layer": 0, "head": 0, **directive.options}
    problems = [*check_computed(trace, trace, article),
                *check_options(options, article.snippets, trace)]
    article.tell_faults(directive, problems)
    if problems:
        return None
    variables = run_variables(trace, article)
    return {**variables, **drawn(options, trace, variables["vocabulary"]),
            "counted": json.dumps([article.snippets[options[name]]
                                   for name in REQUIRED]),
            "origin": describe_trace(trace, article.words)}


def check_options(options, left, trace):
    """Yield (message, what was expected) for each option that nothing answers to.

    left  variable → what the article's snippets left
    """
    if "generation" not in trace.data:
        yield (f"the trace '{trace.id}' records no generation",
               "name one that tiny_llama.py printed with --chunks or --generate")
        return
    calls, length = (trace.data["generation"]["calls"],
                     len(trace.data["input"]["token_ids"][0]))
    begins = [0, *accumulate(call["new"] for call in calls)]
    if [*(call["stored"] for call in calls), length] != begins:
        yield (f"the calls of '{trace.id}' do not cover its {length} positions in turn",
               f"expected each to begin where the one before it ends: {begins}")
        return
    counts = {"layer": trace.data["model"]["num_hidden_layers"],
              "head": trace.data["model"]["num_attention_heads"],
              "call": len(calls)}
    for option, count in counts.items():
        if options.get(option, 0) >= count:
            yield (f"the trace has no {option} {options[option]}",
                   f"expected {option} 0 to {count - 1}", option)
    if length > LARGE:
        yield f"the trace has {length} positions", f"expected at most {LARGE}"
    yield from check_counts(options, left, trace)


def check_counts(options, left, trace):
    """Yield (message, what to do) where what a snippet counted is not the formula's."""
    for option, expected in zip(REQUIRED, zip(*costs_of(trace), strict=True),
                                strict=True):
        name = options[option]
        if name not in left:
            yield f"the snippets leave no value '{name}'", known(left, name), option
        elif left[name] != list(expected):
            yield (f"'{name}' is {left[name]}, and by sitegen/costs.py it is "
                   f"{list(expected)}", "mend what counts, or the formula")


def costs_of(trace):
    """Return (multiply-adds, those without a cache, bytes of the cache) by call."""
    model = trace.data["model"]
    item_bytes = np.dtype(model["dtype"]).itemsize
    spans = [(call["stored"], call["new"]) for call in
             trace.data["generation"]["calls"]]
    return [(multiply_adds(model, new, stored), multiply_adds(model, stored + new, 0),
             cache_bytes(model, stored + new, item_bytes)) for stored, new in spans]


def drawn(options, trace, vocabulary):
    """Return the variables that say what each call does; the options are checked."""
    generation, layer = trace.data["generation"], options["layer"]
    calls = calls_of(trace, vocabulary)
    shown = options.get("call", first_after(calls, generation["prompt"]))
    weights = trace.tensor(f"layers.{layer}.weights")[0, options["head"]]
    call = calls[shown]
    return {
        "calls": calls, "shown": shown, "call": call, "prompt": generation["prompt"],
        "sizes": "-".join(str(each.new) for each in calls),
        "borders": [each.stored for each in calls],
        "totals": list(accumulate(each.adds for each in calls)),
        "full_totals": list(accumulate(each.full for each in calls)),
        "item_bytes": np.dtype(trace.data["model"]["dtype"]).itemsize,
        "layer": layer, "layers": len(recorded_layers(trace)),
        "head": options["head"], "heads": trace.data["model"]["num_attention_heads"],
        "rows": [weight_cells(weights[query, :call.end], query)
                 for query in range(call.end)],
        "difference": power_of_ten(generation["calls"][shown]["difference"]),
        "span": span, "grouped": grouped, "times": times,
    }


def calls_of(trace, vocabulary):
    """Return the Calls of a trace's generation."""
    calls, logits = [], trace.tensor("logits")[0]                   # [T, V]
    recorded = trace.data["generation"]["calls"]
    for call, costs in zip(recorded, costs_of(trace), strict=True):
        end = call["stored"] + call["new"]
        powers = np.exp(logits[end - 1] - logits[end - 1].max())
        token = int(powers.argmax())
        calls.append(Call(call["stored"], end, vocabulary[token],
                          fixed(powers[token] / powers.sum(), DIGITS), *costs))
    return calls


def first_after(calls, prompt):
    """Return the number of the first call that takes a generated token, else the last.
    """
    after = [number for number, call in enumerate(calls) if call.stored >= prompt]
    return after[0] if after else len(calls) - 1


def weight_cells(weights, query):
    """Return (class, number or None where the mask forbids) of a row, [S]."""
    return [(weight_class(weight), fixed(weight, DIGITS)) if key <= query
            else ("masked", None) for key, weight in enumerate(weights)]


def span(first, end):
    """Return the positions from first to end - 1 as a range; lib/ranges.js does too."""
    return str(first) if end - first == 1 else f"{first}–{end - 1}"


def times(call):
    """Return how many times as many multiply-adds a call takes without a cache."""
    return fixed(call.full / call.adds, 1).removesuffix(".0")
