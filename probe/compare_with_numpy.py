"""Let tiny_llama.py calculate what a pretrained model calculates, and compare them.

    python probe/compare_with_numpy.py --model FOLDER_OR_GGUF [--dtype float64]

The checkpoint's configuration and weights go into the NumPy functions that the article
explains; every tensor that transformers makes is compared with NumPy's, layer by layer,
and both continue the prompt greedily.  Exit status as the probe's: 0, 1 or 2.
"""

import argparse
import contextlib
import importlib
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("model", "probe")]
llama, probe = map(importlib.import_module, ("tiny_llama", "probe_pretrained"))

LIMITS = {"float32": 2e-5, "float64": 1e-11}    # of a tensor's largest value
MODULES = {"attn_norm": "input_layernorm", "wq": "self_attn.q_proj",
           "wk": "self_attn.k_proj", "wv": "self_attn.v_proj",
           "wo": "self_attn.o_proj", "mlp_norm": "post_attention_layernorm",
           "w_gate": "mlp.gate_proj", "w_up": "mlp.up_proj", "w_down": "mlp.down_proj"}
WHOLE = {"embedding": "model.embed_tokens", "final_norm": "model.norm"}
SAME = [*vars(llama.Config())]


def read_state(located, model):
    """Return {name: tensor}: of a folder's safetensors, else as transformers has it."""
    folder, extra = Path(located[0]), located[1]
    if extra or not folder.is_dir():
        return model.state_dict()
    return {name: tensor for file in sorted(folder.glob("*.safetensors"))
            for name, tensor in load_file(file).items()}


def numpy_config(config):
    """Return the tiny_llama.Config of a transformers configuration.

    Raises ValueError for what tiny_llama.py does not calculate.
    """
    rope = probe.rope_of(config)
    if rope["rope_type"] != "default" or config.hidden_act != "silu":
        raise ValueError(f"tiny_llama.py has no rope_type {rope['rope_type']} and "
                         f"hidden_act {config.hidden_act}, but default and silu")
    values = {name: getattr(config, name) for name in SAME if name != "rope_theta"}
    return llama.Config(**values, rope_theta=rope["rope_theta"])


def numpy_weights(state, config):
    """Return tiny_llama's weights by name, matrices as [in, out], from a state.

    state   {name: tensor}, Hugging Face's names, matrices [out, in]
    config  the tiny_llama.Config

    Raises ValueError for a weight that is missing, or that tiny_llama.py would not use.
    """
    names = dict(WHOLE)
    if not config.tie_word_embeddings:
        names["lm_head"] = "lm_head"
    for layer in range(config.num_hidden_layers):
        names |= {f"layers.{layer}.{name}": f"model.layers.{layer}.{module}"
                  for name, module in MODULES.items()}
    wanted = {f"{module}.weight" for module in names.values()}
    unused = set(state) - wanted - {"lm_head.weight"}
    if missing := sorted(wanted - set(state)):
        raise ValueError(f"the checkpoint has no {missing[0]}")
    if unused:
        raise ValueError(f"tiny_llama.py has no use for {sorted(unused)[0]}")
    return {name: to_numpy(name, state[f"{module}.weight"])
            for name, module in names.items()}


def to_numpy(name, tensor):
    """Return a weight as tiny_llama.py has it: a matrix is [in, out], no embedding."""
    array = tensor.float().numpy()
    return array.T if array.ndim == 2 and name != "embedding" else array


@contextlib.contextmanager
def islands_lifted(model):
    """Let a float64 model calculate in float64 where transformers goes down to float32:
    in its norms, its rotary angles and its softmax."""
    source = sys.modules[type(model).__module__]
    eager, lifted = source.eager_attention_forward, []
    source.eager_attention_forward = eager_float64
    try:
        for module in model.modules():
            kind = type(module).__name__
            if kind.endswith("RMSNorm"):
                module.forward = norm_float64(module)
            elif kind.endswith("RotaryEmbedding"):
                module.forward = rotary_float64(model.config)
            else:
                continue
            lifted.append(module)
        yield
    finally:
        source.eager_attention_forward = eager
        for module in lifted:
            del module.forward              # the class's own is seen again


def norm_float64(module):
    """Return an RMSNorm's forward in the dtype of its input."""
    def forward(state):
        mean_square = state.square().mean(-1, keepdim=True)
        scale = torch.rsqrt(mean_square + module.variance_epsilon)
        return state * scale * module.weight
    return forward


def rotary_float64(config):
    """Return the forward of a rotary embedding that gives float64 cosines and sines."""
    def forward(_, position_ids):
        pairs = torch.arange(0, config.head_dim, 2, dtype=torch.float64)
        frequencies = probe.rope_of(config)["rope_theta"] ** -(pairs / config.head_dim)
        angles = position_ids[..., None].double() * frequencies
        both = torch.cat((angles, angles), dim=-1)
        return both.cos(), both.sin()
    return forward


def eager_float64(module, query, key, value, attention_mask, scaling, **_):
    """Return (mixed values, weights) of eager attention, its softmax in float64."""
    group = query.shape[1] // key.shape[1]
    scores = query @ key.repeat_interleave(group, 1).transpose(2, 3) * scaling
    weights = torch.softmax(scores + attention_mask, dim=-1)
    mixed = weights @ value.repeat_interleave(group, 1)
    return mixed.transpose(1, 2).contiguous(), weights


@torch.inference_mode()
def transformers_tensors(model, ids):
    """Return {name: array} of one pass of transformers; ids is [B, T]."""
    made = {}

    def keep(layer, name, value):
        if torch.is_tensor(value):
            full = name if layer is None else f"layers.{layer}.{name}"
            made[full] = value.detach().double().numpy()

    with probe.Capture(model, keep):
        made["logits"] = model(torch.tensor(ids), use_cache=False).logits.numpy()
    return made


@torch.inference_mode()
def continue_transformers(model, ids, count):
    """Return the ids of `count` tokens, each the likeliest, after ids [1, T]."""
    name, cache, chunk, found = probe.cache_name(model), None, torch.tensor(ids), []
    for _ in range(count):
        output = model(chunk, use_cache=True, **({name: cache} if cache else {}))
        cache, chunk = output[name], output.logits[:, -1:].argmax(-1)
        found.append(chunk.item())
    return found


def continue_numpy(model, ids, count):
    """Return the ids of `count` tokens, each the likeliest, after ids [1, T]."""
    cache, chunk, found = llama.Cache(model, 1, len(ids[0]) + count), ids, []
    for _ in range(count):
        chunk = [[int(model(chunk, cache)[0, -1].argmax())]]
        found += chunk[0]
    return found


def largest_differences(found, expected):
    """Return {kind: (largest difference, tensor's name)} of tensors of two passes.

    found     {name: array}, of NumPy; a kind is a name without its layer
    expected  {name: array}, of transformers

    Raises ValueError where transformers has a tensor that NumPy has not.
    """
    worst = {}
    for name, array in expected.items():
        if name not in found:
            raise ValueError(f"tiny_llama.py makes no {name}")
        difference = llama.largest_difference(found[name], array)
        kind = name.rpartition(".")[2]
        worst[kind] = max(worst.get(kind, (0.0, name)), (float(difference), name))
    return worst


def compare(model, state, ids, dtype, count=0):
    """Return (largest differences by kind, both continuations) of model and NumPy.

    model  of transformers, in float32; it becomes float64 where dtype is that
    ids    [B, T] of int; B is 1 where count, the length of the continuation, is not 0
    """
    config = numpy_config(model.config)
    numpy_model = llama.TinyLlama(config, numpy_weights(state, config), dtype)
    lifted = dtype == "float64"
    if lifted:
        model = model.double()
    with islands_lifted(model) if lifted else contextlib.nullcontext():
        expected = transformers_tensors(model, ids)
        theirs = continue_transformers(model, ids, count)
    found = llama.record_tensors(numpy_model, np.array(ids))
    ours = continue_numpy(numpy_model, ids, count)
    return largest_differences(found, expected), (ours, theirs)


def print_differences(worst, limit):
    """Print each kind of tensor with its largest difference and where that was."""
    for kind, (difference, name) in worst.items():
        state = "pass " if difference <= limit else "FAIL "
        print(f"{state} {kind:11} {difference:8.1e} of the largest value  ({name})")
    print(f"limit {limit:g}: {max(worst.values())[0]:.1e} at most")


def main(arguments=None):
    """Compare as the command line asks; return 1 where the two differ, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="a folder or a .gguf file")
    parser.add_argument("--dtype", choices=LIMITS, default="float32")
    parser.add_argument("--prompt", default=probe.DEFAULT_PROMPT)
    parser.add_argument("--count", type=int, default=16, metavar="N",
                        help="tokens to continue with (%(default)s)")
    options = parser.parse_args(arguments)
    model, tokenizer, (_, _, tokens), located = probe.load(probe.parse_arguments(
        ["--device", "cpu", "--model", options.model, "--prompt", options.prompt]))
    worst, (ours, theirs) = compare(model, read_state(located, model), [tokens],
                                    options.dtype, options.count)
    print_differences(worst, LIMITS[options.dtype])
    agree = sum(a == b for a, b in zip(ours, theirs, strict=True))
    print(f"greedy continuation: {agree} of {options.count} tokens agree: "
          f"{tokenizer.decode(ours)!r}")
    small = max(worst.values())[0] <= LIMITS[options.dtype]
    return 0 if small and ours == theirs else 1


if __name__ == "__main__":
    probe.logging.set_verbosity_error()
    probe.logging.disable_progress_bar()
    try:
        sys.exit(main())
    except (OSError, ValueError) as error:
        print(f"compare_with_numpy.py: {error}", file=sys.stderr)
        sys.exit(2)
