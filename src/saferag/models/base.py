"""What a chat model is: one request, one reply, or a typed failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from saferag.types import Usage


@dataclass(frozen=True, slots=True)
class Message:
    """One message. ``role`` is ``system``, ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is sent to a model.

    Attributes:
        messages: The conversation so far.
        max_tokens: Limit of the reply; None leaves it to the model's own setting.
        temperature: 0 means greedy; None leaves it to the model's own setting.
        schema: A JSON schema that the reply must follow, or None for free text.
        schema_name: A short name for the schema.
        sample: Number of the sample, so that repeats at a temperature are told apart in the reply cache.
    """

    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    schema: Mapping[str, Any] | None = None
    schema_name: str = "reply"
    sample: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's reply. ``finish`` is the provider's finish reason (``stop``, ``length`` …)."""

    text: str
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    finish: str = "stop"


class ChatModel(Protocol):
    """A model that replies to messages. It limits its own concurrency."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What makes its replies its own (provider, model, parameters): part of cache keys and fingerprints. No key."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Reply to a request.

        Raises:
            ModelError: After the last retry; the message holds no key.
        """
        ...

    async def close(self) -> None:
        """Release connections and memory. May be called twice."""
        ...
