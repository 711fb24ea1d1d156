"""What a case only waited for is no time of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saferag.models import ChatReply, ChatRequest, Message
from saferag.models.local import LocalModel, Sampling
from saferag.models.waiting import Call, calls_noted, idle

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
