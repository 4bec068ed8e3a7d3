"""The numbers of "The KV cache" that follow from configurations: bytes and traffic.

    python experiments_memory.py

It runs beside configurations.json, which says where each was read; decode.json, a
measured decode step; smollm2_trace.json, a recorded model; and probe_pretrained.py,
which recorded it.  It needs nothing but Python.  What it gives of bytes and traffic is
arithmetic, not a measurement of any machine.  GB are 10 ** 9 bytes.
"""

import ast
import json
import math
import shlex
from pathlib import Path

TWO, GB = 2, 1e9        # bytes of a number; bytes

models = {model["id"]: model
          for model in json.loads(Path("configurations.json").read_text("utf-8"))}
trace = json.loads(Path("smollm2_trace.json").read_text("utf-8"))


def token_bytes_of(model, kv_heads=None):
    """Return the bytes of one token's keys and values, two bytes a number."""
    kv_heads = kv_heads or model["num_key_value_heads"]
    return 2 * model["num_hidden_layers"] * kv_heads * model["head_dim"] * TWO


def in_products(model):
    """Return how many weights take part in a token's matrix products: all but the rows
    of the embedding, which is looked up, and the gains of the norms."""
    queries, keys = (model[heads] * model["head_dim"]
                     for heads in ("num_attention_heads", "num_key_value_heads"))
    of_layer = model["hidden_size"] * (2 * queries + 2 * keys
                                       + 3 * model["intermediate_size"])
    return (model["num_hidden_layers"] * of_layer
            + model["hidden_size"] * model["vocab_size"])


def multiply_adds_of(model, new, stored):
    """Return the multiply-adds of a call over one sequence."""
    queries = model["num_attention_heads"] * model["head_dim"]
    return (new * in_products(model)
            + 2 * model["num_hidden_layers"] * queries * new * (stored + new))


# ------------------------------------------------------------------- what is printed
tinyllama, mha = models["tinyllama-1.1b"], models["llama-2-7b"]
gqa, large = models["llama-3-8b"], models["llama-3-70b"]
tinyllama_token_bytes = token_bytes_of(tinyllama)
tinyllama_context = tinyllama["max_position_embeddings"]
tinyllama_context_bytes = tinyllama_context * tinyllama_token_bytes
mha_token_bytes, mha_kv_heads, mha_layers = (
    token_bytes_of(mha), mha["num_key_value_heads"], mha["num_hidden_layers"])
gqa_token_bytes, gqa_kv_heads, gqa_layers = (
    token_bytes_of(gqa), gqa["num_key_value_heads"], gqa["num_hidden_layers"])
large_token_bytes, large_layers = token_bytes_of(large), large["num_hidden_layers"]

traffic_context, traffic_batch = gqa["max_position_embeddings"], 16
weight_bytes = TWO * in_products(gqa)
context_bytes = traffic_context * gqa_token_bytes
read_bytes = weight_bytes + context_bytes
traffic_step_ratio = multiply_adds_of(gqa, 1, traffic_context - 1) / read_bytes
traffic_prefill_ratio = multiply_adds_of(gqa, traffic_context, 0) / read_bytes
traffic_weights, traffic_cache = weight_bytes / GB, context_bytes / GB
traffic_batch_cache = traffic_batch * context_bytes / GB
traffic_even = math.ceil(weight_bytes / context_bytes)
assert traffic_batch >= traffic_even

exercise_context = 8192
answer_bytes, answer_bytes_mha = (
    exercise_context * token_bytes_of(large, heads)
    for heads in (large["num_key_value_heads"], large["num_attention_heads"]))
assert (large["num_hidden_layers"], large["num_attention_heads"],
        large["num_key_value_heads"], large["head_dim"]) == (80, 64, 8, 128)

real_tokens = len(trace["input"]["token_ids"][0])
real_command = shlex.join(["python", trace["producer"]["script"],
                           *trace["producer"]["arguments"]])

decode = json.loads(Path("decode.json").read_text("utf-8"))["decode"]
decode_first, decode_last = decode[0]["positions"], decode[-1]["positions"]
decode_step = decode[-1]["preallocated"]
decode_copied, decode_recomputed = (decode[-1][way] / decode_step
                                    for way in ("concatenated", "recomputed"))

precision = {record["id"]: record for record in trace["precision"]}


def room(dtype):
    """Return how many times as far off the mildest mistake is as the worst right way;
    infinity where the right ways are exact."""
    found = precision[dtype]
    right = max(found["cached"], found["chunks"])
    return min(found["wrong_position"], found["stale"]) / right if right else math.inf


room_float32, room_float16 = room("float32"), room("float16")
[limits] = [ast.literal_eval(node.value)
            for node in ast.parse(Path("probe_pretrained.py").read_text("utf-8")).body
            if ast.unparse(node).startswith("LIMITS = ")]
limit_bfloat16 = limits["cached"][2]        # float32, float16, bfloat16
assert precision["bfloat16"]["wrong_position"] < limit_bfloat16
assert precision["bfloat16"]["cached"] == precision["bfloat16"]["chunks"] == 0
assert min(room_float32, room_float16) > 10

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
