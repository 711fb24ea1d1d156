"""Tiny models whose replies are known: each token calls for one next token, whatever came before.

A conversation ends in a line feed, and after a line feed they say ``hi.`` and stop.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

SAYS = "hi."
TEMPLATE = "{% for m in messages %}{{ m['role'] }}:{{ m['content'] }};{% endfor %}me:{{ '\\n' }}"
_SPECIAL = 3  # unknown, begin, end
_VOCABULARY = _SPECIAL + 256
_WIDTH = 288


def _weights() -> dict[str, np.ndarray[Any, np.dtype[np.float32]]]:
    """Embeddings are one-hot; the output layer holds, for each token, which one comes next."""
    said = [ord("\n"), *SAYS.encode()]
    following = {a + _SPECIAL: b + _SPECIAL for a, b in pairwise(said)}
    following[said[-1] + _SPECIAL] = 2
    embedding = np.eye(_VOCABULARY, _WIDTH, dtype=np.float32)
    output = np.zeros((_VOCABULARY, _WIDTH), np.float32)
    for token in range(_VOCABULARY):
        output[following.get(token, ord("\n") + _SPECIAL), token] = 1.0
    return {"embedding": embedding, "output": output}


def write_gguf(path: Path, template: str | None) -> Path:
    """Write one as a GGUF file."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(4)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{i:02X}>".encode() for i in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL, *[gguf.TokenType.BYTE] * 256]
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * _VOCABULARY)
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_space_prefix(False)
    if template is not None:
        writer.add_chat_template(template)
    weights = _weights()
    writer.add_tensor("token_embd.weight", weights["embedding"])
    writer.add_tensor("output.weight", weights["output"])
    writer.add_tensor("output_norm.weight", np.ones(_WIDTH, np.float32))
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"blk.0.{name}.weight", np.ones(_WIDTH, np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((_WIDTH, _WIDTH), np.float32))
    for name in ("ffn_gate", "ffn_up"):
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros((32, _WIDTH), np.float32))
    writer.add_tensor("blk.0.ffn_down.weight", np.zeros((_WIDTH, 32), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def write_transformers(folder: Path, template: str | None) -> Path:
    """Write one as a folder that transformers loads."""
    import torch
    from tokenizers import Tokenizer, decoders
    from tokenizers import models as token_models
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers import PreTrainedTokenizerFast as Untyped

    vocabulary = {"<unk>": 0, "<s>": 1, "</s>": 2, **{f"<0x{i:02X}>": i + _SPECIAL for i in range(256)}}
    tokenizer = Tokenizer(token_models.BPE(vocab=vocabulary, merges=[], byte_fallback=True, unk_token="<unk>"))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    make_tokenizer: Any = Untyped
    fast = make_tokenizer(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>", chat_template=template
    )
    fast.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=_VOCABULARY,
        hidden_size=_WIDTH,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        max_position_embeddings=4096,
        tie_word_embeddings=False,
        bos_token_id=1,
        eos_token_id=2,
    )
    model: Any = LlamaForCausalLM(config)
    weights = _weights()
    with torch.no_grad():
        for layer in model.model.layers:
            for parameter in (*layer.self_attn.parameters(), *layer.mlp.parameters()):
                parameter.zero_()
        model.model.embed_tokens.weight.copy_(torch.from_numpy(weights["embedding"]))
        model.lm_head.weight.copy_(torch.from_numpy(weights["output"]))
    model.save_pretrained(folder)
    return folder
