"""Published configurations of models, and what their KV caches take.

    bytes = 2 × layers × KV heads × head_dim × positions × batch × bytes of a number

static/js/lib/configurations.js has the same rules; tests/cases/configurations.json
and content/configurations.json hold both to them.
"""

from dataclasses import dataclass
from urllib.parse import quote

from sitegen.costs import cache_bytes
from sitegen.schemas import schema_errors

SCHEMA = "configurations.schema.json"
ABOUT = ("id", "name", "model_type", "sources")     # what no source has to state
USUAL_KV_HEADS = 8      # of models with grouped heads
# Vectors and matrices by which an architecture differs from another.  feed_forward:
# matrices of D × F; final: vectors of D in the last norm (Falcon's norms have a bias
# too, but one of them where others have two); bias: of the projections to q, k and v;
# head_norms: vectors of head_dim in a layer.
LLAMA = {"feed_forward": 3, "final": 1, "bias": 0, "head_norms": 0}
SHAPES = {"llama": LLAMA, "mistral": LLAMA, "gemma": LLAMA,
          "qwen2": {**LLAMA, "bias": 1}, "qwen3": {**LLAMA, "head_norms": 2},
          "falcon": {**LLAMA, "feed_forward": 2, "final": 2}}


@dataclass(frozen=True)
class Configuration:
    """One published model.

    model       config.json's names → numbers
    parameters  how many numbers its weights are, each counted once
    sources     as in the schema: where each number was read
    """

    id: str
    name: str
    model: dict
    parameters: int
    sources: tuple[dict, ...]

    @property
    def kind(self):
        """Return what its attention is called: MHA, GQA or MQA."""
        return attention_kind(self.model)

    @property
    def group(self):
        """Return how many query heads share one KV head."""
        return self.model["num_attention_heads"] // self.model["num_key_value_heads"]

    def bytes_of(self, context, item_bytes, batch=1):
        """Return the bytes of the cache of sequences of context tokens; a rolling cache
        keeps no more of them than its window."""
        window = self.model.get("sliding_window", context)
        return cache_bytes(self.model, min(context, window), item_bytes, batch)

    def with_kv_heads(self, kv_heads):
        """Return the same model with another number of KV heads."""
        return Configuration(self.id, self.name,
                             {**self.model, "num_key_value_heads": kv_heads},
                             self.parameters, self.sources)

    def outweighs_from(self, batch=1):
        """Return the smallest context whose cache takes more than the weights, at one
        size of a number for both; None where the window keeps it smaller for good."""
        context = self.parameters // cache_bytes(self.model, 1, 1, batch) + 1
        return context if context <= self.model.get("sliding_window", context) else None


def read_configurations(data):
    """Return (Configurations by id, messages of what is wrong) of parsed JSON."""
    faults = [f"{'.'.join(map(str, where)) or 'the file'}: {message}"
              for where, message in schema_errors(SCHEMA, data)]
    if faults:
        return {}, faults
    configurations = {}
    for stored in data:
        name = stored["id"]
        faults += [f"{name}: {fault}" for fault in _faults(stored)]
        if name in configurations:
            faults.append(f"{name}: two configurations have this id")
        model = {key: value for key, value in stored.items()
                 if key not in ("id", "name", "parameters", "sources")}
        configurations[name] = Configuration(
            name, stored["name"], model, stored["parameters"], tuple(stored["sources"]))
    return configurations, faults


def _faults(stored):
    """Yield what cannot be: heads that do not divide, a count that is not the shapes',
    a number that no source states, a source that states what the record lacks."""
    heads, kv_heads = stored["num_attention_heads"], stored["num_key_value_heads"]
    if heads % kv_heads:
        yield f"{heads} heads cannot share {kv_heads} KV heads evenly"
    counted = count_parameters(stored)
    if counted != stored["parameters"]:
        yield (f"parameters: {stored['parameters']:,}; its shapes have {counted:,}, "
               f"{counted - stored['parameters']:+,}")
    numbers = [key for key in stored if key not in ABOUT]
    stated = [key for source in stored["sources"] for key in source["keys"]]
    yield from (f"{key}: no source states it" for key in numbers if key not in stated)
    yield from (f"sources: no number '{key}'" for key in dict.fromkeys(stated)
                if key not in numbers)


def count_parameters(model):
    """Return how many numbers the weights of a model are, by its shapes."""
    shapes = SHAPES[model["model_type"]]
    hidden, head_dim = model["hidden_size"], model["head_dim"]
    heads, kv_heads = model["num_attention_heads"], model["num_key_value_heads"]
    made = (heads + 2 * kv_heads) * head_dim        # numbers of q, k and v of a token
    layer = (made * (hidden + shapes["bias"]) + heads * head_dim * hidden
             + shapes["feed_forward"] * hidden * model["intermediate_size"]
             + shapes["head_norms"] * head_dim + 2 * hidden)
    tables = 1 if model["tie_word_embeddings"] else 2
    return (model["num_hidden_layers"] * layer + shapes["final"] * hidden
            + tables * model["vocab_size"] * hidden)


def attention_kind(model):
    """Return MHA, MQA or GQA, by how many heads share a KV head."""
    heads, kv_heads = model["num_attention_heads"], model["num_key_value_heads"]
    return "MHA" if kv_heads == heads else "MQA" if kv_heads == 1 else "GQA"


def grouped_heads(model):
    """Return the KV heads that a model has, or would have, with grouped heads: the
    divisor of its heads nearest to the usual number; None where there is none."""
    if attention_kind(model) == "GQA":
        return model["num_key_value_heads"]
    heads = model["num_attention_heads"]
    divisors = [n for n in range(2, heads) if heads % n == 0]
    return min(divisors, key=lambda n: (abs(n - USUAL_KV_HEADS), n), default=None)


def source_address(source):
    """Return where a source can be read, or None for one that is no address."""
    if "address" not in source:
        return None
    return f"{source['address']}/blob/{source['revision']}/{quote(source['path'])}"


def source_name(source):
    """Return what a source is called: repository and file, or class and version."""
    if "address" in source:
        owner = source["address"].partition("//")[2].partition("/")[2]
        return f"{owner}, {source['path']} at {source['revision'][:7]}"
    if "class" in source:
        return f"{source['class']} {source['version']}"
    return source["file"]
