"""The reader: a 270M base model from the package registry, and an adapter of ours that taught it to read.

The adapter and what it can do are described in ``reader_adapter/README.md``. It was trained on the quantised weights
of one file, so that file is pinned by its hash.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from saferag.errors import MissingExtraError, OptionError
from saferag.models import models
from saferag.models.base import ChatModel, ChatReply, Message
from saferag.models.gguf import DEFAULT_PACKAGE, default_model, load_llama
from saferag.models.local import Engine, LocalModel, Sampling
from saferag.text import normalize, split_sentences
from saferag.types import Usage

if TYPE_CHECKING:
    from saferag.resources import Resources

ADAPTER = Path(__file__).parent / "reader_adapter" / "reader.gguf"
BASE_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
CONTEXT_TOKENS = 8192
MAX_SLOTS = 8
FLOW = "2"
"""Raised when what the base model is given for a request, or what is made of its replies, changes: replies are kept."""
YES, NO = " yes", " no"
NOTHING = "[0]"
"""The reply where no passage helps: whoever asked says so in words. Left to itself, the model may make up an answer."""

_CONTROL = re.compile(r"<(?=/?[a-z_]+\d*>)", re.IGNORECASE)
_ROUND = re.compile(r"(.{2,40}?)\1{5,}.{0,40}\Z", re.DOTALL)
_SHORT = 8  # a sentence of fewer characters may well come twice


@dataclass(slots=True, eq=False)
class ReaderEngine:
    """The base model with the adapter, asked in the form that the adapter was trained on.

    A conversation is what is asked of every passage, the passages, and the task. The reader says of each passage
    whether it helps, and the next is read as if one that does not had never been there.

    Attributes:
        llama: The loaded model.
    """

    llama: Engine

    @property
    def has_template(self) -> bool:
        """It was taught conversations, though the base model's file says nothing of them."""
        return True

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        """Read the passages one by one, and carry out the task with those that help; `NOTHING` where none does."""
        *asked, task = (Message(m.role, defused(m.content)) for m in messages)
        text, kept, usage = self.read(asked, sampling)
        if kept and not any(kept):
            return ChatReply(NOTHING, usage)
        last = replace(sampling, reuse=True) if kept else sampling
        reply = self.go_on(answering(text, task.content), (), last)
        text, looped = without_loop(reply.text)
        usage = replace(usage + reply.usage, calls=1)
        return ChatReply(text, usage, "length" if looped else reply.finish)

    def read(self, asked: Sequence[Message], sampling: Sampling) -> tuple[str, tuple[bool, ...], Usage]:
        """What is kept of the passages, which of them are, and the cost, as one call.

        The first message is what is asked of each.
        """
        text, kept, usage = "", list[bool](), Usage()
        for passage in asked[1:]:
            # What is reused for the first passage would depend on the request before.
            once = replace(sampling, max_tokens=1, reuse=True if kept else None)
            reply = self.go_on(judging(text, passage.content, asked[0].content), (), once)
            usage += reply.usage
            kept.append(reply.text != NO.strip())
            if kept[-1]:
                text = reading(text, passage.content)
        return text, tuple(kept), replace(usage, calls=1)

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        """Continue a text."""
        return self.llama.go_on(text, stops, sampling)


def reading(text: str, passage: str) -> str:
    """What has been read, with one more passage."""
    return f"{text}{passage}\n\n"


def judging(text: str, passage: str, question: str) -> str:
    """What has been read, and the question that `YES` or `NO` answers for one more passage."""
    return reading(text, passage) + question


def answering(text: str, task: str) -> str:
    """What has been read, and the task."""
    return f"{text}{task}\n"


def defused(text: str) -> str:
    """The text with every spelling of a control token broken up: llama.cpp would read it as the token."""
    return _CONTROL.sub("< ", text)


def without_loop(text: str) -> tuple[str, bool]:
    """The text up to where it begins to go round, and whether it did.

    That is a sentence said for the third time, or an ending that says the same few characters six times or more.
    """
    ending = _ROUND.search(text)
    if ending and not ending[1].isdigit():  # a large round number is no loop
        return text[: ending.start()] + ending[1], True
    seen: Counter[str] = Counter()
    said = 0
    for sentence in split_sentences(text):
        key = normalize(sentence)
        seen[key] += len(key) >= _SHORT
        if seen[key] == 3:
            return text[: text.find(sentence, said)].rstrip(), True
        said = text.find(sentence, said) + len(sentence)
    return text, False


@models.register(
    "reader",
    summary="a small model of ours in this process, trained to answer from passages and for nothing else",
    requires=("reader",),
    serves=("generator 'reader'",),
)
def reader(resources: Resources, *, slots: int = 0, max_tokens: int = 900, reuse_prefix: bool = False) -> ChatModel:
    """Build the reader. Its replies are greedy.

    Args:
        resources: The run's.
        slots: Requests that are answered at once, each on one thread with a model of its own; 0: one per core, at
            most eight.
        max_tokens: Limit of a reply.
        reuse_prefix: Whether work on a common beginning of prompts is kept; see `LlamaEngine`.

    Raises:
        MissingExtraError: xllamacpp or the package of the base model is not installed.
        OptionError: The number of slots or the limit makes no sense.
    """
    return with_adapter(ADAPTER, resources, slots, max_tokens, reuse_prefix)


def with_adapter(
    adapter: Path, resources: Resources, slots: int = 0, max_tokens: int = 900, reuse_prefix: bool = False
) -> ChatModel:
    """The reader with another adapter for the same base; see `reader`."""
    if any(importlib.util.find_spec(package) is None for package in ("xllamacpp", DEFAULT_PACKAGE)):
        raise MissingExtraError("model 'reader'", "reader")
    if not 0 <= slots <= 64 or max_tokens < 1:
        raise OptionError("model 'reader': slots must be 0 to 64, and max_tokens at least 1")
    identity = {
        "provider": "reader",
        "model": "reader",
        "adapter": file_hash(adapter),
        "base": BASE_SHA256,
        "engine": f"xllamacpp {version('xllamacpp')}",
        "flow": FLOW,
        "max_tokens": str(max_tokens),
        "temperature": "0.0",
        "reuse_prefix": str(reuse_prefix),
    }
    cache_dir = resources.cache_dir

    def load() -> Engine:
        return ReaderEngine(load_llama(base_model(cache_dir), CONTEXT_TOKENS, 1, reuse_prefix, adapter))

    slots = slots or min(MAX_SLOTS, os.cpu_count() or 1)
    return LocalModel(identity, load, Sampling(max_tokens, 0.0, 0), resources.traffic, slots)


def base_model(cache_dir: Path | None) -> Path:
    """The base model's file, put together once.

    Raises:
        OptionError: It is not the file that the adapter was trained on.
    """
    path = default_model(cache_dir)
    if file_hash(path) != BASE_SHA256:
        raise OptionError(f"model 'reader': {path} is not the base model of the adapter; delete it and try again")
    return path


@cache
def file_hash(path: Path) -> str:
    """The SHA-256 of a file; read once per process."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
