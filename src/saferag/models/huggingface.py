"""Models of Hugging Face's transformers in this process (extra ``local``).

Only safetensors weights are loaded, and no code that comes with a model is run: models that need either belong
behind a server (``openai:NAME``).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saferag.errors import MissingExtraError, OptionError, RequestRejectedError, ServerError
from saferag.models import models
from saferag.models.base import ChatModel, ChatReply, Message
from saferag.models.gguf import sampled_hash
from saferag.models.local import Engine, LocalModel, Sampling, cut, transcript_hash
from saferag.types import Usage

if TYPE_CHECKING:
    from saferag.resources import Resources


@dataclass(slots=True, eq=False)
class TransformersEngine:
    """A causal language model with its tokenizer, as transformers loads them."""

    model: Any
    tokenizer: Any

    @property
    def has_template(self) -> bool:
        """Whether the model knows conversations."""
        return bool(self.tokenizer.chat_template)

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        """Reply to a conversation by the model's own template."""
        said = [{"role": m.role, "content": m.content} for m in messages]
        text = self.tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
        return self._generate(text, (), sampling, special=False)

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        """Continue a text up to the first of these strings."""
        return self._generate(text, stops, sampling, special=True)

    def _generate(self, text: str, stops: Sequence[str], sampling: Sampling, *, special: bool) -> ChatReply:
        """``special``: whether the tokenizer adds its own tokens; a template has them already."""
        import torch

        ids = self.tokenizer(text, return_tensors="pt", add_special_tokens=special).input_ids.to(self.model.device)
        room = getattr(self.model.config, "max_position_embeddings", None)
        if room is not None and ids.shape[1] + sampling.max_tokens > room:
            raise RequestRejectedError(f"{ids.shape[1]} tokens and {sampling.max_tokens} more do not fit in {room}")
        drawn = {"do_sample": True, "temperature": sampling.temperature} if sampling.temperature else {}
        try:
            with torch.inference_mode(), torch.random.fork_rng():
                torch.manual_seed(sampling.seed)
                output = self.model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=sampling.max_tokens,
                    pad_token_id=self.tokenizer.pad_token_id or self.tokenizer.eos_token_id,
                    tokenizer=self.tokenizer,
                    stop_strings=list(stops) or None,
                    **(drawn or {"do_sample": False}),
                )
        except RuntimeError as error:  # out of memory, above all
            raise ServerError(f"transformers failed: {str(error).splitlines()[0]}") from None
        new = output[0, ids.shape[1] :]
        reply = self.tokenizer.decode(new, skip_special_tokens=True)
        finish = "length" if len(new) >= sampling.max_tokens else "stop"
        return ChatReply(cut(reply, stops).strip(), Usage(1, 0, ids.shape[1], len(new)), finish)


@models.register(
    "huggingface", summary="a transformers model in this process: huggingface:NAME_OR_FOLDER", requires=("local",)
)
def huggingface(
    resources: Resources,
    *,
    variant: str | None = None,
    device: str = "cpu",
    temperature: float = 0.0,
    max_tokens: int = 400,
    seed: int = 0,
) -> ChatModel:
    """Build a model over a folder, or a name that transformers knows.

    Raises:
        MissingExtraError: transformers or torch are not installed.
        OptionError: There is no name.
    """
    if any(importlib.util.find_spec(package) is None for package in ("transformers", "torch")):
        raise MissingExtraError("model 'huggingface'", "local")
    if not variant:
        raise OptionError("model 'huggingface' needs a name or a folder: huggingface:Qwen/Qwen2.5-7B-Instruct")
    identity = {
        "provider": "huggingface",
        "model": variant,
        "sha256": folder_hash(Path(variant)),
        "engine": f"transformers {version('transformers')}",
        "transcript": transcript_hash(),
        "temperature": str(temperature),
        "max_tokens": str(max_tokens),
        "seed": str(seed),
    }
    sampling = Sampling(max_tokens, temperature, seed)
    return LocalModel(identity, lambda: load_transformers(variant, device), sampling, resources.traffic)


def load_transformers(name: str, device: str) -> Engine:
    """Load a model and its tokenizer.

    Raises:
        OptionError: They cannot be loaded.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model: Any = AutoModelForCausalLM.from_pretrained(
            name, trust_remote_code=False, use_safetensors=True, dtype=torch.float32 if device == "cpu" else "auto"
        )
        return TransformersEngine(model.to(device).eval(), tokenizer)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0][:200]
        raise OptionError(f"model 'huggingface:{name}' cannot be loaded: {reason}") from None


def folder_hash(folder: Path) -> str:
    """Hashes of the weight files in a folder, joined; empty for a name."""
    return "-".join(sampled_hash(file) for file in sorted(folder.glob("*.safetensors")))
