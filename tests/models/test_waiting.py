"""What a case only waited for is no time of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from running import Setup, one_arm
from saferag.errors import ServerError
from saferag.generators import Generator, generators
from saferag.models import ChatReply, ChatRequest, Message
from saferag.models.cache import CachedModel
from saferag.models.local import LocalModel, Sampling
from saferag.models.replies import MemoryReplies
from saferag.models.waiting import Call, calls_noted, idle, note
from saferag.resources import Resources
from saferag.types import Answer, Context
from servers import ChatServer

TICKS = st.integers(0, 30)
CALLS = st.lists(st.tuples(TICKS, TICKS, TICKS).map(sorted).map(lambda t: Call(*map(float, t))), max_size=6)


@given(CALLS)
def test_idle_is_what_counting_tick_by_tick_finds(calls: list[Call]) -> None:
    ticks = [t + 0.5 for t in range(31)]
    waiting = {t for t in ticks if any(c.made < t < c.began for c in calls)}
    working = {t for t in ticks if any(c.began < t < c.ended for c in calls)}

    assert idle(calls) == len(waiting - working)


def test_calls_that_wait_together_are_waited_for_once() -> None:
    assert idle([Call(0, 10, 12), Call(0, 10, 13)]) == 10
    assert idle([Call(0, 0, 5), Call(0, 5, 9)]) == 0


@given(CALLS, TICKS)
def test_who_joins_late_has_the_rest_of_the_wait(calls: list[Call], joined: int) -> None:
    rest = [call.since(float(joined)) for call in calls]

    assert idle(rest) == idle(calls) - idle([Call(min(c.made, joined), min(c.began, joined), min(c.ended, joined))
                                             for c in calls])  # fmt: skip


class Gate:
    """An engine whose replies come when the gate is opened."""

    has_template = True

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.entered = 0

    def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
        self.entered += 1
        assert self.opened.wait(60)
        return ChatReply("yes")

    def go_on(self, text: str, stops: Sequence[str], sampling: Sampling) -> ChatReply:
        raise AssertionError


@pytest.mark.parametrize("slots", [1, 2])
async def test_who_has_no_slot_waits_and_who_has_one_works(slots: int) -> None:
    gate = Gate()
    model = LocalModel({"model": "gate"}, lambda: gate, Sampling(9, 0.0, 0), slots=slots)

    async def ask() -> tuple[Call, ...]:
        with calls_noted() as calls:
            await asyncio.create_task(model.complete(ChatRequest((Message("user", "?"),))))
        return tuple(calls)

    both = asyncio.gather(ask(), ask())
    while gate.entered < slots:
        await asyncio.sleep(0.01)
    opened_at = time.monotonic()
    gate.opened.set()
    ((first,), (second,)) = await both
    await model.close()

    assert first.began <= opened_at <= first.ended
    assert (second.began >= opened_at) == (slots == 1)
    assert all(call.made <= call.began <= call.ended for call in (first, second))


async def test_the_same_request_in_flight_has_waited_as_long_for_everybody() -> None:
    gate = Gate()
    model = LocalModel({"model": "gate"}, lambda: gate, Sampling(9, 0.0, 0))
    cached = CachedModel(model, MemoryReplies())

    async def ask(text: str) -> tuple[Call, ...]:
        with calls_noted() as calls:
            await cached.complete(ChatRequest((Message("user", text),)))
        return tuple(calls)

    all_three = asyncio.gather(ask("first"), ask("second"), ask("second"))
    while not gate.entered:
        await asyncio.sleep(0.01)
    gate.opened.set()
    _, (starter,), (joiner,) = await all_three
    await cached.close()

    assert joiner.made >= starter.made
    assert (joiner.began, joiner.ended) == (starter.began, starter.ended)


async def test_a_call_that_failed_has_waited_too() -> None:
    class Broken(Gate):
        def chat(self, messages: Sequence[Message], sampling: Sampling) -> ChatReply:
            raise ServerError("no")

    model = LocalModel({"model": "gate"}, Broken, Sampling(9, 0.0, 0))
    with calls_noted() as calls, pytest.raises(ServerError):
        await model.complete(ChatRequest((Message("user", "?"),)))
    await model.close()

    assert len(calls) == 1


async def test_a_place_at_an_endpoint_is_waited_for(chat_server: ChatServer, resources: Resources) -> None:
    resources.concurrency = 1
    model = resources.chat(f"openai:m(base_url={chat_server.url})", "a test")
    with calls_noted() as calls:
        await asyncio.gather(*(model.complete(ChatRequest((Message("user", text),))) for text in "ab"))
    await resources.close()

    first, second = sorted(calls, key=lambda call: call.began)
    assert first.ended <= second.began


def test_the_seconds_of_a_record_are_without_what_it_only_waited_for(tmp_path: Path) -> None:
    @generators.register("late", summary="has waited for an hour before it was let in")
    def late(resources: Resources) -> Generator:
        return Late()

    setup = Setup(tmp_path / "run", Resources())
    try:
        setup.run(one_arm("late"))
    finally:
        del generators._entries["late"]

    records = setup.store().records.values()
    assert records
    assert all(-3600 <= record.seconds < 0 for record in records)


class Late:
    """Notes a call that was made an hour ago and let in now."""

    async def generate(self, query: str, context: Context) -> Answer:
        now = time.monotonic()
        note(Call(now - 3600, now, now))
        return Answer("Yes.")
