"""What content/configurations.json says of transformers' classes is what they say.

Run by `make test-torch`, which installs PyTorch and transformers; without them these
tests fail rather than pass by.
"""

import importlib
import json
from pathlib import Path

import pytest

from sitegen.configurations import count_parameters

pytestmark = pytest.mark.torch

FILE = Path(__file__).parents[2] / "content" / "configurations.json"
RECORDS = {record["id"]: record for record in json.loads(FILE.read_text("utf-8"))}
SOURCES = [(name, source) for name, record in RECORDS.items()
           for source in record["sources"] if "class" in source]
ALIASES = {"FalconConfig": {"intermediate_size": "ffn_hidden_size",
                            "num_key_value_heads": "num_kv_heads"}}
ONLY_OURS = {"id", "name", "model_type", "parameters", "sources"}


@pytest.fixture(scope="module")
def transformers():
    return importlib.import_module("transformers")


def of_kind(ending):
    return [pytest.param(name, source, id=f"{name}-{source['class']}")
            for name, source in SOURCES if source["class"].endswith(ending)]


@pytest.mark.parametrize(("name", "source"), of_kind("Config"))
def test_a_configuration_class_has_these_defaults(transformers, name, source):
    kind = source["class"].rpartition(".")[2]
    config = getattr(transformers, kind)()
    stated = {key: getattr(config, ALIASES.get(kind, {}).get(key, key))
              for key in source["keys"]}
    if getattr(config, "multi_query", False):
        stated["num_key_value_heads"] = 1   # whatever num_kv_heads is
    assert stated == {key: RECORDS[name][key] for key in source["keys"]}


def number_of_weights(transformers, kind, record):
    """Return how many numbers the weights of a model class are, none of them made."""
    torch = importlib.import_module("torch")
    sizes = {key: value for key, value in record.items() if key not in ONLY_OURS}
    if kind.startswith("Falcon"):
        sizes = {}      # its class has the model's sizes under other names
    model_class = getattr(transformers, kind)
    with torch.device("meta"):
        model = model_class(model_class.config_class(**sizes))
    return sum(weights.numel() for weights in model.parameters())


@pytest.mark.parametrize(("name", "source"), of_kind("ForCausalLM"))
def test_a_model_class_has_this_many_weights(transformers, name, source):
    kind, record = source["class"].rpartition(".")[2], RECORDS[name]
    counted = number_of_weights(transformers, kind, record)
    assert counted == record["parameters"] == count_parameters(record)
    if not kind.startswith("Falcon"):
        wider = {**record, "intermediate_size": record["intermediate_size"] + 1}
        assert number_of_weights(transformers, kind, wider) == count_parameters(wider)
        assert count_parameters(wider) > counted
