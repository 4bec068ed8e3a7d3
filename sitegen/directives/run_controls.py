"""The run's controls: which tokens the page's model runs on, and with whose weights.

Without scripts it says what was recorded.  static/js/widgets/run-controls.js lets the
reader change it, and every figure of the trace follows.
"""

from sitegen.notation import visible
from sitegen.recorded import token_labels

NAME = "run-controls"
NUMBERED = False
OPTIONS = {"trace": {"type": "string"}, "trained": {"type": "string"}}

SIZES = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
         "num_key_value_heads", "head_dim", "vocab_size")


def prepare(directive, article):
    """Return what the template draws, or None once a problem is recorded."""
    traces = computed_traces(directive, article)
    if traces is None:
        return None
    trace, trained = traces
    return {"trained": trained and trained.id, **run_variables(trace, article)}


def computed_traces(directive, article):
    """Return (the trace, the one of the trained weights or None), both of which the
    page can compute; None once a problem is recorded."""
    traces = [article.named_trace(directive, option) for option in ("trace", "trained")
              if option == "trace" or option in directive.options]
    if None in traces:
        return None
    problems = [problem for trace in traces for problem in
                check_computed(trace, traces[0], article)]
    article.tell_faults(directive, problems)
    return None if problems else (*traces, None)[:2]


def check_computed(trace, page, article):
    """Yield (message, what to do) where the page's model cannot run a trace's weights
    in place of those of the page's trace."""
    if not article.need_parameters(trace.id):
        yield (f"the trace '{trace.id}' records no parameters",
               "name a trace of tiny_llama.py")
    sizes, expected = ([model.data["model"].get(name) for name in SIZES]
                       for model in (trace, page))
    if sizes != expected:
        yield (f"the model of '{trace.id}' has other sizes than that of '{page.id}'",
               f"expected {', '.join(SIZES)} = {expected}, found {sizes}")


def run_variables(trace, article):
    """Return what the templates of the widgets that choose a run have in common."""
    model, data = trace.data["model"], trace.data
    ids = data["input"]["token_ids"]
    ids = ids[0] if isinstance(ids[0], list) else ids
    words = data.get("vocabulary") or [""] * model["vocab_size"]
    return {
        "trace": trace.id, "address": article.address_prefix(trace), "ids": ids,
        "labels": token_labels(trace, len(ids)),
        "vocabulary": [visible(str(word)) for word in words],
        "is_trained": bool(model.get("trained")),
    }
