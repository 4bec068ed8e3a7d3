"""Small random models of several architectures, saved as a checkpoint is."""

import copy

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

# Sizes that all differ; hidden_size is no product of the others.
SIZES = {"hidden_size": 36, "intermediate_size": 44, "num_hidden_layers": 3,
         "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 10,
         "vocab_size": 290, "max_position_embeddings": 128,
         "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
ROTARY = {"rope_theta": 500.0, "rope_parameters": {"rope_type": "default",
                                                   "rope_theta": 500.0}}
SMALL_MODELS = {
    "llama": {"model_type": "llama", "tie_word_embeddings": False},
    "mistral": {"model_type": "mistral", "sliding_window": 5},
    "qwen2": {"model_type": "qwen2"},
    "qwen3": {"model_type": "qwen3"},
    "gemma": {"model_type": "gemma", "num_key_value_heads": 1},
    "gemma2": {"model_type": "gemma2", "attn_logit_softcapping": 0.5,
               "query_pre_attn_scalar": 7, "sliding_window": 6},
    "phi": {"model_type": "phi", "num_attention_heads": 3, "num_key_value_heads": 1,
            "head_dim": 12},
    "phi3": {"model_type": "phi3", "head_dim": 6, "num_key_value_heads": 2},
    "deepseek": {"model_type": "deepseek_v3", "kv_lora_rank": 8, "q_lora_rank": 8},
    "gpt-oss": {"model_type": "gpt_oss", "num_local_experts": 2},
}
FOREIGN = {"gpt2": {"n_embd": 36, "n_layer": 3, "n_head": 6}, "mamba": {}, "t5": {}}


def small_config(name, **changes):
    """Return the configuration of a small model, with changes."""
    if name in FOREIGN:
        return AutoConfig.for_model(name, **FOREIGN[name], **changes)
    values = {**SIZES, **ROTARY, **SMALL_MODELS[name], **changes}
    # A configuration writes into the dictionaries that it is given.
    return AutoConfig.for_model(**copy.deepcopy(values))


def small_model(config):
    """Return a random model in which every weight counts, gains and biases too."""
    torch.manual_seed(3)
    model = AutoModelForCausalLM.from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for weight in model.parameters():
            mean, spread = (1.0, 0.1) if weight.ndim == 1 else (0.0, 0.2)
            weight.copy_(mean + spread * torch.randn_like(weight))
    return model.eval()


def byte_tokenizer(**options):
    """Return a tokenizer with one token per byte: every text has tokens."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    ids = {character: index for index, character in enumerate(alphabet)}
    tokenizer = Tokenizer(models.BPE(vocab=ids, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>",
                                   **options)


def save_small_model(name, folder):
    """Write a small model's checkpoint and tokenizer to a folder."""
    small_model(small_config(name)).save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
