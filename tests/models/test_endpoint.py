"""How requests are let through to an endpoint; time is a number that the test moves."""

from __future__ import annotations

import asyncio

import pytest

from saferag.models.endpoint import Endpoint


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def admitted(endpoint: Endpoint, count: int, tokens: int = 0) -> int:
    """How many of so many requests get in without any time passing; all end at once afterwards."""
    inside = 0
    done = asyncio.Event()

    async def request() -> None:
        nonlocal inside
        async with endpoint.slot(tokens):
            inside += 1
            await done.wait()

    tasks = [asyncio.create_task(request()) for _ in range(count)]
    await asyncio.sleep(0)
    got_in = inside
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return got_in


async def test_a_429_halves_and_successes_creep_back() -> None:
    endpoint = Endpoint("e", 16)
    async with endpoint.slot(0) as slot:
        endpoint.refused(slot, None)
    halved = endpoint.concurrency
    for _ in range(200):
        async with endpoint.slot(0) as slot:
            endpoint.succeeded(slot, 0)

    assert (halved, endpoint.concurrency) == (8, 16)


async def test_creeping_up_takes_a_full_round_for_each_step() -> None:
    endpoint = Endpoint("e", 16)
    async with endpoint.slot(0) as slot:
        endpoint.refused(slot, None)
    for _ in range(7):
        async with endpoint.slot(0) as slot:
            endpoint.succeeded(slot, 0)

    assert endpoint.concurrency == 8


async def test_the_limit_never_falls_below_one() -> None:
    endpoint = Endpoint("e", 2)
    for _ in range(9):
        async with endpoint.slot(0) as slot:
            endpoint.refused(slot, None)

    assert await admitted(endpoint, 3) == 1


async def test_requests_per_minute_hold_over_any_sixty_seconds() -> None:
    clock = Clock()
    endpoint = Endpoint("e", 100, rpm=5, clock=clock)
    first = await admitted(endpoint, 3)
    clock.now += 59
    second = await admitted(endpoint, 9)
    clock.now += 2
    third = await admitted(endpoint, 9)

    assert (first, second, third) == (3, 2, 3)


async def test_tokens_per_minute_count_what_the_provider_counted() -> None:
    clock = Clock()
    endpoint = Endpoint("e", 100, tpm=1000, clock=clock)
    async with endpoint.slot(100) as slot:
        endpoint.succeeded(slot, 900)

    assert await admitted(endpoint, 5, tokens=100) == 1
    clock.now += 61
    assert await admitted(endpoint, 20, tokens=100) == 10


async def test_a_request_larger_than_the_token_rate_goes_alone_instead_of_never() -> None:
    assert await admitted(Endpoint("e", 100, tpm=10, clock=Clock()), 3, tokens=50) == 1


async def test_a_pause_holds_everybody_and_ends() -> None:
    clock = Clock()
    endpoint = Endpoint("e", 4, clock=clock)
    async with endpoint.slot(0) as slot:
        endpoint.refused(slot, 30)
    during = await admitted(endpoint, 2)
    clock.now += 31

    assert (during, await admitted(endpoint, 2)) == (0, 2)


async def test_who_waits_is_woken_when_the_pause_is_over() -> None:
    endpoint = Endpoint("e", 4)
    async with endpoint.slot(0) as slot:
        endpoint.refused(slot, 0.02)

    async with asyncio.timeout(5), endpoint.slot(0) as slot:
        assert slot.number == 2


async def test_first_come_first_served_except_for_what_was_sent_before() -> None:
    endpoint = Endpoint("e", 1)
    order: list[str] = []

    async def request(name: str, *, again: bool = False) -> None:
        async with endpoint.slot(0, again=again):
            order.append(name)

    async with endpoint.slot(0):
        tasks = [asyncio.create_task(request(name)) for name in ("a", "b")]
        tasks.append(asyncio.create_task(request("retry", again=True)))
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)

    assert order == ["retry", "a", "b"]


async def test_cancelling_at_any_moment_loses_no_place() -> None:
    """Also in the moment between being let in and going on."""
    endpoint = Endpoint("e", 1)

    async def request() -> None:
        async with endpoint.slot(0):
            await asyncio.sleep(10)

    for ticks in range(4):
        async with endpoint.slot(0):
            waiting = asyncio.create_task(request())
            await asyncio.sleep(0)
        for _ in range(ticks):
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    assert await admitted(endpoint, 2) == 1


def test_the_stricter_rate_wins() -> None:
    endpoint = Endpoint("e", 4, rpm=10)
    endpoint.tighten(20, 1000)
    endpoint.tighten(None, 500)

    assert (endpoint.rpm, endpoint.tpm) == (10, 500)
