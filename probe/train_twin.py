"""Train the twin of tiny_llama.py to repeat sequences, and write its weights.

    python -m pip install -r requirements-gpu.txt
    python train_twin.py --seed 0 --output twin.npz
    python tiny_llama.py --weights twin.npz --verify --export-trace twin_trace.json

A sequence is 3 to 12 distinct tokens in random order, and then the same once more.
From its second half on each next token can be told, but only by looking back: at what
followed the token last time.  The twin has tiny_llama.py's sizes, is trained as
transformers' LlamaForCausalLM, and knows this one thing and no language.  About a
minute on one core, the same bits for a seed on the same machine and versions.  Exit
status: 0, or 1 where it has not learned the task, or 2 for what cannot be run.

In shapes: N sequences, n distinct tokens, T = 2n positions, V vocab_size.
"""

import argparse
import importlib.util
import io
import json
import math
import os
import platform
import sys
from pathlib import Path

# Without it CUDA's matrix products are not deterministic; read when torch starts.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
try:
    import numpy as np
    import torch
    import transformers
    from transformers import LlamaConfig, LlamaForCausalLM
except ImportError as error:
    sys.exit(f"train_twin.py: {error}\n"
             "  install what it needs: python -m pip install -r requirements-gpu.txt")

# tiny_llama.py's Config, under the same names.
SIZES = {"hidden_size": 32, "intermediate_size": 96, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
         "vocab_size": 32, "rope_theta": 10000.0, "rms_norm_eps": 1e-6,
         "tie_word_embeddings": True}
TASK = "trained to repeat sequences of distinct tokens; it knows no language"
SHORTEST, LONGEST = 3, 12          # distinct tokens of a sequence
BATCH, PEAK_RATE, LARGEST_NORM = 128, 8e-3, 1.0
HELD_OUT, ENOUGH = 1000, 0.99      # sequences of LONGEST tokens; accuracy


# ----------------------------------------------------------------------- sequences
def repeated_sequences(count, distinct, generator):
    """Return token ids [N, 2n]: n distinct tokens in random order, twice.

    They are drawn on the CPU, so that a seed means the same on every device.
    """
    order = torch.rand(count, SIZES["vocab_size"], generator=generator).argsort(dim=1)
    return order[:, :distinct].repeat(1, 2)


def split_at_repeat(logits, tokens):
    """Return what the second half predicts, and what comes: [N, n - 1, V], [N, n - 1].

    Nobody can know the first repeated token, because the length is not told.
    """
    distinct = tokens.shape[1] // 2
    return logits[:, distinct:-1], tokens[:, distinct + 1:]


# ------------------------------------------------------------------------ training
def make_model(seed):
    """Return the untrained twin, its weights drawn by transformers from the seed."""
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**SIZES, attn_implementation="eager",
                                        use_cache=False))


def learning_rate(step, warmup, steps):
    """Return the share of the peak rate at a step: up in a line, down in a cosine."""
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1.0 + math.cos(math.pi * (step - warmup) / (steps - warmup)))


def train(model, options):
    """Train the model in place, on batches of one length each."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=PEAK_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(step, options.warmup, options.steps))
    generator = torch.Generator().manual_seed(options.seed)
    for step in range(1, options.steps + 1):
        distinct = int(torch.randint(SHORTEST, LONGEST + 1, (), generator=generator))
        tokens = repeated_sequences(BATCH, distinct, generator).to(options.device)
        predicted, expected = split_at_repeat(model(tokens).logits, tokens)
        loss = torch.nn.functional.cross_entropy(predicted.flatten(0, 1),
                                                 expected.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_NORM)
        optimizer.step()
        schedule.step()
        if step % 250 == 0 or step == options.steps:
            say(f"step {step} of {options.steps}: loss {loss.item():.4f}")


@torch.no_grad()
def held_out_accuracy(model, seed, device):
    """Return the share of right likeliest tokens in sequences that it was not shown.

    They come from a seed of their own; 32!/20! sequences of twelve make it certain
    that training has met none of them.
    """
    generator = torch.Generator().manual_seed(2**32 + seed)
    tokens = repeated_sequences(HELD_OUT, LONGEST, generator).to(device)
    predicted, expected = split_at_repeat(model(tokens).logits, tokens)
    return (predicted.argmax(dim=-1) == expected).double().mean().item()


# ------------------------------------------------------------------------- weights
PLACES = {"attn_norm": "input_layernorm", "wq": "self_attn.q_proj",
          "wk": "self_attn.k_proj", "wv": "self_attn.v_proj", "wo": "self_attn.o_proj",
          "mlp_norm": "post_attention_layernorm", "w_gate": "mlp.gate_proj",
          "w_up": "mlp.up_proj", "w_down": "mlp.down_proj"}


def numpy_weights(model):
    """Return float32 weights by tiny_llama.py's names: matrices as [in, out].

    Both turn channels i and i + dh/2 as a pair, so no column changes its place.
    """
    state = {name: tensor.detach().cpu().numpy()
             for name, tensor in model.state_dict().items()}
    weights = {"embedding": state["model.embed_tokens.weight"],
               "final_norm": state["model.norm.weight"]}
    for layer in range(SIZES["num_hidden_layers"]):
        for name, place in PLACES.items():
            weight = state[f"model.layers.{layer}.{place}.weight"]
            weights[f"layers.{layer}.{name}"] = np.ascontiguousarray(weight.T)
    return weights


def load_tiny_llama():
    """Return tiny_llama.py as a module: from beside this file, or as the repository
    has it; None where it is in neither place."""
    here = Path(__file__).resolve().parent
    for file in (here / "tiny_llama.py", here.parent / "model" / "tiny_llama.py"):
        if file.is_file():
            spec = importlib.util.spec_from_file_location("tiny_llama", file)
            sys.modules["tiny_llama"] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    return None


@torch.no_grad()
def largest_difference(model, weights, seed, device):
    """Return how far transformers' logits are from tiny_llama.py's, or None without it.

    Both in float32, on 100 sequences; over the largest logit.
    """
    if (llama := load_tiny_llama()) is None:
        return None
    generator = torch.Generator().manual_seed(2**32 + seed)
    tokens = repeated_sequences(100, LONGEST, generator)
    theirs = model(tokens.to(device)).logits.cpu().numpy()
    ours = llama.TinyLlama(llama.Config(**SIZES), weights, "float32")(tokens.numpy())
    return float(f"{np.abs(ours - theirs).max() / np.abs(theirs).max():.0e}")


# --------------------------------------------------------------------------- file
def describe(options, accuracy, difference):
    """Return what stands in the file beside the arrays: how they came to be."""
    return {
        "name": "TinyLlama", "revision": f"twin, seed {options.seed}", "task": TASK,
        "config": SIZES, "seed": options.seed,
        "command": f"python train_twin.py --seed {options.seed} --steps "
                   f"{options.steps} --warmup {options.warmup} "
                   f"--device {options.device}",
        "versions": {"python": platform.python_version(), "torch": torch.__version__,
                     "transformers": transformers.__version__,
                     "numpy": np.__version__},
        "held_out": {"accuracy": accuracy, "sequences": HELD_OUT,
                     "distinct_tokens": LONGEST},
        "transformers_difference": difference}


def npz_bytes(weights, about):
    """Return the arrays and the description as one file, the same for the same."""
    file = io.BytesIO()
    np.savez_compressed(file, **weights, about=json.dumps(about, indent=1))
    return file.getvalue()


def output_file(path):
    """Return where the weights go; raise ValueError where they could not in the end."""
    file = Path(os.path.realpath(path))
    if file.exists() and not file.is_file():
        raise ValueError(f"{path} is not a file that may be replaced")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise ValueError(f"no folder that can be written to for {file.name}")
    return file


def write_whole(file, content):
    """Write bytes to a file, all of them or none."""
    unfinished = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        unfinished.write_bytes(content)
        os.replace(unfinished, file)
    finally:
        unfinished.unlink(missing_ok=True)


# -------------------------------------------------------------------- command line
def say(text):
    """Tell on standard error what is being done."""
    print(text, file=sys.stderr, flush=True)


def parse_arguments(arguments):
    """Return the command line's options; a mistake is one line and status 2."""
    parser = argparse.ArgumentParser(
        prog="train_twin.py", allow_abbrev=False,
        description="Train tiny_llama.py's twin to repeat sequences.")
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}\n")
    add = parser.add_argument
    add("--seed", type=int, default=0, help="of weights and sequences (%(default)s)")
    add("--steps", type=int, default=2500, help="batches (%(default)s)")
    add("--warmup", type=int, default=1000,
        help="steps in which the learning rate grows (%(default)s; with 300 it stalls)")
    add("--output", default="twin.npz", metavar="PATH", help="(%(default)s)")
    add("--device", default="cpu", help="cpu, or cuda:0 (%(default)s)")
    options = parser.parse_args(arguments)
    if not 0 <= options.seed < 2**32:
        parser.error(f"--seed {options.seed} is outside 0..{2**32 - 1}")
    if not 1 <= options.warmup < options.steps:
        parser.error(f"--warmup {options.warmup} --steps {options.steps}: expected "
                     "1 <= warmup < steps")
    return options


def check_device(name):
    """Raise ValueError for a device that torch cannot calculate on."""
    try:
        if torch.zeros(1, device=name).is_meta:
            raise ValueError(f"--device {name}: it holds no numbers")
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise ValueError(f"--device {name}: {first}") from None


def run(options):
    """Train, measure, and write the file; return 1 if the twin has not learned."""
    file = output_file(options.output)
    check_device(options.device)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    model = make_model(options.seed).to(options.device)
    train(model, options)
    accuracy = held_out_accuracy(model, options.seed, options.device)
    print(f"accuracy {accuracy:.4f} on {HELD_OUT} held-out repeats of {LONGEST} tokens")
    if accuracy < ENOUGH:
        say(f"train_twin.py: below {ENOUGH}: nothing is written; try another seed or "
            "a longer warm-up")
        return 1
    weights = numpy_weights(model)
    difference = largest_difference(model, weights, options.seed, options.device)
    print("not compared: tiny_llama.py is not beside this script" if difference is None
          else f"tiny_llama.py's logits agree within {difference:g} of the largest")
    write_whole(file, npz_bytes(weights, describe(options, accuracy, difference)))
    return 0


def main(arguments=None):
    """Do what the command line asks and return the exit status."""
    try:
        return run(parse_arguments(arguments))
    except (OSError, ValueError) as error:
        say(f"train_twin.py: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
