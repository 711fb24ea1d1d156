"""Replies with a form: ask for JSON, read it tolerantly, check it strictly, repair it once.

What enforces the form is the model's business (a JSON schema, JSON mode, or the prompt alone); here a reply is
only believed after it has been read and checked. Reading forgives code fences, prose around the object, trailing
commas and a reasoning block; it does not forgive two different objects that both fit, because then somebody else's
text may have been repeated in the reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from saferag.errors import BadReplyError
from saferag.models.base import ChatModel, ChatReply, ChatRequest, Message
from saferag.prompts import load_prompt
from saferag.text import visible
from saferag.types import Lang, Usage

MAX_REPLY = 200_000
_MAX_STARTS = 200
_REASONING = re.compile(r"\A\s*<think>.*?</think>\s*", re.DOTALL)
# A string (kept as it is) or a comma before a closing bracket (dropped).
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])')


class ReplyForm(BaseModel):
    """Base of the forms that a reply can be asked for: no field may be added, and a server is told to give all."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def schema_for_servers(cls) -> dict[str, Any]:
        """The JSON schema in the dialect that strict servers ask for: every field required, no defaults."""
        schema = cls.model_json_schema()
        for part in (schema, *schema.get("$defs", {}).values()):
            part["required"] = list(part["properties"])
            for field in part["properties"].values():
                field.pop("default", None)
        return schema


F = TypeVar("F", bound=ReplyForm)


class UnusableReply(ValueError):  # noqa: N818 - a step on the way to a BadReplyError, not an outcome
    """Why a reply cannot be used; the text is shown to the model when it is asked to repair it."""


@dataclass(frozen=True, slots=True)
class Structured(Generic[F]):
    """A checked reply and what it cost, the repair included."""

    value: F
    usage: Usage


async def ask(
    model: ChatModel,
    messages: tuple[Message, ...],
    form: type[F],
    *,
    lang: Lang,
    check: Callable[[F], None] = lambda _: None,
    max_tokens: int | None = None,
) -> Structured[F]:
    """Ask for a reply of this form; an unusable one is sent back for repair once.

    Args:
        model: The model.
        messages: The prompt; it must describe the form in words, since not every server enforces one.
        form: What the reply must be.
        lang: The language of the repair prompt.
        check: Raises `UnusableReply` for a reply of the right form whose content cannot be used.
        max_tokens: Limit of the reply; None leaves it to the model.

    Raises:
        BadReplyError: The reply was unusable, and so was its repair.
        ModelError: The model failed.
    """
    request = ChatRequest(messages, max_tokens, schema=form.schema_for_servers(), schema_name=form.__name__.lower())
    first = await _reply(model, request)
    try:
        return Structured(_read(first, form, check), first.usage)
    except UnusableReply as error:
        problem = visible(str(error))

    repair = load_prompt("repair", lang).render(problem=problem)
    said = Message("assistant", first.text[:MAX_REPLY] or "…")
    again = ChatRequest((*messages, said, *repair), max_tokens, schema=request.schema, schema_name=request.schema_name)
    second = await _reply(model, again)
    try:
        return Structured(_read(second, form, check), first.usage + second.usage)
    except UnusableReply as error:
        raise BadReplyError(f"unusable reply, twice: {problem}; then: {visible(str(error))}") from None


async def _reply(model: ChatModel, request: ChatRequest) -> ChatReply:
    """A reply, with an empty one as text: JSON modes are known to give those, and a repair can help."""
    try:
        return await model.complete(request)
    except BadReplyError:
        return ChatReply("")


def _read(reply: ChatReply, form: type[F], check: Callable[[F], None]) -> F:
    try:
        value = parse(reply.text, form)
    except UnusableReply as error:
        if reply.finish == "length":
            raise UnusableReply("it was cut off at the length limit; keep every reason shorter") from error
        raise
    check(value)
    return value


def parse(text: str, form: type[F]) -> F:
    """Find the one JSON object of this form in a reply.

    Raises:
        UnusableReply: There is none, or more than one.
    """
    text = strip_reasoning(text)
    if not text.strip():
        raise UnusableReply("it is empty")
    if len(text) > MAX_REPLY:
        raise UnusableReply(f"it is longer than {MAX_REPLY} characters")
    found: list[F] = []
    problem = "it holds no complete JSON object"
    for candidate in _objects(text):
        try:
            value = form.model_validate(candidate)
        except ValidationError as error:
            problem = _first_problem(error)
            continue
        if value not in found:
            found.append(value)
    if len(found) > 1:
        raise UnusableReply("it holds several JSON objects")
    if not found:
        raise UnusableReply(problem)
    return found[0]


def strip_reasoning(text: str) -> str:
    """The text without the reasoning block that some open models put before their reply."""
    return _REASONING.sub("", text)


def _objects(text: str) -> list[dict[str, Any]]:
    """Every different top-level JSON object in the text, trailing commas forgiven."""
    start = text.find("{")
    if start < 0:
        return []
    found: list[dict[str, Any]] = []
    forgiven = _TRAILING.sub(lambda m: m[1] or "", text[start:])
    for value in (*_scan(text[start:]), *_scan(forgiven)):
        if value not in found:
            found.append(value)
    return found


def _scan(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
    position = 0
    for _ in range(_MAX_STARTS):
        position = text.find("{", position)
        if position < 0:
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            position += 1
            continue
        yield value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "the object"
    return f"{where}: {first['msg']}"
