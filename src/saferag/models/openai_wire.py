"""What goes over the wire to an OpenAI-compatible server, and what its answers mean. No I/O here."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saferag.errors import (
    BadReplyError,
    ContentFilteredError,
    ModelError,
    RateLimitedError,
    RequestRejectedError,
    ServerError,
)
from saferag.models.base import ChatReply, ChatRequest
from saferag.text import visible
from saferag.types import Usage

MAX_BODY = 8_000_000
"""Bytes of a reply; more cannot be an answer."""

MAX_WAIT = 300.0
"""Seconds; a provider that asks for a longer pause is not waited for."""

RUNGS = ("json_schema", "json_object", "prompt")
"""How a form can be enforced, best first; the last one leaves it to the words of the prompt."""

_BUSY = frozenset({429, 503, 529})
_AGAIN = _BUSY | {408, 409, 425}
_WITHHELD = re.compile(r"content[_ ]?filter|content[_ ]?policy|data_?inspection|content exists risk", re.IGNORECASE)
_SPENT = re.compile(
    r"insufficient[_ ](?:user[_ ])?(?:quota|balance)|exceeded your current quota|billing", re.IGNORECASE
)
_KEYS = re.compile(r"(?:sk|key|pk)-[A-Za-z0-9_*.-]{6,}|Bearer\s+\S+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A request that brought no reply.

    Attributes:
        error: What it is for whoever asked.
        again: Whether sending it again can help.
        wait: Seconds that the provider asks to wait, or None.
        busy: Whether the provider has too much to do.
        status: The HTTP status, 0 where there is none.
    """

    error: ModelError
    again: bool = False
    wait: float | None = None
    busy: bool = False
    status: int = 0


@dataclass(slots=True)
class Dialect:
    """What a server turned out to understand; learnt from its answers and kept for the model's life.

    Attributes:
        rung: Index into `RUNGS`: how forms are enforced.
        sure: Whether a reply was given on this rung, so that a later 400 means something else.
        tokens_field: The name of the length limit (newer OpenAI models have another one).
    """

    rung: int = 0
    sure: bool = False
    tokens_field: str = "max_tokens"

    def learn(self, trouble: Trouble, body: Mapping[str, Any]) -> bool:
        """Take a rejection as news about the server; True: the request should be put in other words and sent again."""
        if trouble.status not in {400, 404, 422, 501}:
            return False
        if "max_completion_tokens" in str(trouble.error) and "max_tokens" in body:
            self.tokens_field = "max_completion_tokens"
            return True
        if self.sure:
            return False
        if "response_format" not in body:  # it was not the form that the server minded
            self.rung = 0
            return False
        # Of several requests in flight only the first one moves on; the others find the new rung.
        self.rung = max(self.rung, RUNGS.index(body["response_format"]["type"]) + 1)
        return True

    def confirm(self, request: ChatRequest, body: Mapping[str, Any]) -> None:
        """A reply came: whatever way the form was enforced is one that the server knows."""
        if request.schema is not None:
            self.rung = RUNGS.index(body["response_format"]["type"]) if "response_format" in body else len(RUNGS) - 1
            self.sure = True

    def body(self, request: ChatRequest, model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The request as JSON. Parameters of the request go before those of the model."""
        body: dict[str, Any] = {
            "model": model,
            "messages": [{"role": m.role, "content": encodable(m.content)} for m in request.messages],
        }
        settings = dict(parameters)
        if request.temperature is not None:
            settings["temperature"] = request.temperature
        if request.max_tokens is not None:
            settings["max_tokens"] = request.max_tokens
        if settings.get("seed") is not None:
            settings["seed"] += request.sample
        for name, value in settings.items():
            if value is not None:
                body[self.tokens_field if name == "max_tokens" else name] = value
        if request.schema is not None and self.rung == 0:
            schema = {"name": request.schema_name, "schema": dict(request.schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.schema is not None and self.rung == 1:
            body["response_format"] = {"type": "json_object"}
        return body


def read_reply(content: bytes) -> ChatReply | Trouble:
    """What a body with status 200 says."""
    if len(content) > MAX_BODY:
        return Trouble(BadReplyError(f"the reply has {len(content)} bytes, more than any answer"))
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return Trouble(ServerError("the reply is not JSON, or was cut off"), again=True)
    if isinstance(payload, dict) and payload.get("error"):  # some gateways report errors with status 200
        status = _code(payload["error"])
        return read_status(status if status >= 400 else 500, {}, payload)
    return _read_completion(payload)


def _read_completion(payload: Any) -> ChatReply | Trouble:  # noqa: ANN401 - whatever JSON a server sends
    try:
        choice = payload["choices"][0]
        message = choice["message"]
        text = _text(message.get("content")) or _text(message.get("refusal"))
        finish = str(choice.get("finish_reason") or "stop")
    except (LookupError, TypeError, AttributeError):
        return Trouble(BadReplyError("the reply is JSON, but not a chat completion"))
    if finish == "content_filter":
        return Trouble(ContentFilteredError("the provider withheld the reply (finish_reason content_filter)"))
    if not text.strip():
        return Trouble(BadReplyError(f"the reply is empty (finish_reason {visible(finish)[:40]})"))
    return ChatReply(encodable(text), _usage(payload.get("usage"), finish), finish)


def read_status(status: int, headers: Mapping[str, str], body: object, key: str = "") -> Trouble:
    """What an HTTP status other than 200 means."""
    said = clean(_message(body), key)
    line = f"HTTP {status}" + (f": {said}" if said else "")
    wait = retry_after(headers)
    if status == 400 and _WITHHELD.search(said):
        return Trouble(ContentFilteredError(line), status=status)
    if status == 429:
        if _SPENT.search(said):
            return Trouble(RateLimitedError(line), status=status)
        if wait is not None and wait > MAX_WAIT:
            return Trouble(RateLimitedError(f"{line}; it asks to wait {wait:.0f} s, which is too long"), status=status)
        return Trouble(RateLimitedError(line), again=True, wait=wait, busy=True, status=status)
    if status >= 500 or status in _AGAIN:
        wait = None if wait is None else min(wait, MAX_WAIT)
        return Trouble(ServerError(line), again=status != 501, wait=wait, busy=status in _BUSY, status=status)
    return Trouble(RequestRejectedError(line), status=status)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the provider asks to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or a date)."""
    milliseconds, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            return max(0.0, float(milliseconds) / 1000)
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        # Both dates come from the server: its clock need not agree with ours.
        until = email.utils.parsedate_to_datetime(value)
        now = email.utils.parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (until - now).total_seconds())
    except (ValueError, TypeError):
        return None


def clean(text: str, key: str = "") -> str:
    """A provider's words in one short line that is safe to print, without the key."""
    if key:
        text = text.replace(key, "***")
    text = _KEYS.sub("***", visible(text).strip())
    return text if len(text) <= 200 else text[:199] + "…"


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _text(content: object) -> str:
    """The text of a message; some servers send a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _usage(usage: object, finish: str) -> Usage:
    counts = usage if isinstance(usage, dict) else {}
    sent, received = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    return Usage(1, 0, sent, received, truncated=int(finish == "length"))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _code(error: object) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    return int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 0


def _message(body: object) -> str:
    """The provider's words and its code, wherever the body holds them."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, dict):
            parts = [inner.get("message") or inner.get("detail") or inner.get("msg"), inner.get("code")]
            return " ".join(str(part) for part in parts if part is not None)
        return str(inner)
    return body if isinstance(body, str) else ""
