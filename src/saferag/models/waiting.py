"""How long a piece of work only waited for a free slot of a model: that is due to the run, and not to the work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """When a call was made, when it was let in, and when it ended, in seconds of one clock."""

    made: float
    began: float
    ended: float

    def since(self, moment: float) -> Call:
        """What of it was after a moment."""
        return Call(max(self.made, moment), max(self.began, moment), max(self.ended, moment))


_calls: ContextVar[list[Call] | None] = ContextVar("calls", default=None)


@contextmanager
def calls_noted() -> Iterator[Sequence[Call]]:
    """Note the calls of whatever is awaited within, tasks that it starts included."""
    calls: list[Call] = []
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)


def note(call: Call) -> None:
    """Note a call, where somebody asked for that."""
    calls = _calls.get()
    if calls is not None:
        calls.append(call)


def idle(calls: Sequence[Call]) -> float:
    """Seconds in which at least one call waited and none was at work."""
    changes = sorted(
        change for call in calls for change in ((call.made, 1, 0), (call.began, -1, 1), (call.ended, 0, -1))
    )
    total, waiting, working, since = 0.0, 0, 0, 0.0
    for moment, waits, works in changes:
        if waiting and not working:
            total += moment - since
        waiting, working, since = waiting + waits, working + works, moment
    return total
