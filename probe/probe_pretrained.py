"""Ask a pretrained decoder the article's questions and record what it calculates.

    python -m pip install -r requirements-gpu.txt
    python probe_pretrained.py --device cuda:0 --dtype float32 \\
      --output pretrained_trace.json

One prompt goes once through the model in eager attention.  Each layer's tensors are
written as they are made, so that no more than one layer's attention is held; further
passes, with a cache, must agree with it.  The result is a trace, which the site shows
like those of tiny_llama.py.  Batch 1, no padding, no sampling: an inspection, not a
benchmark.  Exit status: 0, or 1 where a check failed, or 2 for what cannot be run.

In shapes: B = 1, T positions, Hq and Hkv heads, dh head_dim, D hidden_size, L layers.
"""

import argparse
import base64
import contextlib
import gc
import hashlib
import importlib.metadata
import inspect
import json
import math
import os
import platform
import re
import struct
import subprocess
import sys
import unicodedata
import zlib
from pathlib import Path

try:
    import resource
except ImportError:                                     # Windows
    resource = None
if not sys.stderr.isatty():
    os.environ.setdefault("TQDM_DISABLE", "1")      # tqdm reads it when it is imported

try:
    import numpy as np
    import torch
    from accelerate import init_empty_weights
    from accelerate.utils import get_max_memory
    from safetensors import SafetensorError
    from tqdm import tqdm
    from transformers import (
        AttentionInterface,
        AttentionMaskInterface,
        AutoConfig,
        AutoModelForCausalLM,
        AutoTokenizer,
    )
    from transformers.masking_utils import eager_mask
    from transformers.utils import cached_file, logging
except ImportError as error:
    sys.exit(f"probe_pretrained.py: {error}\n"
             "  install what it needs: python -m pip install -r requirements-gpu.txt")

DEFAULT_MODEL = "TinyLlama/TinyLlama-1.1B-Chat-v1.0"
DEFAULT_REVISION = "fe8a4ea1ffedaf415f4da2f062534de366a451e6"
DEFAULT_PROMPT = ("The quiet river meets the sea. When the wind is cold, the river is "
                  "slow, and the sea is as grey as the stone.")
DTYPES = ("float32", "float16", "bfloat16")
ENCODINGS = ("f32", "parts-255", "parts-4095", "parts-65535")
MOST_LIKELY = 20                   # next tokens that are listed


# ------------------------------------------------------------------- token labels
CONTROLS = ("NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 "
            "DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US").split()
VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥", "\x7f": "[DEL]"}


def byte_level_alphabet():
    """Return {character: byte} of byte-level BPE, GPT-2's table: a printable Latin-1
    character stands for itself, the rest for code points from 256 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    return {**{chr(byte): byte for byte in printable},
            **{chr(256 + n): byte for n, byte in enumerate(rest)}}


ALPHABET = byte_level_alphabet()


def piece_bytes(piece, byte_level):
    """Return the bytes that a tokenizer's piece stands for.

    piece       as convert_ids_to_tokens gives it: "Ġriver", "▁river" or "<0x0A>"
    byte_level  True where each character is a byte
    """
    if byte_level and all(character in ALPHABET for character in piece):
        return bytes(ALPHABET[character] for character in piece)
    if match := re.fullmatch(r"<0x([0-9A-F]{2})>", piece):
        return bytes([int(match[1], 16)])
    return piece.replace("▁", " ").encode("utf-8", "surrogatepass")


def visible(character):
    """Return a character as it can be seen: spaces marked, controls named."""
    if character in VISIBLE:
        return VISIBLE[character]
    if ord(character) < 32:
        return f"[{CONTROLS[ord(character)]}]"
    if 0xDC80 <= ord(character) <= 0xDCFF:              # a byte that is no UTF-8
        return f"[0x{ord(character) - 0xDC00:02X}]"
    if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cn", "Co", "Cs"):
        return f"[{unicodedata.name(character, f'U+{ord(character):04X}')}]"
    return "␣" if unicodedata.category(character) == "Zs" else character


def token_labels(pieces, special):
    """Return a label for each token, given their bytes in order.

    pieces   list of bytes
    special  list of bool; a special token is shown as it is written

    A character whose bytes stand in several tokens is followed by "1/3" and so on, in
    each of them.
    """
    labels = [piece.decode("utf-8", "replace") if is_special else ""
              for piece, is_special in zip(pieces, special, strict=True)]
    owners = [index for index, piece in enumerate(pieces) if not special[index]
              for _ in piece]
    raw = b"".join(piece for index, piece in enumerate(pieces) if not special[index])
    start = 0
    for character in raw.decode("utf-8", "surrogateescape"):
        length = len(character.encode("utf-8", "surrogateescape"))
        parts = sorted(set(owners[start:start + length]))
        for number, index in enumerate(parts, 1):
            share = f" {number}/{len(parts)}" if len(parts) > 1 else ""
            labels[index] += visible(character) + share
        start += length
    return labels


def describe_tokens(tokenizer, ids):
    """Return (labels, bytes, special flags) of token ids, each a list."""
    decoder = json.loads(tokenizer.backend_tokenizer.to_str())["decoder"]
    byte_level = "ByteLevel" in json.dumps(decoder)
    added = tokenizer.added_tokens_decoder
    special = [token in added and added[token].special for token in ids]
    pieces = [added[token].content.encode() if token in added
              else piece_bytes(piece or f"[unused {token}]", byte_level and piece)
              for token, piece in zip(
                  ids, tokenizer.convert_ids_to_tokens(ids), strict=True)]
    return token_labels(pieces, special), pieces, special


# ------------------------------------------------------------------ the trace file
DIMS = {"batch position channel": "embedding attn_norm merged attn_out resid_mid "
        "mlp_norm gate up mlp_act mlp_out resid_out final_norm",
        "batch head position channel": "q q_rotated heads",
        "batch kv_head position channel": "k k_rotated v",
        "batch head query key": "scores weights",
        "batch head position": "value_norms", "batch vocab": "next_token_probs"}
UNITS = {"scores": "score", "weights": "probability", "next_token_probs": "probability"}


def whole_parts(weights, parts):
    """Return rows of whole numbers that sum to exactly `parts`, as near as they can.

    weights  [..., S]    each row sums to one; floors, then the largest remainders
    returns  [..., S]    of uint8 below 256 parts, else uint16
    """
    exact = weights.astype(np.float64)
    exact *= parts / exact.sum(-1, keepdims=True)
    counts = np.floor(exact)
    missing = parts - counts.sum(-1, keepdims=True)
    rank = np.argsort(np.argsort(counts - exact, axis=-1, kind="stable"), axis=-1)
    return (counts + (rank < missing)).astype("<u1" if parts < 256 else "<u2")


def deflated_base64(blocks):
    """Yield base64 text of the deflated blocks of bytes, a block at a time."""
    packer, left = zlib.compressobj(6), b""
    for block in blocks:
        left += packer.compress(block)
        whole = len(left) // 3 * 3
        yield base64.b64encode(left[:whole]).decode()
        left = left[whole:]
    yield base64.b64encode(left + packer.flush()).decode()


class TraceFile:
    """A trace that is written while it is made, and appears only when it is whole."""

    def __init__(self, path, encoding, minor=1):
        self.path, self.encoding = Path(os.path.realpath(path)), encoding
        self.minor = minor
        self.unfinished = self.path.with_name(f"{self.path.name}.{os.getpid()}.part")
        self.names = set()

    def __enter__(self):
        self.file = self.unfinished.open("w", encoding="utf-8", newline="\n")
        self.file.write('{"format":"attention-trace","format_major":1,'
                        f'"format_minor":{self.minor},\n"tensors":{{')
        return self

    def add(self, name, array, head_ids=None):
        """Write one tensor, a [B, H] block at a time.

        array     float32, of the shape that its name tells
        head_ids  the model's numbers of the heads along the axis, where some are left
                  out
        """
        short = name.rpartition(".")[2]
        dims = next(dims for dims in DIMS if short in DIMS[dims].split())
        encoding = self.encoding if short == "weights" else "f32"
        head = {"dims": dims.split(), "shape": list(array.shape),
                "unit": UNITS.get(short, "activation"),
                **({"head_ids": head_ids} if head_ids else {}),
                "encoding": f"{encoding}-deflate-base64"}
        self.file.write("," if self.names else "")
        self.file.write(f"\n{json.dumps(name)}:{compact(head)[:-1]},\"data\":\"")
        if encoding == "f32":
            blocks = (part.astype("<f4").tobytes() for part in array[0])
        else:
            parts = int(encoding.split("-")[1])
            blocks = (whole_parts(part, parts).tobytes() for part in array[0])
        for text in deflated_base64(blocks):
            self.file.write(text)
        self.file.write('"}')
        self.names.add(name)

    def finish(self, rest):
        """Write what is known only now, and put the file in its place."""
        self.file.write("\n}")
        for key, value in rest.items():
            self.file.write(f",\n{json.dumps(key)}:{compact(value)}")
        self.file.write("}\n")
        self.file.close()
        os.replace(self.unfinished, self.path)

    def __exit__(self, *_):
        self.file.close()
        self.unfinished.unlink(missing_ok=True)


def compact(value):
    """Return value as JSON in one line, strict numbers only."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


# ---------------------------------------------------------------------- the capture
CAPTURE = "attention_probe"
# Tensor: whether it goes into the module or comes out, and the module's possible names.
HOOKED = {
    "attn_norm": ("out", "input_layernorm"),
    "q": ("out", "self_attn.q_norm", "self_attn.q_proj"),
    "k": ("out", "self_attn.k_norm", "self_attn.k_proj"),
    "qkv": ("out", "self_attn.qkv_proj", "self_attn.query_key_value"),
    "merged": ("in", "self_attn.o_proj", "self_attn.dense"),
    "attn_out": ("out", "self_attn.o_proj", "self_attn.dense"),
    "resid_mid": ("in", "pre_feedforward_layernorm", "post_attention_layernorm"),
    "mlp_norm": ("out", "pre_feedforward_layernorm", "post_attention_layernorm"),
    "gate": ("out", "mlp.gate_proj"), "up": ("out", "mlp.up_proj"),
    "mlp_act": ("in", "mlp.down_proj"), "mlp_out": ("out", "mlp"),
}
# Gemma 2 and later norm an update before they add it.
ADDED = {True: ("post_attention_layernorm", "post_feedforward_layernorm"),
         False: ("self_attn", "mlp")}


def first_module(layer, names):
    """Return the first of a layer's modules that exists, by dotted name, or None."""
    for name in names:
        with contextlib.suppress(AttributeError):
            return layer.get_submodule(name)
    return None


def decoder_layers(model):
    """Return the ModuleList of the decoder's layers."""
    count = model.config.num_hidden_layers
    return next((module for module in model.modules()
                 if isinstance(module, torch.nn.ModuleList) and len(module) == count),
                [])


def own_eager_attention(module, *inputs, **options):
    """Return (mixed values, weights) of the model's own eager attention."""
    eager = sys.modules[type(module).__module__].eager_attention_forward
    return eager(module, *inputs, **options)


def before_rotation(flat, rotated):
    """Return a projection's output as [B, H, T, dh], or None where it is not known how.

    Position 0 is not turned by RoPE: a layout is right if it agrees there.
    """
    batch, heads, length, head_dim = rotated.shape
    if flat is None or flat.numel() != rotated.numel():
        return None
    layouts = [flat.reshape(batch, length, heads, head_dim).transpose(1, 2),
               flat.reshape(batch, heads, length, head_dim)]
    return next((found for found in layouts
                 if torch.equal(found[:, :, 0], rotated[:, :, 0])), None)


class Capture:
    """Hands on each tensor of one forward pass as keep(layer, name, tensor).

    The tensors are the model's own, on its device and in its dtype.  Nothing is held
    but the layer that is being calculated, and nothing stays in the model afterwards.
    """

    def __init__(self, model, keep):
        self.model, self.keep, self.hooks = model, keep, []
        self.seen, self.inside = [], {}

    def __enter__(self):
        AttentionInterface.register(CAPTURE, self.attention)
        # Without a mask function of the same name there would be no mask, in silence.
        AttentionMaskInterface.register(CAPTURE, eager_mask)
        try:
            self.model.set_attn_implementation(CAPTURE)
            for index, layer in enumerate(decoder_layers(self.model)):
                self.hook_layer(index, layer)
            head = self.model.get_output_embeddings()
            self.hooks.append(head.register_forward_pre_hook(
                lambda _, inputs: self.keep(None, "final_norm", inputs[0])))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for hook in self.hooks:
            hook.remove()
        self.model.set_attn_implementation("eager")
        AttentionInterface.register(CAPTURE, own_eager_attention)

    def hook_layer(self, index, layer):
        """Listen to a decoder layer's modules."""
        for name, (side, *modules) in HOOKED.items():
            if module := first_module(layer, modules):
                self.listen(module, side, self.keeper(index, name))
        post_norm = hasattr(layer, "pre_feedforward_layernorm")
        for name in ADDED[post_norm]:
            if module := first_module(layer, [name]):
                self.listen(module, "out", self.add_update)
        self.hooks.append(layer.register_forward_pre_hook(
            lambda _, inputs, options: self.begin(index, inputs, options),
            with_kwargs=True))
        self.listen(layer, "out", lambda state: self.end(index, state))

    def listen(self, module, side, receive):
        """Call receive with the tensor that goes into or comes out of a module."""
        self.hooks.append(
            module.register_forward_hook(lambda _, __, out: receive(first(out)))
            if side == "out" else
            module.register_forward_pre_hook(lambda _, inputs: receive(inputs[0])))

    def keeper(self, index, name):
        """Return what receives a hooked tensor; q and k wait for their rotation."""
        def receive(tensor):
            if name in ("q", "k", "qkv"):
                self.inside[name] = tensor
            else:
                self.keep(index, name, tensor)
        return receive

    def add_update(self, update):
        """Note a sublayer's update of the residual stream."""
        self.inside["updates"].append(update)

    def begin(self, index, inputs, options):
        """A layer begins, with the residual stream [B, T, D]."""
        state = inputs[0] if inputs else options["hidden_states"]
        self.inside = {"state": state, "updates": []}
        if index == 0:
            self.keep(None, "embedding", state)

    def end(self, index, state):
        """A layer ends: what it added must be what its sublayers said."""
        total = self.inside["state"].float()
        for update in self.inside["updates"]:
            total = total + update.float()
        self.keep(index, "residual_gap", largest_apart(total, state.float()))
        self.keep(index, "resid_out", state)
        self.inside = {}

    def attention(self, module, query, key, value, mask, scaling=None, **options):
        """Run the model's own eager attention; hand on what went in and came out."""
        mixed, weights = own_eager_attention(
            module, query, key, value, mask, scaling=scaling, **options)
        index = module.layer_idx
        self.seen.append(index)
        q, k = self.unrotated(query, key)
        for name, tensor in {"q": q, "k": k, "q_rotated": query, "k_rotated": key,
                             "v": value, "weights": weights,
                             "heads": mixed.transpose(1, 2)}.items():
            if tensor is not None:
                self.keep(index, name, tensor)
        self.keep(index, "attention", AttentionCall(
            module, query, key, value, weights, scaling, options))
        return mixed, weights

    def unrotated(self, query, key):
        """Return q and k as they were before RoPE, or None where that is not known."""
        q, k = self.inside.get("q"), self.inside.get("k")
        if (fused := self.inside.get("qkv")) is not None:
            sizes = [query.shape[1] * query.shape[3], key.shape[1] * key.shape[3]]
            q, k = fused[..., :sizes[0]], fused[..., sizes[0]:sum(sizes)]
        return before_rotation(q, query), before_rotation(k, key)


def first(output):
    """Return a module's output tensor, which some modules wrap in a tuple."""
    return output[0] if isinstance(output, tuple) else output


def largest_apart(found, expected):
    """Return the largest difference over the largest expected size, as a float."""
    size = expected.abs().max().item() or 1.0
    return (found - expected).abs().max().item() / size


# ------------------------------------------------------------- what a layer's call says
class AttentionCall:
    """One layer's attention: float32 arrays on the host, without the batch axis."""

    def __init__(self, module, query, key, value, weights, scaling, options):
        self.weights = on_host(weights)[0]                      # [Hq, T, T]
        self.q, self.k, self.v = (on_host(x)[0] for x in (query, key, value))
        self.scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
        self.softcap = options.get("softcap")
        self.window = options.get("sliding_window")
        self.output = first_module(module, ["o_proj", "dense", "out_proj", "c_proj"])

    def allowed(self):
        """Return [T, T] of bool, True where a query may look."""
        length = self.weights.shape[-1]
        near = np.tri(length, k=-(self.window or length), dtype=bool)
        return np.tri(length, dtype=bool) & ~near

    def scores(self, head):
        """Return one head's [T, T] scores, scaled, before the mask."""
        kv_head = head * len(self.k) // len(self.q)
        scores = self.q[head] @ self.k[kv_head].T * self.scaling
        return np.tanh(scores / self.softcap) * self.softcap if self.softcap else scores

    def recomputed_gap(self):
        """Return how far the weights are from softmax of the captured q and k."""
        allowed, worst = self.allowed(), 0.0
        for head, weights in enumerate(self.weights):
            scores = np.where(allowed, self.scores(head), -np.inf)
            powers = np.exp(scores - scores.max(-1, keepdims=True))
            powers /= powers.sum(-1, keepdims=True)
            worst = max(worst, float(np.abs(powers - weights).max()))
        return worst

    def value_norms(self):
        """Return [Hq, T]: the length of each value after its head's block of W_O.

        Kobayashi et al. 2020: weight times this length is what a position contributes.
        """
        if self.output is None:
            return None
        block = on_host(self.output.weight)                     # [D, Hq·dh]
        head_dim, heads = self.v.shape[-1], len(self.q)
        values = self.v.repeat(heads // len(self.v), axis=0)    # [Hq, T, dh]
        return np.stack([np.linalg.norm(
            values[head] @ block[:, head * head_dim:(head + 1) * head_dim].T, axis=-1)
            for head in range(heads)])

    def differences(self):
        """Yield a sentence for each way in which this is not 1/√dh causal softmax."""
        if abs(self.scaling * math.sqrt(self.q.shape[-1]) - 1) > 1e-6:
            yield f"scores are scaled by {self.scaling:.6g} instead of 1/√d"
        if self.softcap:
            yield f"scores are soft-capped at {self.softcap:g}"
        if self.window:
            yield f"a query sees a sliding window of {self.window} positions"


def on_host(tensor):
    """Return a tensor as a float32 array on the host."""
    return tensor.detach().to("cpu", torch.float32).numpy()


class Recorder:
    """Writes each tensor that the options ask for and measures what the checks need."""

    def __init__(self, trace, options, config, progress):
        self.trace, self.options, self.progress = trace, options, progress
        self.worst, self.shapes, self.notes = {}, {}, {}
        self.q = self.pairing = None
        rope = rope_of(config)
        share = rope.get("partial_rotary_factor") or getattr(
            config, "partial_rotary_factor", None) or 1
        self.turned = int(config.head_dim * share)          # channels of a head

    def measure(self, check, value):
        """Note a measured value of a check; the largest counts."""
        self.worst[check] = max(self.worst.get(check, 0), value)

    def keep(self, layer, name, value):
        """Take one tensor of the pass, or what a layer's end or attention tells."""
        if name == "residual_gap":
            self.measure("residual", value)
        elif name == "attention":
            self.attention(layer, value)
        else:
            full = name if layer is None else f"layers.{layer}.{name}"
            self.shapes[full] = list(value.shape)
            detailed = layer is None or layer in self.options.detail
            if detailed and name != "weights":          # those come with the attention
                self.add(full, on_host(value))
            if name == "q":
                self.q = value
            elif name == "q_rotated" and self.q is not None and not self.pairing:
                self.pairing = rope_pairing(self.q[..., :self.turned],
                                            value[..., :self.turned])

    def add(self, name, array):
        """Write a tensor, with the heads that were asked for; drop no other."""
        heads, ids = self.options.heads, None
        if DIMS_HEAD.search(name) and heads is not None:
            array, ids = array[:, heads], heads
        self.trace.add(name, array, ids)

    def attention(self, layer, call):
        """Check a layer's attention and write its weights and the values' lengths."""
        for note in call.differences():
            self.notes.setdefault(note, []).append(layer)
        if layer in self.options.detail:
            scores = np.stack([call.scores(head) for head in range(len(call.q))])
            self.add(f"layers.{layer}.scores", scores[None])
        self.add_weights(layer, call.weights)
        self.measure("recomputed", call.recomputed_gap())
        lengths = call.value_norms()
        if layer in self.options.layers and lengths is not None:
            self.add(f"layers.{layer}.value_norms", lengths[None])

    def add_weights(self, layer, weights):
        """Measure rows and forbidden cells of [Hq, T, T] weights, and write them.

        Raises ValueError for weights that are not finite.
        """
        if not np.isfinite(weights).all():
            raise ValueError(f"layers.{layer}.weights are not finite in "
                             f"{self.options.dtype}: use bfloat16 or float32")
        sums = weights.sum(-1, dtype=np.float64)
        self.measure("rows", float(np.abs(sums - 1).max()))
        later = ~np.tri(weights.shape[-1], dtype=bool)
        self.measure("forbidden", sum(int(np.count_nonzero(head[later]))
                                      for head in weights))
        if layer in self.options.layers:
            self.add(f"layers.{layer}.weights", weights[None])
            self.progress.update()


def rope_pairing(q, rotated):
    """Return which channels RoPE turns as pairs, or None where it cannot be told.

    q, rotated  [B, H, T, dh], before and after; a turned pair keeps its length
    """
    def lengths(heads, adjacent):
        shape = (*heads.shape[:-1], -1, 2) if adjacent else (*heads.shape[:-1], 2, -1)
        return heads.float().reshape(shape).square().sum(-1 if adjacent else -2)

    if q.shape[2] > 1:
        for name, adjacent in (("half-split", False), ("adjacent", True)):
            if largest_apart(lengths(q, adjacent), lengths(rotated, adjacent)) < 2e-2:
                return name
    return None


DIMS_HEAD = re.compile(r"\.(q|q_rotated|heads|scores|weights|value_norms)$")


# ------------------------------------------------------------------------- the checks
#                  float32  float16  bfloat16
LIMITS = {
    "cached":     (2e-5, 1e-2, 1e-1),
    "chunks":     (2e-5, 1e-2, 1e-1),
    "one_more":   (2e-5, 1e-2, 1e-1),
    "rows":       (1e-5, 5e-3, 2e-2),
    "recomputed": (1e-5, 1e-2, 1e-1),
    "residual":   (1e-6, 2e-3, 1.6e-2),
}
LARGEST_LOGIT, OF_ONE = "of the largest logit", "of one"
CLAIMS = {
    "rows": (OF_ONE, "every row of weights sums to one"),
    "forbidden": ("weights", "no query gives weight to a later position"),
    "recomputed": (OF_ONE, "softmax of the captured q and k gives the weights"),
    "residual": ("of the largest state", "a layer adds what its sublayers give out"),
    "cached": (LARGEST_LOGIT, "one token at a time, cached, gives the same logits"),
    "chunks": (LARGEST_LOGIT, "chunks of several sizes give the same logits"),
    "one_more": (LARGEST_LOGIT, "all tokens but one, then the last, give the same"),
    "likeliest": ("positions", "each of these ways finds the same likeliest token"),
    "cache_bytes": ("bytes apart", "the cache holds 2·L·Hkv·T·dh numbers"),
}


def cache_name(model):
    """Return the name under which a model takes and returns its cache.

    transformers 5.24 calls it `cache`, before it was `past_key_values`; the wrong name
    would be ignored without an error.
    """
    names = inspect.signature(model.forward).parameters
    return next(name for name in ("cache", "past_key_values") if name in names)


@torch.inference_mode()
def compare_in_chunks(model, ids, sizes, logits):
    """Run ids in chunks with a cache; compare each chunk with the full pass.

    ids      [1, T]
    sizes    of the chunks, their sum is T
    logits   [T, V], of the full pass
    returns  (largest difference over the largest logit, positions whose likeliest token
             has a full-pass logit below the largest one: [n] differences, the cache)

    Raises RuntimeError where the cache does not hold the tokens so far, ValueError for
    logits that are not finite.
    """
    name, cache, start, worst, losses = cache_name(model), None, 0, 0.0, []
    for size in sizes:
        chunk = ids[:, start:start + size]
        output = model(chunk, use_cache=True, **({name: cache} if cache else {}))
        cache, full = output[name], logits[start:start + size]
        start += size
        if cache.get_seq_length() != start:
            raise RuntimeError(f"the cache holds {cache.get_seq_length()} tokens after "
                               f"{start}: it was not passed on as '{name}'")
        found = output.logits[0]
        check_finite(found)
        worst = max(worst, (widened(found) - widened(full)).abs().max().item())
        chosen = full.gather(-1, found.argmax(-1, keepdim=True))[:, 0]
        losses += (full.amax(-1) - chosen).float().tolist()
    size = logits.abs().max().item()
    return worst / size, [loss / size for loss in losses], cache


def widened(logits):
    """Return logits in float32, or in float64 where they are that."""
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def check_finite(logits):
    """Raise ValueError for logits that are not finite: no comparison would notice."""
    if not torch.isfinite(logits).all():
        raise ValueError("the logits are not finite in this type: take float32")


def measure_chunks(model, ids, logits, recorder):
    """Measure the ways of feeding the tokens that must agree; return the last cache."""
    length = ids.shape[1]
    ways = {"cached": [1] * length, "chunks": thirds(length),
            "one_more": [length - 1, 1] if length > 1 else [1]}
    check_finite(logits)
    limit, flips = LIMITS["cached"][DTYPES.index(recorder.options.dtype)], 0
    for check, sizes in ways.items():
        worst, losses, cache = compare_in_chunks(model, ids, sizes, logits)
        recorder.measure(check, worst)
        flips += sum(loss > limit for loss in losses)
    recorder.measure("likeliest", flips)
    return cache


def thirds(length):
    """Return the sizes of three chunks and, where that leaves some, a fourth."""
    third = max(1, length // 3)
    return [third] * (length // third) + [length % third] * (length % third > 0)


def describe_cache(cache, config, item_bytes, length):
    """Return what the cache holds, measured, beside what the configuration says."""
    per_token = 2 * config.num_key_value_heads * config.head_dim
    layers, expected = [], 0
    for index, layer in enumerate(cache.layers):
        held = min(length, getattr(layer, "sliding_window", length + 1) - 1)
        expected += per_token * held * item_bytes
        layers.append({
            "layer": index, "shape": list(layer.keys.shape),
            "dtype": str(layer.keys.dtype).removeprefix("torch."),
            "device": layer.keys.device.type,
            "bytes": layer.keys.nbytes + layer.values.nbytes})
    scalars = per_token * config.num_hidden_layers
    return {"formula": "2·L·Hkv·dh scalars per token", "per_token_scalars": scalars,
            "per_token_bytes": scalars * item_bytes, "positions": length,
            "bytes": sum(layer["bytes"] for layer in layers),
            "bytes_by_formula": expected, "layers": layers}


def check_records(worst, dtype):
    """Return a trace's record for each check, in the order of CLAIMS."""
    records = []
    for check, (unit, claim) in CLAIMS.items():
        if check not in worst:
            continue
        limit = LIMITS[check][DTYPES.index(dtype)] if check in LIMITS else 0
        records.append({"id": check, "claim": claim, "limit": limit, "unit": unit,
                        "measured": float(f"{worst[check]:.0e}"), "dtype": dtype,
                        "passed": worst[check] <= limit})
    return records


# ----------------------------------------------------------------- the precision study
PRECISIONS = ("float64", "float32", "bfloat16", "float16")
STUDIED_TOKENS = 3                 # one that stays, one that is replaced, the last


def device_can(device, dtype):
    """Return whether a device multiplies matrices of a type: MPS has no float64."""
    try:
        ones = torch.ones(2, 2, dtype=dtype, device=device)
        return (ones @ ones).sum().item() == 8
    except (RuntimeError, TypeError):
        return False


def last_logits(model, ids, position=None):
    """Return [V] logits of the last token, with a cache of those before it.

    ids       [1, T]
    position  that the last token is said to have: T - 1 where it is None
    """
    name = cache_name(model)
    cache = model(ids[:, :-1], use_cache=True)[name]
    said = {} if position is None else {"position_ids": ids.new_tensor([[position]])}
    return model(ids[:, -1:], use_cache=True, **{name: cache}, **said).logits[0, -1]


@torch.inference_mode()
def measure_precision(model, ids):
    """Return what a use of the cache, right or wrong, changes in the model's type.

    Differences are of logits, over the largest one of this type's own full pass:
    right ways (cached, chunks) at the worst position, wrong ones (wrong_position: the
    last token one position too late; stale: token 1 was another) at the last.

    Raises ValueError for logits that are not finite.
    """
    length, full = ids.shape[1], model(ids, use_cache=False).logits[0]
    check_finite(full)
    cached, losses, cache = compare_in_chunks(model, ids, [1] * length, full)
    other = ids.clone()
    other[0, 1] = (other[0, 1] + 1) % model.config.vocab_size
    size, last = widened(full).abs().max().item(), widened(full[-1])
    apart = {"cached": cached,
             "chunks": compare_in_chunks(model, ids, thirds(length), full)[0]}
    for mistake, found in {"wrong_position": last_logits(model, ids, length),
                           "stale": last_logits(model, other)}.items():
        check_finite(found)
        apart[mistake] = (widened(found) - last).abs().max().item() / size
    return {**{name: float(f"{value:.0e}") for name, value in apart.items()},
            "bytes": sum(layer.keys.nbytes + layer.values.nbytes
                         for layer in cache.layers),
            "flips": sum(loss > 0 for loss in losses)}


def study_precision(options, located, ids):
    """Return a record for each type; a type's model is loaded and let go alone."""
    records = []
    for name in PRECISIONS:
        dtype = getattr(torch, name)
        if not device_can(ids.device, dtype):
            say(f"not in {name}: {options.device} does not calculate in it")
            continue
        say(f"the same prompt in {name}")
        free_memory()
        try:
            measured = measure_precision(load_weights(options, located, dtype), ids)
        except ValueError as error:
            say(f"not in {name}: {error}")
        else:
            records.append({"id": name, **measured})
    return records


def free_memory():
    """Give back what models that nothing refers to any more have held."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def check_precision(options, config, shapes, length):
    """Raise ValueError for a prompt too short to study, or a device too small.

    The widest type counts; the first model is let go before another is loaded.
    """
    if length < STUDIED_TOKENS:
        raise ValueError(f"--precision: {length} tokens, at least {STUDIED_TOKENS} are "
                         "needed, one to replace and one to ask after it")
    try:
        check_memory(estimate_bytes(config, shapes, 8, length), options.device)
    except ValueError as error:
        raise ValueError(f"--precision, in float64: {error}") from None


# ------------------------------------------------------------------ before the weights
def progress_bar(what, total):
    """Return a bar, cleared in the end; without a terminal, say one line instead."""
    bar = tqdm(total=total, desc=what, leave=False, disable=None)
    if bar.disable:
        say(f"{what}: {total}")
    return bar


def parse_numbers(text):
    """Return sorted numbers of "0,3-5", or None for "all".

    Raises ValueError for anything else.
    """
    if text == "all":
        return None
    numbers = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        numbers.update(range(int(low), int(high or low) + 1))
    return sorted(numbers)


def parse_detail(text):
    """Return what parse_numbers does, and no number for "none"."""
    return [] if text == "none" else parse_numbers(text)


def check_device(text):
    """Return nothing where a device exists; raise ValueError where it does not."""
    kind, colon, index = text.partition(":")
    if text == "cpu":
        return
    if text == "mps":
        if not torch.backends.mps.is_available():
            raise ValueError("device mps: no Metal GPU, or a PyTorch without it")
        return
    if text != "auto" and not (kind == "cuda" and colon and index.isdecimal()):
        raise ValueError(f"device '{text}': expected cuda:0 (or another number), cpu, "
                         "mps or auto")
    if not torch.cuda.is_available():
        why = ("this PyTorch is a CPU build" if torch.version.cuda is None else
               "PyTorch finds no CUDA GPU")
        raise ValueError(f"device {text}: {why}; nvidia-smi lists the GPUs, "
                         "--device cpu needs none")
    count = torch.cuda.device_count()
    if text != "auto" and int(index) >= count:
        raise ValueError(f"device {text}: there are {count}, the last is "
                         f"cuda:{count - 1}")


def locate(model):
    """Return (what from_pretrained takes, its options) of a hub id, folder or file.

    Raises ValueError where a local path is not a model.
    """
    path = Path(model)
    if path.suffix == ".gguf":
        if not path.is_file():
            raise ValueError(f"no such file: {path.name}")
        return str(path.parent), {"gguf_file": path.name}
    if path.is_dir():
        check_folder(path)
        return str(path), {}
    if path.exists() or not re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", model):
        raise ValueError(f"no such folder: {path.name or model}; expected a hub id, a "
                         "folder or a .gguf file")
    return model, {}


def check_folder(path):
    """Raise ValueError unless a folder holds configuration, weights and tokenizer."""
    if not (path / "config.json").is_file():
        raise ValueError(f"{path.name}: no config.json")
    if not list(path.glob("*.safetensors")):
        pickles = any(path.glob("*.bin"))
        raise ValueError(f"{path.name}: no weights (*.safetensors)" + (
            "; pickled ones are not loaded, convert them" if pickles else ""))
    if not any((path / name).is_file() for name in (
            "tokenizer.json", "tokenizer.model", "vocab.json")):
        raise ValueError(f"{path.name}: no tokenizer (tokenizer.json)")


# What loading raised, by the names of its causes and its words: what to do.
LOADING_ERRORS = (
    ("GatedRepo|gated repo", "it is gated: accept its terms on its page, then log in "
     "with `hf auth login`"),
    ("RevisionNotFound|valid git identifier", "no such revision: see --revision"),
    ("LocalEntryNotFound|OfflineMode|Connect|couldn't connect", "the hub cannot be "
     "reached and the model is not stored here: give a folder or a .gguf file"),
    ("RepositoryNotFound|valid model identifier", "no such model, or a private one"),
    ("Unrecognized configuration class", "AutoModelForCausalLM knows no decoder of its "
     "architecture"),
    ("trust_remote_code", "its code is not part of transformers, and is not run"),
)
OUT_OF_MEMORY = re.compile("out of memory|can't allocate memory")


@contextlib.contextmanager
def named_errors(model):
    """Turn what loading may raise into a ValueError: one line that says what to do."""
    try:
        yield
    except (OSError, ValueError, LookupError, RuntimeError, ImportError,
            SafetensorError, struct.error) as error:
        if OUT_OF_MEMORY.search(str(error)):
            raise
        chain, link = [], error
        while link is not None:
            chain.append(type(link).__name__)
            link = link.__cause__ or link.__context__
        told = " ".join([*chain, *str(error).split()])
        words = next((words for pattern, words in LOADING_ERRORS
                      if re.search(pattern, told)), " ".join(str(error).split())[:300])
        raise ValueError(f"{Path(model).name}: {words}") from error


def rope_of(config):
    """Return {rope_theta, rope_type, …} of a configuration of transformers 4 or 5."""
    rope = dict(getattr(config, "rope_parameters", None) or {})
    if not rope and getattr(config, "rope_theta", None):
        rope = {"rope_theta": config.rope_theta, **(config.rope_scaling or {})}
    rope.setdefault("rope_type", "default")
    return rope


def check_architecture(config, shapes):
    """Raise ValueError for a model whose attention a trace cannot describe.

    shapes  {name: shape} of the parameters
    """
    name = config.model_type
    if not getattr(config, "num_attention_heads", None):
        raise ValueError(f"a {name} model has no attention heads")
    if config.is_encoder_decoder:
        raise ValueError(f"a {name} model is an encoder-decoder, expected a decoder")
    if getattr(config, "kv_lora_rank", None):
        raise ValueError(f"a {name} model makes keys and values of one latent vector, "
                         "which a trace of format 1 cannot say")
    if any(re.search(r"(^|\.)sinks?$", key) for key in shapes):
        raise ValueError(f"a {name} model has attention sinks: its weights do not sum "
                         "to one, which a trace of format 1 cannot say")
    if not rope_of(config).get("rope_theta"):
        raise ValueError(f"a {name} model has no rotary positions (rope_theta), and "
                         "another kind a trace of format 1 cannot say")


def fill_in(config):
    """Give a configuration the names that its architecture leaves out."""
    if not getattr(config, "num_key_value_heads", None):
        config.num_key_value_heads = config.num_attention_heads
    if not getattr(config, "head_dim", None):
        config.head_dim = config.hidden_size // config.num_attention_heads


def estimate_bytes(config, shapes, item_bytes, length):
    """Return {what: bytes} of a pass over `length` tokens, before weights load."""
    heads, layers = config.num_attention_heads, config.num_hidden_layers
    return {
        "weights": item_bytes * sum(map(math.prod, shapes.values())),
        "attention of one layer": heads * length ** 2 * (item_bytes + 4),
        "cache": 2 * layers * config.num_key_value_heads * config.head_dim * length
        * item_bytes,
        "logits": 2 * length * config.vocab_size * 4}


def check_memory(needs, device):
    """Raise ValueError where the estimate is more than the device has free."""
    free = get_max_memory()
    key = {"cpu": "cpu", "mps": "mps"}.get(device)
    if key is None and device != "auto":
        key = int(device.partition(":")[2])
    have = (sum(size for name, size in free.items() if name != "cpu")
            if device == "auto" else free.get(key, math.inf))
    total = sum(needs.values())
    if total > have:
        parts = ", ".join(f"{what} {size / 1e9:.2g}" for what, size in needs.items())
        raise ValueError(f"needs about {total / 1e9:.3g} GB ({parts}), {device} has "
                         f"{have / 1e9:.3g} GB free: {LOWER}")


LOWER = ("take fewer tokens (--prompt), a smaller type (--dtype float16) or another "
         "device (--device auto shares several GPUs)")


def parameter_shapes(config):
    """Return {name: shape} of a model's parameters, none of them made."""
    with init_empty_weights():
        model = AutoModelForCausalLM.from_config(config)
    model.tie_weights()
    return {name: tuple(weight.shape) for name, weight in model.named_parameters()}


def read_prompt(options, tokenizer):
    """Return (prompt, text that is tokenized, token ids).

    Raises ValueError for an empty prompt, or a chat without a template.
    """
    prompt = options.prompt
    if options.prompt_file is not None:
        try:
            prompt = Path(options.prompt_file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"the prompt file cannot be read: {error}") from None
    if not prompt.strip():
        raise ValueError("the prompt is empty")
    if not options.chat:
        return prompt, prompt, tokenizer(prompt)["input_ids"]
    if not tokenizer.chat_template:
        raise ValueError("the tokenizer has no chat template: use --no-chat")
    text = tokenizer.apply_chat_template([{"role": "user", "content": prompt}],
                                         tokenize=False, add_generation_prompt=True)
    return prompt, text, tokenizer(text, add_special_tokens=False)["input_ids"]


def check_tokens(ids, options, config):
    """Raise ValueError for more tokens than are wanted or the model can place."""
    most = getattr(config, "max_position_embeddings", None) or math.inf
    if not ids:
        raise ValueError("the prompt has no tokens")
    if len(ids) > most:
        raise ValueError(f"{len(ids)} tokens, the model has {most} positions")
    if len(ids) > options.max_tokens:
        raise ValueError(f"{len(ids)} tokens, at most {options.max_tokens} are wanted: "
                         "shorten the prompt, or raise --max-tokens")


def chosen(numbers, count, what):
    """Return the numbers that were asked for, all where that is None.

    Raises ValueError for a number the model does not have.
    """
    if numbers is None:
        return list(range(count))
    if numbers and numbers[-1] >= count:
        raise ValueError(f"{what} {numbers[-1]}: the model has {count}, the last is "
                         f"{count - 1}")
    return numbers


# ------------------------------------------------------------------ what is known of it
def file_hashes(model, options, revision, located):
    """Return {base name: sha256} of the files that the model was loaded from."""
    folder, extra = Path(located[0]), located[1]
    if extra:
        files = [folder / extra["gguf_file"]]
    else:
        if not folder.is_dir():
            folder = Path(cached_file(model, "config.json", revision=revision,
                                      local_files_only=True)).parent
        patterns = ("*.safetensors", "*.json", "tokenizer.model")
        files = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return {path.name: sha256(path) for path in files}


def sha256(path):
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def describe_model(config, options, recorder, hashes, name):
    """Return a trace's model: the configuration, and what it is not silent about."""
    rope = rope_of(config)
    eps = next((getattr(config, key) for key in (
        "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon")
        if getattr(config, key, None)), None)
    if eps is None:
        raise ValueError("the configuration names no epsilon of its norms")
    whole = hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()
    weights = next(iter(hashes.values())) if len(hashes) == 1 else whole
    differs = [note if len(layers) == config.num_hidden_layers else
               f"{note} (layers {', '.join(map(str, layers))})"
               for note, layers in recorder.notes.items()]
    quantized = re.search(r"[.-]((?:I?Q\d\w*|B?F16|F32))\.gguf$", options.model, re.I)
    return {
        "name": name, "architecture": config.model_type,
        "revision": getattr(config, "_commit_hash", None) or f"sha256 {weights[:16]}",
        **{key: getattr(config, key) for key in (
            "hidden_size", "intermediate_size", "num_hidden_layers",
            "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size")},
        "rope_theta": float(rope["rope_theta"]), "rope": rope,
        "rms_norm_eps": eps, "hidden_act": getattr(config, "hidden_act", None),
        "tie_word_embeddings": bool(config.tie_word_embeddings),
        "dtype": options.dtype, "rope_pairing": recorder.pairing or "half-split",
        "rope_pairing_seen": recorder.pairing is not None,
        "attention": recorder.source, "differs": differs, "trained": True,
        "weights": f"{quantized[1]} dequantised to {options.dtype}" if quantized
        else options.dtype, "files": hashes}


def describe_environment(device):
    """Return versions, settings and the device: no folder, no user, no host."""
    versions = {}
    for package in ("torch", "transformers", "accelerate", "safetensors", "tokenizers",
                    "gguf", "numpy"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return {
        "python": platform.python_version(), "system": platform.system(),
        "machine": platform.machine(), "versions": versions,
        "device": describe_device(device), "threads": torch.get_num_threads(),
        "tf32": torch.backends.cuda.matmul.allow_tf32,
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "deterministic_algorithms": torch.are_deterministic_algorithms_enabled()}


def describe_device(device):
    """Return a device's kind, name and memory, the peak of this process included."""
    if device.type != "cuda":
        return {"kind": device.type, "name": processor_name(),
                "peak_bytes": process_peak_bytes()}
    facts = torch.cuda.get_device_properties(device)
    return {"kind": "cuda", "name": facts.name, "total_bytes": facts.total_memory,
            "capability": f"{facts.major}.{facts.minor}", "cuda": torch.version.cuda,
            "driver": driver_version(), "count": torch.cuda.device_count(),
            "peak_bytes": torch.cuda.max_memory_allocated(device)}


def process_peak_bytes():
    """Return the most memory that this process held, or None where it is not told."""
    if resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def processor_name():
    """Return the processor's name, as far as the system tells it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def driver_version():
    """Return the NVIDIA driver's version, or None where nvidia-smi does not tell it."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, timeout=20,
                              check=True)
        return done.stdout.split("\n")[0].strip()
    return None


def describe_input(options, prompt, text, ids, tokenizer):
    """Return a trace's input: the prompt, and its tokens as bytes and as labels."""
    labels, pieces, special = describe_tokens(tokenizer, ids)
    chat = {"text": text, "chat_template": tokenizer.chat_template}
    return {"prompt": prompt, **(chat if options.chat else {}),
            "token_ids": [ids], "position_ids": [list(range(len(ids)))],
            "token_labels": [labels], "special": [special],
            "token_bytes": [[piece.hex() for piece in pieces]]}


def likeliest(probabilities, tokenizer):
    """Return id, label and probability of the likeliest next tokens, in order."""
    order = np.argsort(-probabilities, kind="stable")[:MOST_LIKELY]
    return [{"id": token, "label": describe_tokens(tokenizer, [token])[0][0],
             "probability": float(f"{probabilities[token]:.6g}")}
            for token in order.tolist()]


def group_shapes(shapes, model):
    """Return a list of {layers, tensors, parameters}: what layers of one form share."""
    groups = {}
    for index, layer in enumerate(decoder_layers(model)):
        prefix = f"layers.{index}."
        here = [name for name in shapes if name.startswith(prefix)]
        form = {"tensors": {name.removeprefix(prefix): shapes[name] for name in here},
                "parameters": {name: list(weight.shape)
                               for name, weight in layer.named_parameters()}}
        groups.setdefault(compact(form), (form, []))[1].append(index)
    return [{"layers": layers, **form} for form, layers in groups.values()]


# ------------------------------------------------------------------------------ the run
def load(options):
    """Return (model, tokenizer, (prompt, text, ids), located); check before loading."""
    check_device(options.device)
    located = source, _ = locate(options.model)
    common = shared_options(options, located)
    say(f"reading the configuration and the tokenizer of {Path(options.model).name}")
    with named_errors(options.model):
        config = AutoConfig.from_pretrained(source, **common)
        shapes = parameter_shapes(config)
    check_architecture(config, shapes)
    fill_in(config)
    options.layers = chosen(options.layers, config.num_hidden_layers, "layer")
    options.detail = chosen(options.detail, config.num_hidden_layers, "layer")
    options.heads = options.heads and chosen(options.heads, config.num_attention_heads,
                                             "head")
    with named_errors(options.model):
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
    prompt, text, ids = read_prompt(options, tokenizer)
    check_tokens(ids, options, config)
    dtype = getattr(torch, options.dtype)
    needs = estimate_bytes(config, shapes, dtype.itemsize, len(ids))
    check_memory(needs, options.device)
    if options.precision:
        check_precision(options, config, shapes, len(ids))
    say(f"loading {needs['weights'] / 1e9:.3g} GB of weights in {options.dtype}")
    model = load_weights(options, located, dtype)
    return model, tokenizer, (prompt, text, ids), located


def shared_options(options, located):
    """Return what each from_pretrained takes beside the source."""
    source, extra = located
    return {**extra, "trust_remote_code": False, "local_files_only": options.offline,
            **({} if Path(source).is_dir() else {"revision": options.revision})}


def load_weights(options, located, dtype):
    """Return the model in a type, with eager attention, where it was asked for.

    It has the type from the start: a cast afterwards would round the rotary table.
    """
    with named_errors(options.model):
        model = AutoModelForCausalLM.from_pretrained(
            located[0], **shared_options(options, located), dtype=dtype,
            device_map=options.device, use_safetensors=True,
            attn_implementation="eager").eval()
    check_placement(model, options.device)
    fill_in(model.config)
    return model


def check_placement(model, device):
    """Raise ValueError where accelerate put layers elsewhere than was asked for."""
    places = {str(place) for place in getattr(model, "hf_device_map", {}).values()}
    elsewhere = " and ".join(sorted(places & {"cpu", "disk"}))
    if device != "cpu" and elsewhere:
        raise ValueError(f"device {device}: the model does not fit, layers would run "
                         f"on the {elsewhere}: {LOWER}")


@torch.inference_mode()
def full_pass(model, ids, recorder):
    """Run all tokens at once, recorded; return their logits, [T, V].

    Raises ValueError for a model that has no attention to record.
    """
    with Capture(model, recorder.keep) as capture:
        output = model(ids, use_cache=False)
    recorder.source = "its eager attention function"
    if capture.seen:
        return output.logits[0]
    # No attention interface: take the weights that the model gives out itself.
    recorder.source = "output_attentions"
    output = model(ids, use_cache=False, output_attentions=True)
    if not getattr(output, "attentions", None):
        raise ValueError(f"a {model.config.model_type} model gives out no attention")
    for layer, weights in enumerate(output.attentions):
        recorder.add_weights(layer, on_host(weights)[0])
    return output.logits[0]


def record(options):
    """Load, run, check and write; return the checks' records."""
    model, tokenizer, (prompt, text, tokens), located = load(options)
    config, device = model.config, model.get_input_embeddings().weight.device
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    ids = torch.tensor([tokens], device=device)
    minor = 3 if options.precision else 1
    with (TraceFile(options.output, options.encoding, minor) as trace,
          progress_bar("layers", len(options.layers)) as progress):
        recorder = Recorder(trace, options, config, progress)
        logits = full_pass(model, ids, recorder)
        say("checking with a cache, in chunks")
        cache = measure_chunks(model, ids, logits, recorder)
        item_bytes = getattr(torch, options.dtype).itemsize
        cache = describe_cache(cache, config, item_bytes, len(tokens))
        recorder.measure("cache_bytes", abs(cache["bytes"] - cache["bytes_by_formula"]))
        chances = torch.softmax(logits[-1].float(), -1).cpu().numpy()
        if options.encoding == "f32":
            trace.add("next_token_probs", chances[None])
        checks = check_records(recorder.worst, options.dtype)
        hashes = file_hashes(options.model, options, options.revision, located)
        rest = {
            "producer": {"script": Path(__file__).name, "sha256": sha256(__file__),
                         "arguments": options.arguments},
            "model": describe_model(config, options, recorder, hashes,
                                    model_name(options.model)),
            "input": describe_input(options, prompt, text, tokens, tokenizer),
            "next_token": likeliest(chances, tokenizer),
            "cache": cache, "shapes": group_shapes(recorder.shapes, model),
            "checks": checks, "environment": describe_environment(device)}
        if options.precision:
            del model                               # one at a time is in memory
            rest["precision"] = study_precision(options, located, ids)
        trace.finish(rest)
    return checks


def output_path(options):
    """Return where the trace goes: in a folder it is named after the model.

    Raises ValueError where it could not be written in the end.
    """
    file = Path(os.path.realpath(options.output))
    if file.is_dir():
        slug = re.sub(r"[^a-z0-9]+", "-", Path(model_name(options.model)).name.lower())
        file = file / f"{slug.strip('-')}.json"
    if file.exists() and not file.is_file():
        raise ValueError(f"{file.name} is not a file that may be replaced")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK):
        raise ValueError(f"no folder that can be written to for {file.name}")
    return file


def model_name(model):
    """Return a model's name: a hub id, a folder's name, a file's without its format."""
    path = Path(model)
    if path.suffix == ".gguf":
        return re.sub(r"[.-]((?:I?Q\d\w*|B?F16|F32))$", "", path.stem, flags=re.I)
    return path.resolve().name if path.is_dir() else model


def say(text):
    """Tell on standard error what is being done."""
    print(text, file=sys.stderr, flush=True)


# ----------------------------------------------------------------------- command line
def parse_arguments(arguments):
    """Return the command line's options; a mistake is one line and status 2."""
    parser = argparse.ArgumentParser(
        prog="probe_pretrained.py", allow_abbrev=False,
        description="Record the attention of a pretrained decoder as a trace.")
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}\n")
    add = parser.add_argument
    add("--device", required=True, help="cuda:0 (or another), cpu, mps, or auto: "
        "accelerate shares the model among the GPUs")
    add("--model", default=DEFAULT_MODEL,
        help="hub id, folder or .gguf file (%(default)s)")
    add("--revision", help="of a model on the hub; the default model's is pinned")
    add("--dtype", choices=DTYPES, default="float32", help="of the run (%(default)s)")
    prompt = parser.add_mutually_exclusive_group()
    prompt.add_argument("--prompt", default=DEFAULT_PROMPT, help="a text")
    prompt.add_argument("--prompt-file", metavar="PATH", help="its text, UTF-8")
    add("--chat", action=argparse.BooleanOptionalAction, default=False,
        help="put the prompt into the model's chat template (off)")
    add("--max-tokens", type=positive, default=64, metavar="N",
        help="refuse a longer prompt (%(default)s)")
    add("--layers", type=parse_numbers, default="all", metavar="0,3-5",
        help="whose weights are recorded (%(default)s)")
    add("--heads", type=parse_numbers, default="all", metavar="0,3-5",
        help="that are recorded (%(default)s)")
    add("--detail", type=parse_detail, default="0", metavar="0,3-5",
        help="layers that keep q, k, v and the block's tensors, or none (%(default)s)")
    add("--encoding", choices=ENCODINGS, default="f32",
        help="of the weights: float32, or rows of whole parts (%(default)s)")
    add("--precision", action="store_true", help="run the prompt in float64, float32, "
        "bfloat16 and float16 too: what a cache changes, used rightly and wrongly")
    add("--output", default="pretrained_trace.json", metavar="PATH",
        help="the trace, or a folder for it (%(default)s)")
    add("--offline", action="store_true", help="do not ask the hub")
    options = parser.parse_args(arguments)
    if options.revision is None:
        pinned = options.model == DEFAULT_MODEL
        options.revision = DEFAULT_REVISION if pinned else "main"
    options.arguments = shown_arguments(options)
    return options


def positive(text):
    """Return a whole number above zero; raise ValueError for anything else."""
    if (number := int(text)) < 1:
        raise ValueError(text)
    return number


def shown_arguments(options):
    """Return the arguments that decide the content, base names only.

    The prompt is not among them: a trace has it as input.prompt.
    """
    model = options.model if not Path(options.model).exists() else (
        Path(options.model).resolve().name)
    shown = ["--model", model, "--device", options.device, "--dtype", options.dtype,
             "--encoding", options.encoding]
    return (shown + ["--chat"] * options.chat
            + ["--precision"] * options.precision)


def print_checks(checks):
    """Print each claim with what was measured and its limit."""
    for check in checks:
        print("pass " if check["passed"] else "FAIL ", f"{check['claim']}: "
              f"{check['measured']:g} {check['unit']}, limit {check['limit']:g} "
              f"({check['dtype']})")
    passed = sum(check["passed"] for check in checks)
    print(f"{passed} of {len(checks)} checks passed", flush=True)


def run(options):
    """Record, and print the checks; return 1 if one failed, else 0.

    Raises ValueError for what cannot be run, memory that does not suffice included.
    """
    options.output = output_path(options)
    try:
        checks = record(options)
    except (RuntimeError, MemoryError) as error:
        if isinstance(error, RuntimeError) and not OUT_OF_MEMORY.search(str(error)):
            raise
        raise ValueError(f"out of memory on {options.device}: {LOWER}") from error
    print_checks(checks)
    return 0 if all(check["passed"] for check in checks) else 1


def main(arguments=None):
    """Do what the command line asks and return the exit status."""
    logging.set_verbosity_error()
    if not sys.stderr.isatty():
        logging.disable_progress_bar()
    try:
        return run(parse_arguments(arguments))
    except (OSError, ValueError) as error:
        say(f"probe_pretrained.py: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
