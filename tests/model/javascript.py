"""Ask the page's model, in one Node process (tests/js/answers.js says how)."""

import json
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field
from math import prod
from pathlib import Path

import numpy as np

from tests.tools.node import node_folder

ROOT = Path(__file__).parents[2]
LIB = ROOT / "static/js/lib"
LIMIT = 1e-12                   # of the largest value of a tensor


@dataclass
class Answer:
    """One run: its tensors by name, in order of making; Python's own names alone.

    moved, properties  what the page says of a changed run
    """

    tensors: dict[str, np.ndarray]
    moved: dict[str, dict] = field(default_factory=dict)
    properties: dict[str, dict] = field(default_factory=dict)


def ask(models, calls=(), changes=(), lib=LIB):
    """Return an Answer for each chunk of each call, then one for each change.

    models  name → (config, weights)
    """
    question = {"calls": list(calls), "changes": list(changes), "models": {
        name: {"config": asdict(config), "weights": {
            key: {"shape": weight.shape, "values": weight.ravel().tolist()}
            for key, weight in weights.items()}}
        for name, (config, weights) in models.items()}}
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "question.json"), Path(folder, "answer")
        asked.write_text(json.dumps(question))
        program = [node_folder() / "node", ROOT / "tests/js/answers.js"]
        subprocess.run([*program, lib, asked, answered], check=True)
        head, _, numbers = answered.read_bytes().partition(b"\n")
    return list(read_answers(json.loads(head), np.frombuffer(numbers, "<f8")))


def read_answers(headers, numbers):
    """Yield the Answer of each header; the numbers follow each other."""
    start = 0
    for header in headers:
        tensors = {}
        for name, shape in header["shapes"].items():
            end = start + prod(shape)
            tensors[name] = numbers[start:end].reshape(shape)
            start = end

        def is_ours(name, derived=frozenset(header["derived"])):
            return name.split(".")[-1] not in derived

        yield Answer(
            {name: tensor for name, tensor in tensors.items() if is_ours(name)},
            {moved["name"]: moved for moved in header.get("moved", ())
             if is_ours(moved["name"])},
            {found["id"]: found for found in header.get("properties", ())})
    assert start == numbers.size, "numbers that no header names"


def configurations(llama):
    """Return the article's configuration, and one whose sizes all differ, by name."""
    return {"article": llama.ARTICLE[0], "all_different": llama.ALL_DIFFERENT[0]}


def largest_of(llama, answers, expected):
    """Return the largest difference of any tensor, over the tensor's largest value."""
    pairs = list(zip(answers, expected, strict=True))
    for found, wanted in pairs:
        assert list(found.tensors) == list(wanted), "other tensors, or another order"
    return np.max([llama.largest_difference(found.tensors[name], wanted[name])
                   for found, wanted in pairs for name in wanted])
