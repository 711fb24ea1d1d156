"""A model that says what it is told to say: the test double, open to everybody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from saferag.errors import BadReplyError, DataError, OptionError
from saferag.models import models
from saferag.models.base import ChatModel, ChatReply, ChatRequest

if TYPE_CHECKING:
    from saferag.resources import Resources

Handler = Callable[[ChatRequest], "str | ChatReply | Exception"]


@dataclass(slots=True, eq=False)
class ScriptedModel:
    """Replies by a function, and remembers what it was asked.

    Attributes:
        handler: What to reply; an exception that it returns is raised.
        name: Tells one script from another in reply caches and fingerprints.
        requests: Every request so far, in order.
    """

    handler: Handler
    name: str = "scripted"
    requests: list[ChatRequest] = field(default_factory=list)

    @classmethod
    def from_replies(cls, replies: Iterable[str | ChatReply | Exception], name: str = "scripted") -> ScriptedModel:
        """One reply after the other; `BadReplyError` when they are used up."""
        left = iter(replies)
        return cls(lambda _: next(left, BadReplyError("the script is at its end")), name)

    @property
    def identity(self) -> Mapping[str, str]:
        """Its name."""
        return {"provider": "scripted", "model": self.name}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Reply by the script.

        Raises:
            ModelError: The script says so.
        """
        self.requests.append(request)
        reply = self.handler(request)
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(reply) if isinstance(reply, str) else reply

    async def close(self) -> None:
        """Nothing to release."""


@models.register("scripted", summary="says what it is told: scripted(reply=TEXT) or scripted(file=RULES.jsonl)")
def scripted(resources: Resources, *, reply: str | None = None, file: str | None = None) -> ChatModel:
    """Build one from a fixed reply, or from rules of which the first that fits counts.

    Raises:
        OptionError: Neither or both are given.
        DataError: The file is not one of rules.
    """
    if (reply is None) is (file is None):
        raise OptionError("model 'scripted' needs one of: reply=TEXT, file=RULES.jsonl")
    if reply is not None:
        digest = hashlib.sha256(reply.encode("utf-8", "replace")).hexdigest()
        return ScriptedModel(lambda _: reply, f"reply-{digest[:12]}")
    assert file is not None
    return from_rules(Path(file))


def from_rules(path: Path) -> ScriptedModel:
    """Read rules, one JSON object ``{"contains": TEXT, "reply": TEXT}`` a line.

    Raises:
        DataError: The file cannot be read, or a line is not such an object.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start + 1}", path=path) from None
    rules = [_rule(path, number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]

    def handler(request: ChatRequest) -> str | Exception:
        asked = "\n".join(message.content for message in request.messages)
        fitting = (reply for contains, reply in rules if contains in asked)
        return next(fitting, BadReplyError(f"no rule of {path.name} fits the request"))

    return ScriptedModel(handler, f"rules-{hashlib.sha256(text.encode()).hexdigest()[:12]}")


def _rule(path: Path, number: int, line: str) -> tuple[str, str]:
    try:
        rule = json.loads(line)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path=path, line=number) from None
    for name in ("contains", "reply"):
        if not isinstance(rule, dict) or not isinstance(rule.get(name), str):
            raise DataError("must be a text", path=path, line=number, field=name)
    return rule["contains"], rule["reply"]
