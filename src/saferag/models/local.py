"""Models in this process: in threads of their own, so that the event loop stays free.

A model that was never taught a conversation (a base model, without chat template) is given a transcript to go on
with, and two worked examples before the question.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from saferag.errors import BadReplyError
from saferag.models.base import ChatReply, ChatRequest, Message
from saferag.models.traffic import Traffic
from saferag.models.waiting import Call, note
from saferag.prompts import load_prompt, prompt_hashes
from saferag.text import has_cjk
from saferag.types import Lang

_NAMES = {"user": "User", "assistant": "Assistant"}
_TURNS = ("\nUser:", "\nAssistant:")
# The worked examples are of one paragraph; after it, a base model goes on with passages of its own making.
_PARAGRAPH = ("\n\n", "\n[")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply is drawn. A temperature of 0 is greedy and does not use the seed.

    ``reuse`` is whether work on the beginning that a text shares with the one before it is kept; None: as the engine
    was built. An engine that keeps none takes no notice.
    """

    max_tokens: int
    temperature: float
    seed: int
    schema: Mapping[str, Any] | None = None
    reuse: bool | None = None


class Engine(Protocol):
    """A loaded model. All methods block, and are called from one thread."""

    @property
    def has_template(self) -> bool:
        """Whether the model knows conversations."""
        ...

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        """Reply to a conversation by the model's own template."""
        ...

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        """Continue a text up to the first of these strings."""
        ...


@dataclass(slots=True, eq=False)
class LocalModel:
    """A chat model over engines, one per slot, each of which is loaded with the first request that it gets.

    Attributes:
        identity: What makes its replies its own.
        load: Makes an engine; called in the thread that uses it.
        sampling: For requests that do not say otherwise.
        traffic: Where calls are counted.
        slots: How many requests are answered at once.
    """

    identity: Mapping[str, str]
    load: Callable[[], Engine]
    sampling: Sampling
    traffic: Traffic = field(default_factory=Traffic)
    slots: int = 1
    _engines: dict[int, Engine] = field(default_factory=dict, repr=False)
    _threads: ThreadPoolExecutor | None = field(default=None, repr=False)
    _loading: threading.Lock = field(default_factory=threading.Lock, repr=False)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Reply when a slot is free.

        Raises:
            ModelError: The model failed, or said nothing.
            UserError: It cannot be loaded.
        """
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.slots, thread_name_prefix="saferag-model")
        self.traffic.sent += 1
        made = began = time.monotonic()

        def work() -> ChatReply:
            nonlocal began
            began = time.monotonic()
            return self._reply(request)

        try:
            reply = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            note(Call(made, began, time.monotonic()))
        self.traffic.pay(reply.usage)
        return reply

    async def close(self) -> None:
        """Free the memory once the replies in progress are done; the next request loads the model again."""
        threads, self._threads = self._threads, None
        if threads is not None:
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        self._engines.clear()

    def _reply(self, request: ChatRequest) -> ChatReply:
        thread = threading.get_ident()
        with self._loading:  # one at a time: a file may have to be put together first
            if thread not in self._engines:
                self._engines[thread] = self.load()
        engine = self._engines[thread]
        sampling = Sampling(
            self.sampling.max_tokens if request.max_tokens is None else request.max_tokens,
            self.sampling.temperature if request.temperature is None else request.temperature,
            self.sampling.seed + request.sample,
            request.schema,
        )
        if engine.has_template:
            reply = engine.chat(request.messages, sampling)
        else:
            stops = _TURNS if request.schema is not None else (*_TURNS, *_PARAGRAPH)
            reply = engine.go_on(transcript(request), stops, sampling)
        if not reply.text.strip():
            raise BadReplyError(f"{self.identity['model']}: the reply is empty (finish {reply.finish})")
        return replace(reply, usage=replace(reply.usage, truncated=int(reply.finish == "length")))


def transcript(request: ChatRequest) -> str:
    """The conversation as a text that a base model can go on with, worked examples first.

    Examples answer questions, so a request for JSON goes without them.
    """
    system = [m for m in request.messages if m.role == "system"]
    turns = [m for m in request.messages if m.role != "system"]
    if request.schema is None:
        turns = [*load_prompt("base_examples", _lang(turns)).render(), *turns]
    return turns_of([*system, *turns])


def turns_of(messages: Sequence[Message]) -> str:
    """Messages as a text that ends where the assistant is to speak."""
    parts = [m.content if m.role == "system" else f"{_NAMES[m.role]}:\n{m.content}" for m in messages]
    return "\n\n".join(parts) + "\n\nAssistant:\n"


def transcript_hash() -> str:
    """What a transcript is made of, for the identity of a model that may be given one."""
    hashes = [value for name, value in sorted(prompt_hashes().items()) if name.startswith("base_examples.")]
    return hashlib.sha256(repr((hashes, _NAMES, _TURNS, _PARAGRAPH)).encode()).hexdigest()[:16]


def _lang(turns: Sequence[Message]) -> Lang:
    return Lang.ZH if has_cjk(turns[-1].content) else Lang.EN


def cut(text: str, stops: Sequence[str]) -> str:
    """The text up to the first of these strings."""
    ends = [position for stop in stops if (position := text.find(stop)) >= 0]
    return text[: min(ends)] if ends else text
