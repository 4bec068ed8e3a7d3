"""Run one forward pass in several ways that give out every layer's attention.

    python -m bench.captures time --ways bare,capture --lengths 64 512
    python -m bench.captures memory --ways capture --lengths 64 512 1024

Prints one line of JSON.  `time` takes all ways in turn, in one process; `memory` has
a process to itself, for one way at lengths that grow.  The model has SmolLM2's sizes
and random weights: it costs what the real one does, and needs no minute to load.  A
peer (TransformerLens, nnsight) is read from a folder that `pip install --target` made,
and has a model of its own, because it changes the model that it is given.
"""

import argparse
import copy
import ctypes
import importlib
import importlib.metadata
import json
import re
import sys
import tempfile
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "probe"))
probe = importlib.import_module("probe_pretrained")
RECORDED = ROOT / "probe" / "traces" / "smollm2-135m-instruct.json"
WARM_UP_TOKENS = 8
PACKAGES = ("torch", "transformers", "accelerate", "transformer-lens", "nnsight")


def random_model():
    """Return a LlamaForCausalLM of SmolLM2's sizes, in eager attention."""
    recorded = json.loads(RECORDED.read_text("utf-8"))["model"]
    sizes = {name: recorded[name] for name in (
        "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
        "num_key_value_heads", "head_dim", "vocab_size", "tie_word_embeddings")}
    torch.manual_seed(0)
    config = LlamaConfig(**sizes, attn_implementation="eager", pad_token_id=None)
    return LlamaForCausalLM(config).eval()


# Each way takes a model and returns a function of ids [1, T] that makes one pass and
# returns how many layers' weights it gave out.
def bare(model):
    """The bare forward pass in eager attention, which gives out nothing."""
    def run(ids):
        model(ids, use_cache=False)
        return 0
    return run


def output_attentions(model):
    """What transformers itself offers: all weights, kept until the end."""
    def run(ids):
        return len(model(ids, use_cache=False, output_attentions=True).attentions)
    return run


def capture(model):
    """The probe's capture: every tensor handed on, none kept."""
    def run(ids):
        seen = []

        def keep(_, name, __):
            if name == "weights":
                seen.append(name)
        with probe.Capture(model, keep):
            model(ids, use_cache=False)
        return len(seen)
    return run


class Nowhere:
    """Stands for the trace and for the progress bar where nothing is written."""

    def add(self, *_):
        """Take a tensor."""

    update = add


def checked(model):
    """The probe's capture with all that it measures of each layer, none written."""
    def run(ids):
        return recorded_layers(model, ids, Nowhere())
    return run


def recorded(model):
    """All of the probe's recorded pass: captured, measured, deflated, written."""
    def run(ids):
        with (tempfile.TemporaryDirectory() as folder,
              probe.TraceFile(Path(folder, "trace.json"), "f32") as trace):
            return recorded_layers(model, ids, trace)
    return run


def recorded_layers(model, ids, trace):
    """Record a pass as the probe does; return how many layers were measured."""
    options = probe.parse_arguments(["--device", "cpu", "--detail", "none"])
    layers = model.config.num_hidden_layers
    options.layers, options.detail = list(range(layers)), []
    recorder = probe.Recorder(trace, options, model.config, Nowhere())
    probe.full_pass(model, ids, recorder)
    return sum(name.endswith(".weights") for name in recorder.shapes)


def transformer_lens(model):
    """TransformerLens's bridge: run_with_cache, only the weights asked for."""
    lens = importlib.import_module("transformer_lens.model_bridge")
    bridge = lens.TransformerBridge.boot_transformers(
        "meta-llama/Llama", hf_model=copy.deepcopy(model), tokenizer=any_tokenizer(),
        device="cpu", dtype=torch.float32)

    def run(ids):
        _, cache = bridge.run_with_cache(
            ids, names_filter=lambda name: name.endswith("attn.hook_pattern"))
        return len(cache)
    return run


def any_tokenizer():
    """Return a tokenizer of one word: TransformerLens asks for one, ids need none."""
    words = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    special = dict.fromkeys(("unk_token", "bos_token", "eos_token", "pad_token"), "a")
    return PreTrainedTokenizerFast(tokenizer_object=words, name_or_path="one-word",
                                   add_bos_token=True, **special)


def nnsight(model):
    """nnsight's trace, which saves the weights that each layer's attention returns."""
    library = importlib.import_module("nnsight")
    wrapped = library.NNsight(copy.deepcopy(model))

    def run(ids):
        with wrapped.trace(ids, use_cache=False):
            weights = [].save()
            for layer in wrapped.model.layers:
                weights.append(layer.self_attn.output[1])
        return len(weights)
    return run


WAYS = {way.__name__: way for way in (
    bare, output_attentions, capture, checked, recorded, transformer_lens, nnsight)}


def prepare(name, model):
    """Return a way's function of ids, tried once on a few tokens.

    Raises ValueError where it does not give out the weights of every layer.
    """
    run = WAYS[name](model)
    found, layers = run(token_ids(model, WARM_UP_TOKENS)), len(model.model.layers)
    if found != (0 if name == "bare" else layers):
        raise ValueError(f"{name} gave out the weights of {found} of {layers} layers")
    return run


def token_ids(model, length):
    """Return drawn token ids, [1, length]."""
    return torch.randint(0, model.config.vocab_size, (1, length))


def measure_time(names, length, rounds):
    """Return {way: least seconds of processor for one pass}, all ways in turn.

    What disturbs a run only adds to it, so the least of several is the nearest.
    """
    model = random_model()
    ways = {name: prepare(name, model) for name in names}
    seconds = {name: [] for name in names}
    ids = token_ids(model, length)
    for _ in range(rounds):
        for name, run in ways.items():
            started = time.process_time()
            run(ids)
            seconds[name].append(time.process_time() - started)
    return {name: min(values) for name, values in seconds.items()}


def measure_memory(name, lengths):
    """Return {length: bytes}: the most that one pass added to what was held before."""
    model = random_model()
    run, added = prepare(name, model), {}
    for length in lengths:
        ids = token_ids(model, length)
        forget_peak()
        before = memory_bytes("VmRSS")
        run(ids)
        added[length] = memory_bytes("VmHWM") - before
    return added


def forget_peak():
    """Give freed memory back, then let the peak begin anew (Linux: proc(5))."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def memory_bytes(field):
    """Return a size that the system tells of this process: VmRSS, or its peak VmHWM."""
    status = Path("/proc/self/status").read_text("ascii")
    return 1024 * int(re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)[1])


def versions():
    """Return {package: version} of what was measured, as far as it is installed."""
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


def main(arguments=None):
    """Run the command line; print the figures and the versions as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.captures")
    parser.add_argument("what", choices=["time", "memory"])
    parser.add_argument("--ways", required=True, type=lambda text: text.split(","))
    parser.add_argument("--lengths", required=True, type=int, nargs="+")
    parser.add_argument("--rounds", type=int, default=5, help="of time (%(default)s)")
    parser.add_argument("--peers", default="", metavar="FOLDER")
    options = parser.parse_args(arguments)
    sys.path.append(options.peers)    # last: what is installed comes first
    # One thread: a second one waits by spinning, which a busy machine counts as work.
    torch.set_num_threads(1)
    with torch.inference_mode():
        if options.what == "time":
            found = {length: measure_time(options.ways, length, options.rounds)
                     for length in options.lengths}
        else:
            found = {way: measure_memory(way, options.lengths) for way in options.ways}
    print(json.dumps({"figures": found, "versions": versions()}))


if __name__ == "__main__":
    main()
