"""A reply cache around any chat model: the same request is paid for once, in one run and over all runs.

Identical requests that are in flight together are sent once, too, also by several processes with one cache. Errors
are never kept. A reply is on disk before it is handed on, so a killed process loses only what was in flight.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from saferag.errors import ModelError
from saferag.models.base import ChatModel, ChatReply, ChatRequest
from saferag.models.replies import ReplyStore
from saferag.models.traffic import Traffic
from saferag.models.waiting import Call, calls_noted, note

_LOOK_AGAIN = 0.05  # seconds until a reply that another process is fetching is looked for again


def request_key(identity: Mapping[str, str], request: ChatRequest) -> bytes:
    """What makes a reply reusable: everything that it depends on, hashed."""
    # Field by field, because `asdict` copies every message once more, and this is done for every request.
    settings = {f.name: getattr(request, f.name) for f in fields(request) if f.name != "messages"}
    messages = [(message.role, message.content) for message in request.messages]
    parts = {"model": dict(identity), "request": settings, "messages": messages}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).digest()


@dataclass(slots=True, eq=False)
class Flight:
    """A request in flight, the calls that it took so far, and how many are waiting for it."""

    task: asyncio.Task[ChatReply]
    calls: Sequence[Call]
    waiting: int = 0


@dataclass(slots=True, eq=False)
class CachedModel:
    """A model behind a reply cache.

    Attributes:
        model: The model itself.
        store: Where replies are kept.
        flights: What is in flight, by request key; shared by all models of a run.
        traffic: Where hits are counted.
        code: The hash of the model's own code where that is not ours: its replies may change with it.
    """

    model: ChatModel
    store: ReplyStore
    flights: dict[bytes, Flight] = field(default_factory=dict)
    traffic: Traffic = field(default_factory=Traffic)
    code: str | None = None

    @property
    def identity(self) -> Mapping[str, str]:
        """The identity of the model itself, and its code where that is not ours."""
        return self.model.identity if self.code is None else {**self.model.identity, "code": self.code}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Take the reply from the store, or from an identical request in flight, or from the model.

        Raises:
            ModelError: The model failed; the next identical request is sent anew.
            UserError: The store cannot be read.
        """
        key = request_key(self.identity, request)
        stored = self.store.get(key)
        if stored is not None:
            self.traffic.cached += 1
            return as_cached(stored)
        flight = self.flights.get(key)
        joined = flight is not None and flight.task.get_loop() is asyncio.get_running_loop()
        if flight is None or not joined:
            flight = self._take_off(key, request)
        self.traffic.joined += joined
        boarded = time.monotonic()
        try:
            reply = await self._wait_for(key, flight)
        except ModelError as error:
            raise type(error)(*error.args) from None  # each of those who wait gets an error of its own
        finally:
            for call in flight.calls:
                note(call.since(boarded))
        return as_cached(reply) if joined else reply

    async def close(self) -> None:
        """Close the model; the store belongs to whoever made it."""
        await self.model.close()

    def _take_off(self, key: bytes, request: ChatRequest) -> Flight:
        with calls_noted() as calls:  # the task takes the context along
            flight = self.flights[key] = Flight(asyncio.create_task(self._fetch(key, request)), calls)
        flight.task.add_done_callback(lambda task: self._land(key, flight, task))
        return flight

    def _land(self, key: bytes, flight: Flight, task: asyncio.Task[ChatReply]) -> None:
        if self.flights.get(key) is flight:
            del self.flights[key]
        if not task.cancelled():
            task.exception()  # it has been seen, even if everybody who waited was cancelled

    async def _wait_for(self, key: bytes, flight: Flight) -> ChatReply:
        """Wait; a request that nobody waits for any more is given up, and nobody can join it then."""
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if flight.waiting == 0 and not flight.task.done():
                self._land_early(key, flight)

    def _land_early(self, key: bytes, flight: Flight) -> None:
        if self.flights.get(key) is flight:
            del self.flights[key]
        flight.task.cancel()

    async def _fetch(self, key: bytes, request: ChatRequest) -> ChatReply:
        while not self.store.hold(key):
            await asyncio.sleep(_LOOK_AGAIN)
        try:
            stored = self.store.get(key)  # another process may just have fetched it
            if stored is not None:
                self.traffic.cached += 1
                return as_cached(stored)
            reply = await self.model.complete(request)
            if not await self.store.put(key, self.identity.get("model", ""), reply):
                self.traffic.unsaved += 1
            return reply
        finally:
            self.store.let_go(key)


def as_cached(reply: ChatReply) -> ChatReply:
    """The reply, marked as one that was not paid for again. Its tokens are those of the call that was."""
    return replace(reply, usage=replace(reply.usage, cached=reply.usage.calls))
