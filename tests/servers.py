"""A chat server on this machine that behaves as badly as a test tells it to.

It runs in a thread with an event loop of its own, so that it serves code under ``asyncio.run`` and whole command
line runs alike. A handler sees each request and says what happens:

    with ChatServer(lambda asked: Fail(429, headers={"Retry-After": "0"}) if asked.number == 1 else "hello") as server:
        ... server.url ... server.requests ...
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came: its number (from 1), path, headers and JSON."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All messages, joined."""
        return "\n".join(message["content"] for message in self.body.get("messages", ()))


@dataclass(frozen=True, slots=True)
class Say:
    """A proper reply, after ``delay`` seconds."""

    text: str | None
    finish: str = "stop"
    delay: float = 0.0
    prompt_tokens: int = 10
    completion_tokens: int = 5

    def payload(self) -> bytes:
        message = {"role": "assistant", "content": self.text}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        usage = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        return json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()


@dataclass(frozen=True, slots=True)
class Fail:
    """An error as OpenAI words it."""

    status: int
    message: str = "something went wrong"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """Whatever bytes."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer at all."""


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The connection ends before a reply."""


@dataclass(frozen=True, slots=True)
class CutInHalf:
    """The connection ends in the middle of this reply."""

    text: str = "a reply that nobody will ever read to its end"


Reaction = str | Say | Fail | Raw | Hang | Disconnect | CutInHalf
Handler = Callable[[Asked], Reaction]


def in_turn(reactions: Sequence[Reaction]) -> Handler:
    """One reaction after the other; the last one holds from then on."""
    return lambda asked: reactions[min(asked.number, len(reactions)) - 1]


@dataclass(eq=False)
class ChatServer:
    """Serves while its ``with`` block runs.

    Attributes:
        handler: Says what happens to a request; may be changed at any time.
        requests: Everything that came, in order.
        most_in_flight: The most requests that were being served at once.
    """

    handler: Handler = lambda asked: "hello"
    requests: list[Asked] = field(default_factory=list)
    most_in_flight: int = 0
    _in_flight: int = 0
    _port: int = 0
    _loop: asyncio.AbstractEventLoop | None = None
    _stop: asyncio.Event | None = None
    _thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Root of the API."""
        return f"http://127.0.0.1:{self._port}/v1"

    def spec(self, name: str = "test-model", /, **parameters: object) -> str:
        """The spec of a model at this server."""
        settings = {"base_url": self.url, **parameters}
        return f"openai:{name}({','.join(f'{key}={value}' for key, value in settings.items())})"

    def __enter__(self) -> ChatServer:
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None and self._stop is not None and self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    async def _serve(self, ready: threading.Event) -> None:
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.05, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._port = runner.addresses[0][1]
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read() or b"{}")
        asked = Asked(len(self.requests) + 1, request.path, dict(request.headers), body)
        self.requests.append(asked)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            return await self._react(request, self.handler(asked))
        finally:
            self._in_flight -= 1

    async def _react(self, request: web.Request, reaction: Reaction) -> web.StreamResponse:
        match reaction:
            case str():
                return web.Response(body=Say(reaction).payload(), content_type="application/json")
            case Say():
                await asyncio.sleep(reaction.delay)
                return web.Response(body=reaction.payload(), content_type="application/json")
            case Fail():
                error = {"error": {"message": reaction.message, "code": reaction.code}}
                return web.json_response(error, status=reaction.status, headers=dict(reaction.headers))
            case Raw():
                return web.Response(body=reaction.content, status=reaction.status, content_type=reaction.content_type)
            case Hang():
                await asyncio.sleep(3600)
            case CutInHalf():
                content = Say(reaction.text).payload()
                response = web.StreamResponse(headers={"Content-Length": str(len(content))})
                await response.prepare(request)
                await response.write(content[: len(content) // 2])
        assert request.transport is not None
        request.transport.close()
        return web.Response()
