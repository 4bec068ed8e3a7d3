"""How many bytes a KV cache takes, for published configurations and a reader's own.

Without scripts it is a table of all of them and a plot of one.  static/js/widgets/
cache-bytes.js calculates for any context, batch and size of a number, and reads the
text of a config.json.
"""

import math
from dataclasses import dataclass

from sitegen.configurations import (
    attention_kind,
    grouped_heads,
    read_configurations,
    source_address,
    source_name,
)
from sitegen.errors import Problem, known
from sitegen.plots import (
    Line,
    Plot,
    Scale,
    downwards,
    from_top,
    place_names,
    powers,
    ticks,
)
from sitegen.published import read_published
from sitegen.sizes import binary_size, counted, grouped, whole_size

NAME = "cache-bytes"
NUMBERED = True
MOST_CONTEXT, MOST_BATCH = 2 ** 20, 256     # all bytes below are exact in a double
ITEM_BYTES = (1, 2, 4, 8)
OPTIONS = {"file": {"type": "string"}, "config": {"type": "string"},
           "context": {"type": "integer", "minimum": 1, "maximum": MOST_CONTEXT},
           "batch": {"type": "integer", "minimum": 1, "maximum": MOST_BATCH},
           "bytes": {"enum": list(ITEM_BYTES)}}
REQUIRED = ["file", "config"]
USUAL = {"context": 8192, "batch": 1, "bytes": 2}
SHORTEST = 256          # tokens at the plot's left edge
SIZE_STEP, TOKEN_STEP = 32, 4       # from tick to tick


@dataclass(frozen=True)
class Choice:
    """What the figure shows: sequences of context tokens, and bytes of a number."""

    context: int
    batch: int
    item_bytes: int


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded."""
    options = {**USUAL, **directive.options}
    data, place = read_published(options["file"], directive, article)
    if data is None:
        return None
    configurations, faults = read_configurations(data)
    article.problems += [Problem(place, fault) for fault in faults]
    if not faults and options["config"] not in configurations:
        article.problem(directive.at("config"),
                        f"no configuration '{options['config']}'",
                        known(configurations, options["config"]))
    shown = configurations.get(options["config"])
    if faults or not shown:
        return None
    choice = Choice(options["context"], options["batch"], options["bytes"])
    words = article.words
    values, holds = notes(shown, choice)
    return {"configurations": [_for_script(one) for one in configurations.values()],
            "shown": shown, "choice": choice, "item_bytes": ITEM_BYTES,
            "most_context": MOST_CONTEXT, "most_batch": MOST_BATCH,
            "power": round(math.log2(choice.context)),
            "table": [table_row(one, choice, words) for one in configurations.values()],
            "sources": [source_row(one, words) for one in configurations.values()],
            "sentence": arithmetic(shown, choice, words),
            "values": values, "holds": holds,
            "kinds": compared(shown, choice),
            "plot": draw(shown, choice, words),
            "origin": words["cache_bytes_origin"].format(file=options["file"])}


def _for_script(configuration):
    """Return what the script needs of a configuration."""
    return {"id": configuration.id, "name": configuration.name, **configuration.model,
            "parameters": configuration.parameters}


def table_row(configuration, choice, words):
    """Return one row of the table of all configurations."""
    model, batch = configuration.model, choice.batch
    from_context = configuration.outweighs_from(batch)
    return {
        "id": configuration.id, "name": configuration.name,
        "address": next(filter(None, map(source_address, configuration.sources)), None),
        "kind": configuration.kind, "model": model,
        "token": grouped(configuration.bytes_of(1, choice.item_bytes)),
        "cache": binary_size(configuration.bytes_of(choice.context, choice.item_bytes,
                                                    batch)),
        "saved": words["cache_bytes_times"].format(times=configuration.group),
        "weights": binary_size(configuration.parameters * choice.item_bytes),
        "outweighs": grouped(from_context) if from_context
        else words["cache_bytes_never"]}


def source_row(configuration, words):
    """Return where a configuration's numbers were read, source by source."""
    return {"name": configuration.name, "sources": [
        {"name": source_name(source), "address": source_address(source),
         "states": ", ".join(source["keys"]), "read": source["read"]}
        for source in configuration.sources]}


def arithmetic(configuration, choice, words):
    """Return the multiplication, spelled out, with its result."""
    model = configuration.model
    tokens = min(choice.context, model.get("sliding_window", choice.context))
    terms = [(key, number) for key, number in (
        ("layers", model["num_hidden_layers"]),
        ("kv_heads", model["num_key_value_heads"]), ("channels", model["head_dim"]),
        ("tokens", tokens), ("sequences", choice.batch), ("bytes", choice.item_bytes))]
    product = " × ".join(["2", *(counted(words[f"cache_bytes_{key}"], number)
                                 for key, number in terms)])
    total = configuration.bytes_of(choice.context, choice.item_bytes, choice.batch)
    return words["cache_bytes_product"].format(
        product=product, total=counted(words["cache_bytes_bytes"], total),
        size=binary_size(total))


def notes(configuration, choice):
    """Return (what the sentences below the arithmetic are filled with, which hold).

    Of a published configuration the weights are known, and a window is every layer's.
    """
    model, window = configuration.model, configuration.model.get("sliding_window")
    cache = configuration.bytes_of(choice.context, choice.item_bytes, choice.batch)
    weights = configuration.parameters * choice.item_bytes
    from_context = configuration.outweighs_from(choice.batch)
    most = model["max_position_embeddings"]
    values = {"parameters": grouped(configuration.parameters),
              "weights": binary_size(weights), "share": percent(cache, weights),
              "outweighs": grouped(from_context or 0), "window": grouped(window or 0),
              "capped": binary_size(configuration.bytes_of(
                  MOST_CONTEXT, choice.item_bytes, choice.batch)),
              "sliding": grouped(model["num_hidden_layers"]), "most": grouped(most)}
    return values, {"weighed": True, "unweighed": False, "window": bool(window),
                    "some": False, "outweighs": bool(from_context),
                    "longer": choice.context > most}


def percent(part, whole):
    """Return a share in percent, in two digits: '6.7 %', '0.034 %', '1,300 %'."""
    share = 100 * part / whole
    digits = next((n for n in range(8) if share >= 10 ** (1 - n)), 8)
    return format(share, f",.{digits}f") + " %"


def compared(configuration, choice):
    """Return the same model with other numbers of KV heads: kind → its record, None
    where its heads cannot be grouped."""
    heads = configuration.model["num_attention_heads"]
    kv_heads = {"MHA": heads, "GQA": grouped_heads(configuration.model), "MQA": 1}
    return {kind: None if count is None else {
        "kv_heads": count, "own": kind == configuration.kind,
        "token": grouped(other.bytes_of(1, choice.item_bytes)),
        "cache": binary_size(other.bytes_of(choice.context, choice.item_bytes,
                                            choice.batch))}
        for kind, count in kv_heads.items()
        for other in [configuration.with_kv_heads(count or 1)]}


def draw(configuration, choice, words):
    """Return the Plot of a configuration's cache against the length of its context,
    with the lines that it had as MHA or MQA, and its weights."""
    weights = configuration.parameters * choice.item_bytes
    heads = configuration.model["num_attention_heads"]
    own = configuration.model["num_key_value_heads"]
    variants = [configuration.with_kv_heads(n) for n in dict.fromkeys((heads, own, 1))]
    marks = powers([weights, *(size for variant in variants
                               for _, size in ends(variant, choice))], SIZE_STEP)
    across, up = Scale(SHORTEST, MOST_CONTEXT), Scale(marks[0], marks[-1])
    lines = [Line(line_style(variant, own), line_name(variant, own, words), tuple(
        (across.at(context), downwards(up.at(size)))
        for context, size in ends(variant, choice))) for variant in variants]
    (_, first), *_, (_, last) = ends(configuration, choice)
    cache = configuration.bytes_of(choice.context, choice.item_bytes, choice.batch)
    return Plot(
        title=words["cache_bytes_plot"].format(name=configuration.name),
        says=words["cache_bytes_plot_says"].format(
            first=binary_size(first), shortest=SHORTEST, last=binary_size(last),
            longest=grouped(MOST_CONTEXT), weights=binary_size(weights)),
        x_name=words["cache_bytes_x"], y_name=words["cache_bytes_y"],
        x_ticks=ticks(across, powers([SHORTEST, MOST_CONTEXT], TOKEN_STEP), every=2),
        y_ticks=from_top(ticks(up, marks, whole_size)), lines=place_names(lines),
        level=(downwards(up.at(weights)), words["cache_bytes_line_weights"]),
        chosen=(across.at(choice.context), downwards(up.at(cache)))
        if choice.context >= SHORTEST else None)


def ends(configuration, choice):
    """Return (context, bytes) of where a line begins, ends and, at a window, bends."""
    window = configuration.model.get("sliding_window", MOST_CONTEXT)
    bends = [window] if SHORTEST < window < MOST_CONTEXT else []
    return [(context, configuration.bytes_of(context, choice.item_bytes, choice.batch))
            for context in (SHORTEST, *bends, MOST_CONTEXT)]


def line_style(variant, own):
    """Return the class of a line: the model's own, or what it would be."""
    kind = attention_kind(variant.model).lower()
    return "own" if variant.model["num_key_value_heads"] == own else kind


def line_name(variant, own, words):
    """Return what a line is called."""
    kind, kv_heads = variant.kind, variant.model["num_key_value_heads"]
    if kv_heads != own:
        return words["cache_bytes_as"].format(kind=kind)
    return f"{kind}: {counted(words['cache_bytes_kv_heads'], kv_heads)}"
