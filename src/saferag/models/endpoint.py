"""The door to one endpoint: how many requests may be in flight, and when the next one may go.

The limit adapts by additive increase and multiplicative decrease: it halves when the provider answers 429 (once
per burst, however many requests of the burst are refused) and creeps up by one for every full round of successes.
Rates (requests and tokens per minute) are kept exactly over any 60 seconds. A Retry-After holds for everybody.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_MINUTE = 60.0


@dataclass(slots=True, eq=False)
class Slot:
    """A request's place among those in flight.

    Attributes:
        number: How many requests had been let in when this one was.
        entry: Time and tokens in the rate window; the tokens can still be corrected.
    """

    number: int
    entry: _Entry


@dataclass(slots=True, eq=False)
class _Entry:
    time: float
    tokens: int


@dataclass(slots=True, eq=False)
class Endpoint:
    """Lets requests in, first come first served.

    Attributes:
        label: For people, such as ``gpt-4o at api.openai.com``.
        maximum: The most requests in flight.
        rpm, tpm: Requests and tokens per minute; None means no limit of ours.
        clock: Seconds that never run backwards.
    """

    label: str
    maximum: int
    rpm: int | None = None
    tpm: int | None = None
    clock: Callable[[], float] = time.monotonic
    _limit: float = field(init=False)
    _in_flight: int = 0
    _let_in: int = 0
    _decreased_at: int = 0
    _not_before: float = 0.0
    _window: deque[_Entry] = field(default_factory=deque)
    _tokens: int = 0
    _queue: deque[tuple[int, asyncio.Future[Slot]]] = field(default_factory=deque)
    _timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        self._limit = float(self.maximum)

    @property
    def concurrency(self) -> int:
        """How many requests may be in flight at present."""
        return max(1, int(self._limit))

    def tighten(self, rpm: int | None, tpm: int | None) -> None:
        """Take the stricter of the present rates and these."""
        self.rpm = min((r for r in (self.rpm, rpm) if r is not None), default=None)
        self.tpm = min((t for t in (self.tpm, tpm) if t is not None), default=None)

    @asynccontextmanager
    async def slot(self, tokens: int, *, again: bool = False) -> AsyncIterator[Slot]:
        """Wait for a place, and give it back at the end.

        Args:
            tokens: What the request will probably cost, for the token rate.
            again: The request was sent before and goes ahead of those that were not.
        """
        slot = await self._enter(tokens, again)
        try:
            yield slot
        finally:
            self._in_flight -= 1
            self._let_go()

    def succeeded(self, slot: Slot, tokens: int) -> None:
        """A reply came; it cost so many tokens (0: the provider did not say)."""
        if tokens:
            if self._window and slot.entry.time >= self._window[0].time:
                self._tokens += tokens - slot.entry.tokens
            slot.entry.tokens = tokens
        self._limit = min(float(self.maximum), self._limit + 1.0 / self._limit)

    def refused(self, slot: Slot, wait: float | None) -> None:
        """The provider answered 429, and asked for a pause of so many seconds, or did not say."""
        if slot.number > self._decreased_at:
            self._limit = max(1.0, self._limit / 2)
            self._decreased_at = self._let_in
        if wait is not None:
            self._not_before = max(self._not_before, self.clock() + wait)

    async def _enter(self, tokens: int, again: bool) -> Slot:
        if not self._queue and self._wait(tokens) == 0.0:
            return self._admit(tokens)
        place: asyncio.Future[Slot] = asyncio.get_running_loop().create_future()
        (self._queue.appendleft if again else self._queue.append)((tokens, place))
        self._let_go()
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # let in and cancelled in the same moment
                self._in_flight -= 1
            self._let_go()
            raise

    def _let_go(self) -> None:
        """Let in whoever may go, and set the alarm for the next one."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        while self._queue:
            tokens, place = self._queue[0]
            if place.done():
                self._queue.popleft()
                continue
            wait = self._wait(tokens)
            if wait is None:
                return
            if wait > 0.0:
                self._timer = place.get_loop().call_later(wait, self._let_go)
                return
            self._queue.popleft()
            place.set_result(self._admit(tokens))

    def _wait(self, tokens: int) -> float | None:
        """Seconds until a request may go as far as time is concerned; None: not before another one ends."""
        if self._in_flight >= self.concurrency:
            return None
        now = self.clock()
        while self._window and self._window[0].time <= now - _MINUTE:
            self._tokens -= self._window.popleft().tokens
        wait = max(0.0, self._not_before - now)
        if self.rpm is not None and len(self._window) >= self.rpm:
            wait = max(wait, self._window[-self.rpm].time + _MINUTE - now)
        if self.tpm is not None and self._window and self._tokens + tokens > self.tpm:
            wait = max(wait, self._until_tokens(tokens) + _MINUTE - now)
        return wait

    def _until_tokens(self, tokens: int) -> float:
        """The time of the request that must leave the window before so many tokens fit."""
        assert self.tpm is not None
        used = self._tokens
        for entry in self._window:
            used -= entry.tokens
            if used + tokens <= self.tpm:
                return entry.time
        return self._window[-1].time

    def _admit(self, tokens: int) -> Slot:
        entry = _Entry(self.clock(), tokens)
        if self.rpm is not None or self.tpm is not None:
            self._window.append(entry)
            self._tokens += tokens
        self._in_flight += 1
        self._let_in += 1
        return Slot(self._let_in, entry)
