"""The base model, dequantised from its GGUF file into transformers' Gemma 3, so that a gradient can be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from transformers import Gemma3ForCausalLM, Gemma3TextConfig

PROJECTIONS = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""What an adapter is put on: tensor names of GGUF, and the names that transformers has for them."""

_NORMS = {
    "attn_norm": "input_layernorm",
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
}


def load_base(path: Path, dtype: torch.dtype = torch.bfloat16) -> Any:  # noqa: ANN401 - transformers has no types here
    """The model with the weights that llama.cpp computes with, frozen."""
    reader = GGUFReader(path)
    model = Gemma3ForCausalLM(config_of(reader))
    state = {}
    for tensor in reader.tensors:
        value = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy())
        name = _name(tensor.name)
        # llama.cpp's converter adds the one that Gemma's norms leave out.
        state[name] = value - 1 if "norm" in name else value
    missing, unexpected = model.load_state_dict(state, strict=False)
    if unexpected or set(missing) - {"lm_head.weight"}:
        raise ValueError(f"{path}: tensors do not fit: missing {missing}, unexpected {unexpected}")
    model.tie_weights()
    model.requires_grad_(False)
    return model.to(dtype).eval()


def config_of(reader: GGUFReader) -> Gemma3TextConfig:
    """The configuration, from the file's metadata where it is there."""

    def number(key: str) -> Any:  # noqa: ANN401 - int or float
        return reader.fields[f"gemma3.{key}"].contents()

    layers = int(number("block_count"))
    return Gemma3TextConfig(
        vocab_size=len(reader.fields["tokenizer.ggml.tokens"].contents()),
        hidden_size=int(number("embedding_length")),
        intermediate_size=int(number("feed_forward_length")),
        num_hidden_layers=layers,
        num_attention_heads=int(number("attention.head_count")),
        num_key_value_heads=int(number("attention.head_count_kv")),
        head_dim=int(number("attention.key_length")),
        query_pre_attn_scalar=int(number("attention.key_length")),
        max_position_embeddings=32768,
        sliding_window=int(number("attention.sliding_window")),
        layer_types=["full_attention" if (i + 1) % 6 == 0 else "sliding_attention" for i in range(layers)],
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": float(number("rope.freq_base"))},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10_000.0},
        },
        tie_word_embeddings=True,
        attn_implementation="eager",
    )


def _name(tensor: str) -> str:
    if tensor == "token_embd.weight":
        return "model.embed_tokens.weight"
    if tensor == "output_norm.weight":
        return "model.norm.weight"
    _, layer, kind, _ = tensor.split(".")
    return f"model.layers.{layer}.{(PROJECTIONS | _NORMS)[kind]}.weight"
